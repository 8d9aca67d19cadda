import { ApiProperty } from '@nestjs/swagger';
import { CreatedAtField, PathIdField, SuccessField } from '../../platform/http/common-fields.js';
import { DateTimeField, IntegerField, TextField } from '../../platform/http/fields.js';
import { Closed } from '../../platform/http/validation.pipe.js';
import type { ScimToken } from './scim-token.entity.js';

export class ScimTokenPath {
  @PathIdField('The id of the token, from the list of tokens.')
  scim_token_id: number;
}

@Closed()
export class CreateScimTokenRequest {
  @TextField({
    minLength: 1,
    maxLength: 255,
    description: 'A name for the list, such as that of the identity provider.',
    example: 'Identity provider',
  })
  name: string;
}

export class ScimTokenBody {
  @IntegerField({ description: 'The id of the token.' })
  id: number;

  @TextField({ description: 'The name of the token.' })
  name: string;

  @TextField({ description: 'The last four characters of the token, to recognise it by.' })
  last_4: string;

  @CreatedAtField('the token')
  created_at: string;

  @DateTimeField({ nullable: true, description: 'When the token was last used, to within a minute; null for never.' })
  last_used_at: string | null;
}

export class ScimTokensResponse {
  @SuccessField()
  success: true;

  @ApiProperty({ type: () => [ScimTokenBody], description: 'All SCIM tokens of the installation, oldest first.' })
  scim_tokens: ScimTokenBody[];
}

export class CreatedScimTokenResponse {
  @SuccessField()
  success: true;

  @ApiProperty({ type: () => ScimTokenBody, description: 'The new token.' })
  scim_token: ScimTokenBody;

  @TextField({ description: 'The text of the token. This is the only response that contains it.' })
  secret: string;
}

export class RevokedScimTokenResponse {
  @SuccessField()
  success: true;
}

export function toScimTokenBody({ id, name, lastFour, createdAt, lastUsedAt }: ScimToken): ScimTokenBody {
  return {
    id,
    name,
    last_4: lastFour,
    created_at: createdAt.toISOString(),
    last_used_at: lastUsedAt?.toISOString() ?? null,
  };
}
