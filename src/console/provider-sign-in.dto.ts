import { ApiProperty } from '@nestjs/swagger';
import { SuccessField } from '../platform/http/common-fields.js';
import { BooleanField, IntegerField, MAX_ID, TextField } from '../platform/http/fields.js';
import { Closed } from '../platform/http/validation.pipe.js';
import type { Provider } from '../single-sign-on/index.js';
import { InvitationTokenRequest } from './sign-in.dto.js';

const ProviderField = () =>
  TextField({ minLength: 1, maxLength: 63, description: 'The slug of the identity provider.', example: 'acme' });

export class ProviderPath {
  @TextField({ query: true, maxLength: 255 })
  provider: string;
}

export class DepartureQuery {
  /** A page of the console. */
  @TextField({ query: true, optional: true, maxLength: 4000 })
  to?: string;

  @IntegerField({ query: true, optional: true, min: 1, max: MAX_ID })
  workspace_id?: number;
}

@Closed()
export class ProviderRequest {
  @ProviderField()
  provider: string;
}

@Closed()
export class InvitationProviderRequest extends InvitationTokenRequest {
  @ProviderField()
  provider: string;
}

export class ProviderUrlResponse {
  @SuccessField()
  success: true;

  @TextField({
    description: 'The page of the identity provider to open in this browser. It works for ten minutes.',
    example: 'https://login.example.com/authorize?client_id=tracesheet',
  })
  url: string;
}

export class SignInProviderBody {
  @TextField({ description: 'The name of the provider in URLs. `/console/sign-in/{slug}` starts the sign-in.' })
  slug: string;

  @TextField({ description: 'The name to show.' })
  name: string;
}

export class SignInWaysResponse {
  @SuccessField()
  success: true;

  @ApiProperty({ type: () => [SignInProviderBody], description: 'The identity providers to sign in with.' })
  providers: SignInProviderBody[];

  @BooleanField({ description: 'Whether people can sign in with an e-mail address and a password (LOCAL_SIGN_IN).' })
  has_passwords: boolean;

  @BooleanField({
    description: 'Whether people can ask for a new password by e-mail (`POST /console/password/forgotten`).',
  })
  can_reset_password: boolean;

  @IntegerField({ description: 'Minutes without use after which a session ends (CONSOLE_SESSION_IDLE_MINUTES).' })
  session_idle_minutes: number;
}

export const toSignInProvider = ({ slug, name }: Provider): SignInProviderBody => ({ slug, name });
