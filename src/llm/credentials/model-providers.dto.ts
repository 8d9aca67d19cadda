import { ApiProperty } from '@nestjs/swagger';
import { SuccessField } from '../../platform/http/common-fields.js';
import { BooleanField, ListField, TextField } from '../../platform/http/fields.js';
import type { ListedProvider } from './listed-providers.js';

class ProviderOptionBody {
  @TextField({ description: 'The name of the option in `options` of a credential.', example: 'region' })
  name: string;

  @TextField({ description: 'Description of the option for people.', example: 'The region of the models.' })
  description: string;

  @BooleanField({ description: 'Whether a credential needs it.' })
  required: boolean;
}

class ModelProviderBody {
  @TextField({ description: 'The provider, as the model of a prompt names it.', example: 'openai' })
  provider: string;

  @BooleanField({ description: 'Whether its models can be called from this server.' })
  can_chat: boolean;

  @BooleanField({ description: 'Whether it has embeddings that can be made from this server.' })
  can_embed: boolean;

  @BooleanField({ description: 'Whether calls need a credential.' })
  needs_credential: boolean;

  @TextField({
    nullable: true,
    description: 'Description of the secret, when it is not a plain API key.',
    example: 'The key file of a service account, as JSON.',
  })
  secret: string | null;

  @BooleanField({ description: 'Whether a credential needs a `base_url`.' })
  needs_base_url: boolean;

  @ApiProperty({ type: () => [ProviderOptionBody], description: 'The further settings that a credential takes.' })
  options: ProviderOptionBody[];

  @ListField('string', {
    description: 'The names of the credentials of the workspace for this provider.',
    example: ['default'],
  })
  credentials: string[];
}

export class ModelProvidersResponse {
  @SuccessField()
  success: true;

  @ApiProperty({
    type: () => [ModelProviderBody],
    description: 'The providers of this server by name, and other names that the workspace has credentials for.',
  })
  model_providers: ModelProviderBody[];
}

export function toModelProviderBody(listed: ListedProvider): ModelProviderBody {
  const { name, needs, canChat, canEmbed, credentials } = listed;
  return {
    provider: name,
    can_chat: canChat,
    can_embed: canEmbed,
    needs_credential: needs.secret !== null,
    secret: needs.secret ?? null,
    needs_base_url: needs.baseUrlRequired ?? false,
    options: Object.entries(needs.options ?? {}).map(([option, { description, required = false }]) => ({
      name: option,
      description,
      required,
    })),
    credentials,
  };
}
