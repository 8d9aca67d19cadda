import { ApiProperty } from '@nestjs/swagger';
import { WorkspacePath } from '../../access/index.js';
import { CreatedAtField, PathIdField, SuccessField, UpdatedAtField } from '../../platform/http/common-fields.js';
import { BooleanField, IntegerField, JsonObjectField, MAX_ID, TextField } from '../../platform/http/fields.js';
import { Closed } from '../../platform/http/validation.pipe.js';
import type { CredentialTest } from '../calls/credential-test.js';
import type { ModelCredential } from './model-credential.entity.js';
import type { CredentialChange } from './model-credentials.service.js';

const MAX_SECRET = 20_000;

export class ModelCredentialPath extends WorkspacePath {
  @PathIdField('The id of the credential, from the list of credentials.')
  credential_id: number;
}

const NameField = (optional: boolean) =>
  TextField({
    optional,
    minLength: 1,
    maxLength: 100,
    description:
      'The name, unique among the credentials of the provider. Columns may name the credential to use; otherwise it is the one called "default", or the only one.',
    example: 'default',
  });

const SecretField = (optional: boolean) =>
  TextField({
    optional,
    nullable: true,
    maxLength: MAX_SECRET,
    description:
      'The API key, or its equivalent: the key file of a service account as JSON, or an access key. It is stored encrypted and never shown again.',
    example: 'sk-example-0123456789',
  });

const BaseUrlField = () =>
  TextField({
    optional: true,
    nullable: true,
    minLength: 1,
    maxLength: 2000,
    description:
      'The address of the API if it is not the usual one of the provider: your own server, or a gateway. It must lead to the public internet unless OUTBOUND_ALLOW_PRIVATE is on.',
    example: 'https://models.example.com/v1',
  });

const OptionsField = () =>
  JsonObjectField({
    optional: true,
    values: { type: 'string' },
    description:
      'Further settings of the provider: `region` for Bedrock, `project` and `location` for Vertex AI, `api_version` for Azure, `organization` and `project` for OpenAI.',
    example: {},
  });

const LimitField = (what: string, example: number) =>
  IntegerField({
    optional: true,
    nullable: true,
    min: 1,
    max: MAX_ID,
    description: `${what}, across all processes of the server. null for no limit.`,
    example,
  });

@Closed()
export class UpdateModelCredentialRequest {
  @NameField(true)
  name?: string;

  @SecretField(true)
  secret?: string | null;

  @BaseUrlField()
  base_url?: string | null;

  @OptionsField()
  options?: Record<string, string>;

  @LimitField('Most calls at the same time', 20)
  max_concurrency?: number | null;

  @LimitField('Most calls in a minute', 500)
  requests_per_minute?: number | null;

  @LimitField('Most tokens in a minute, of input and output together', 200_000)
  tokens_per_minute?: number | null;
}

@Closed()
export class CreateModelCredentialRequest extends UpdateModelCredentialRequest {
  @TextField({
    minLength: 1,
    maxLength: 100,
    description:
      'The provider, as the model of a prompt names it: `openai`, `anthropic`, `amazon.bedrock` and so on, in any letter case. Any other name stands for a server with the chat completions API of OpenAI at `base_url`.',
    example: 'openai',
  })
  provider: string;

  @NameField(false)
  declare name: string;
}

export class ModelCredentialBody {
  @IntegerField({ description: 'The id of the credential.' })
  id: number;

  @TextField({ description: 'The provider that the credential is for, such as `openai`.' })
  provider: string;

  @TextField({ description: 'Which of the credentials of its provider it is.' })
  name: string;

  @TextField({ nullable: true, description: 'The address of the API; null for the usual one of the provider.' })
  base_url: string | null;

  @TextField({ description: 'The last four characters of the secret; empty for short secrets.' })
  last_4: string;

  @JsonObjectField({
    values: { type: 'string' },
    description: 'Further settings of the provider, such as a region. Empty if it needs none.',
  })
  options: Record<string, string>;

  @IntegerField({
    nullable: true,
    description: 'The most calls at the same time, over all processes of the server; null for any number.',
  })
  max_concurrency: number | null;

  @IntegerField({
    nullable: true,
    description: 'The most calls in a minute, over all processes of the server; null for any number.',
  })
  requests_per_minute: number | null;

  @IntegerField({
    nullable: true,
    description: 'The most tokens in a minute, of input and output together; null for any number.',
  })
  tokens_per_minute: number | null;

  @CreatedAtField('the credential')
  created_at: string;

  @UpdatedAtField('the credential')
  updated_at: string;
}

export class ModelCredentialResponse {
  @SuccessField()
  success: true;

  @ApiProperty({
    type: () => ModelCredentialBody,
    description: 'The credential as it is after the request, without its secret.',
  })
  model_credential: ModelCredentialBody;
}

export class ModelCredentialsResponse {
  @SuccessField()
  success: true;

  @ApiProperty({
    type: () => [ModelCredentialBody],
    description: 'All credentials of the workspace, by provider and name.',
  })
  model_credentials: ModelCredentialBody[];
}

export class ModelCredentialDeletedResponse {
  @SuccessField()
  success: true;
}

@Closed()
export class TestModelCredentialRequest {
  @TextField({ minLength: 1, maxLength: 255, description: 'The model to call.', example: 'gpt-4.1-mini' })
  model: string;
}

export class TestModelCredentialResponse {
  @SuccessField()
  success: true;

  @BooleanField({ description: 'Whether the model answered.' })
  works: boolean;

  @TextField({ description: 'The result as a sentence: what the provider answered, or why the call failed.' })
  message: string;

  @IntegerField({ description: 'The duration of the call in milliseconds.' })
  latency_ms: number;
}

export function toChange(body: UpdateModelCredentialRequest): CredentialChange {
  return {
    name: body.name,
    secret: body.secret,
    baseUrl: body.base_url,
    options: body.options,
    maxConcurrency: body.max_concurrency,
    requestsPerMinute: body.requests_per_minute,
    tokensPerMinute: body.tokens_per_minute,
  };
}

export function toModelCredentialBody(credential: ModelCredential): ModelCredentialBody {
  return {
    id: credential.id,
    provider: credential.provider,
    name: credential.name,
    base_url: credential.baseUrl,
    last_4: credential.lastFour,
    options: credential.options,
    max_concurrency: credential.maxConcurrency,
    requests_per_minute: credential.requestsPerMinute,
    tokens_per_minute: credential.tokensPerMinute,
    created_at: credential.createdAt.toISOString(),
    updated_at: credential.updatedAt.toISOString(),
  };
}

export const toModelCredentialResponse = (credential: ModelCredential): ModelCredentialResponse => ({
  success: true,
  model_credential: toModelCredentialBody(credential),
});

export const toTestResponse = ({ works, message, latencyMs }: CredentialTest): TestModelCredentialResponse => ({
  success: true,
  works,
  message,
  latency_ms: latencyMs,
});
