import { ApiProperty } from '@nestjs/swagger';
import { WorkspacePath } from '../../access/index.js';
import {
  BooleanField,
  DateTimeField,
  IntegerField,
  JsonObjectField,
  MAX_ID,
  TextField,
} from '../../platform/http/fields.js';
import { Closed } from '../../platform/http/validation.pipe.js';
import type { CredentialTest } from '../calls/credential-test.js';
import type { ModelCredential } from './model-credential.entity.js';
import type { CredentialChange } from './model-credentials.service.js';

const MAX_SECRET = 20_000;

export class ModelCredentialPath extends WorkspacePath {
  @IntegerField({ query: true, min: 1, max: MAX_ID })
  credential_id: number;
}

const NameField = (optional: boolean) =>
  TextField({
    optional,
    minLength: 1,
    maxLength: 100,
    description:
      'Which of the credentials of its provider it is. Columns name the one they use; others use the one that is called "default", or the only one.',
    example: 'default',
  });

const SecretField = (optional: boolean) =>
  TextField({
    optional,
    nullable: true,
    maxLength: MAX_SECRET,
    description:
      'The API key, or what the provider has instead: the key file of a service account as JSON, or an access key. It is stored encrypted and never shown again.',
    example: 'sk-example-0123456789',
  });

const BaseUrlField = () =>
  TextField({
    optional: true,
    nullable: true,
    minLength: 1,
    maxLength: 2000,
    description:
      'Where the API is, when it is not at the usual address of the vendor: a server of your own, or a gateway. It must lead to the public internet unless OUTBOUND_ALLOW_PRIVATE is on.',
    example: 'https://models.example.com/v1',
  });

const OptionsField = () =>
  JsonObjectField({
    optional: true,
    values: { type: 'string' },
    description:
      'What the provider needs besides: `region` for Bedrock, `project` and `location` for Vertex AI, `api_version` for Azure, `organization` and `project` for OpenAI.',
    example: {},
  });

const LimitField = (what: string, example: number) =>
  IntegerField({
    optional: true,
    nullable: true,
    min: 1,
    max: MAX_ID,
    description: `${what}, over all processes of the server. null for any number.`,
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
      'As the model of a prompt names it, such as `openai`, `anthropic` or `amazon.bedrock`; letter case does not matter. Any other name is a server that speaks the chat completions of OpenAI at its `base_url`.',
    example: 'openai',
  })
  provider: string;

  @NameField(false)
  declare name: string;
}

export class ModelCredentialBody {
  @IntegerField()
  id: number;

  @TextField()
  provider: string;

  @TextField()
  name: string;

  @TextField({ nullable: true })
  base_url: string | null;

  @TextField({ description: 'The last four characters of the secret; empty when it is short.' })
  last_4: string;

  @JsonObjectField({ values: { type: 'string' } })
  options: Record<string, string>;

  @IntegerField({ nullable: true })
  max_concurrency: number | null;

  @IntegerField({ nullable: true })
  requests_per_minute: number | null;

  @IntegerField({ nullable: true })
  tokens_per_minute: number | null;

  @DateTimeField()
  created_at: string;

  @DateTimeField()
  updated_at: string;
}

export class ModelCredentialResponse {
  @ApiProperty({ example: true })
  success: true;

  @ApiProperty({ type: () => ModelCredentialBody })
  model_credential: ModelCredentialBody;
}

export class ModelCredentialsResponse {
  @ApiProperty({ example: true })
  success: true;

  @ApiProperty({ type: () => [ModelCredentialBody] })
  model_credentials: ModelCredentialBody[];
}

export class ModelCredentialDeletedResponse {
  @ApiProperty({ example: true })
  success: true;
}

@Closed()
export class TestModelCredentialRequest {
  @TextField({ minLength: 1, maxLength: 255, description: 'The model that is called.', example: 'gpt-4.1-mini' })
  model: string;
}

export class TestModelCredentialResponse {
  @ApiProperty({ example: true })
  success: true;

  @BooleanField({ description: 'Whether the model answered.' })
  works: boolean;

  @TextField({ description: 'What happened, in words.' })
  message: string;

  @IntegerField({ description: 'How long it took, in milliseconds.' })
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
