import { ApiProperty } from '@nestjs/swagger';
import { PathIdField, SuccessField } from '../platform/http/common-fields.js';
import { BooleanField, DateTimeField, IntegerField, TextField } from '../platform/http/fields.js';
import type { LinkedIdentity } from '../single-sign-on/index.js';
import { SignInProviderBody } from './provider-sign-in.dto.js';

export class IdentityPath {
  @PathIdField('The id of the identity, from the list.')
  identity_id: number;
}

export class IdentityBody {
  @IntegerField({ description: 'The id of the identity.' })
  id: number;

  @ApiProperty({ type: () => SignInProviderBody, description: 'The identity provider.' })
  provider: SignInProviderBody;

  @TextField({ nullable: true, description: 'The e-mail address at the last sign-in; null when there was none.' })
  email: string | null;

  @BooleanField({ description: 'Whether you can sign in with it: the provider is enabled and has the same issuer.' })
  is_usable: boolean;

  @DateTimeField({ description: 'When it was linked.' })
  created_at: string;

  @DateTimeField({ description: 'When you last signed in with it.' })
  last_sign_in_at: string;
}

export class IdentitiesResponse {
  @SuccessField()
  success: true;

  @ApiProperty({ type: () => [IdentityBody], description: 'Your identities, oldest first; none for a key.' })
  identities: IdentityBody[];
}

export function toIdentityBody({ identity, provider, isUsable }: LinkedIdentity): IdentityBody {
  return {
    id: identity.id,
    provider: { slug: provider.slug, name: provider.name },
    email: identity.email,
    is_usable: isUsable,
    created_at: identity.createdAt.toISOString(),
    last_sign_in_at: identity.lastSignInAt.toISOString(),
  };
}
