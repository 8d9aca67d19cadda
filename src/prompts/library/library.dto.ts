import { z } from 'zod';
import { BodyKeyField } from '../../platform/http/body-key.js';
import type { Prompt } from '../../llm/shared/blueprint.js';
import { MetadataSchema, PromptSchema } from '../../llm/shared/blueprint.schema.js';
import { SuccessField } from '../../platform/http/common-fields.js';
import { EXAMPLE_PROMPT } from '../../platform/example-data.js';
import { MAX_ID, IntegerField, ListField, TextField } from '../../platform/http/fields.js';
import { boundedText, parseWith, SchemaField } from '../../platform/http/schema-field.js';
import type { PromptMetadata } from '../shared/prompt.entity.js';
import { COMMIT_MESSAGE_LENGTH, type PublishPromptRequest } from '../registry/publish.dto.js';
import { fromLibraryChat, fromLibraryText } from './library-template.js';
import { LibraryChatSchema, LibraryTemplateSchema, LibraryTextSchema } from './library-template.schema.js';

/** A template as older clients publish it, or a prompt of the registry. The parsed value is a prompt. */
const PublishedTemplateSchema = z
  .unknown()
  .transform((value, context) => {
    const format = formatOf(value);
    if (!format) return value;
    const parsed = parseWith(format, value);
    if (parsed.success) return parsed.data;
    context.issues.push(...parsed.error.issues.map((issue) => ({ ...issue, input: undefined })));
    return z.NEVER;
  })
  .pipe(PromptSchema)
  .meta({
    oneOf: ['LibraryChat', 'LibraryText', 'PromptTemplate'].map((name) => ({ $ref: `#/components/schemas/${name}` })),
  });

/** The older format of a template. Null for a prompt of the registry, which has a `type`. */
function formatOf(value: unknown): z.ZodType | null {
  if (typeof value !== 'object' || value === null || 'type' in value) return null;
  if ('messages' in value) return LibraryChatSchema.transform(fromLibraryChat);
  return LibraryTextSchema.transform(fromLibraryText);
}

export class LibraryPromptQuery {
  @TextField({ query: true, minLength: 1, maxLength: 512, example: EXAMPLE_PROMPT })
  prompt_name: string;

  @IntegerField({
    optional: true,
    query: true,
    emptyIsAbsent: true,
    min: 1,
    max: MAX_ID,
    description: 'The latest version by default. Empty is the same as absent.',
  })
  version?: number;

  @TextField({ optional: true, query: true, maxLength: 255, description: 'Takes precedence over `version`.' })
  label?: string;
}

export class LibraryPromptResponse {
  @IntegerField({ description: 'The id of the prompt.' })
  id: number;

  @TextField({ description: 'The name of the prompt.', example: 'greeting' })
  prompt_name: string;

  @IntegerField({ description: 'The number of the version.' })
  version: number;

  @SchemaField(LibraryTemplateSchema, {
    description: 'The version in the format of the older library, variables in place.',
  })
  prompt_template: object;

  @SchemaField(MetadataSchema, {
    nullable: true,
    description: 'The model of the version, and other keys; null for none.',
  })
  metadata: object | null;

  @TextField({ nullable: true, description: 'Commit message of the version; null if it has none.' })
  commit_message: string | null;

  @ListField('string', { description: 'The tags of the prompt.' })
  tags: string[];
}

const EXAMPLE_TEMPLATE = {
  input_variables: ['name'],
  template: 'Greet {name} and ask what they are looking for.',
  template_format: 'f-string',
};

export class PublishLibraryPromptRequest {
  @BodyKeyField()
  api_key?: string | null;

  @SchemaField(boundedText(1, 512), {
    description: 'The name of the prompt. A new name makes a new prompt.',
    example: 'greeting-text',
  })
  prompt_name: string;

  @SchemaField(PublishedTemplateSchema, {
    description: 'In the format of the older library, or as `POST /rest/prompt-templates` takes it.',
    example: EXAMPLE_TEMPLATE,
  })
  prompt_template: Prompt;

  @SchemaField(boundedText(0, COMMIT_MESSAGE_LENGTH), {
    optional: true,
    nullable: true,
    description: 'Commit message of the version.',
    example: 'First version',
  })
  commit_message?: string | null;

  @SchemaField(z.array(boundedText(1, 255)).max(100), {
    optional: true,
    nullable: true,
    description: 'Tags to add to the prompt.',
    example: ['support'],
  })
  tags?: string[] | null;

  @SchemaField(MetadataSchema, {
    optional: true,
    nullable: true,
    description: 'The model that the version is meant for, and other keys.',
  })
  metadata?: PromptMetadata | null;
}

export class PublishLibraryPromptResponse {
  @SuccessField()
  success: true;

  @IntegerField({ description: 'The prompt.' })
  id: number;
}

export function toPublishRequest(body: PublishLibraryPromptRequest): PublishPromptRequest {
  const { prompt_name, prompt_template, commit_message, tags, metadata } = body;
  return {
    prompt_template: { prompt_name, tags: [...new Set(tags ?? [])] },
    prompt_version: { prompt_template, commit_message, metadata },
  };
}
