import { ApiProperty } from '@nestjs/swagger';
import { BodyKeyField, MeResponse } from '../access/index.js';
import { DateTimeField } from '../platform/http/fields.js';

export class SignInRequest {
  @BodyKeyField()
  api_key?: string | null;
}

export class SessionResponse extends MeResponse {
  @DateTimeField({
    nullable: true,
    description: 'When the session ends at the latest; null for callers who send a key instead of the cookie.',
  })
  expires_at: string | null;
}

export class SignedOutResponse {
  @ApiProperty({ example: true })
  success: true;
}
