import { BodyKeyField, MeResponse } from '../access/index.js';
import { SuccessField } from '../platform/http/common-fields.js';
import { DateTimeField } from '../platform/http/fields.js';

export class SignInRequest {
  @BodyKeyField()
  api_key?: string | null;
}

export class SessionResponse extends MeResponse {
  @DateTimeField({
    nullable: true,
    description: 'When the session expires at the latest; null for requests with a key instead of the cookie.',
  })
  expires_at: string | null;
}

export class SignedOutResponse {
  @SuccessField()
  success: true;
}
