import { ApiProperty } from '@nestjs/swagger';
import { z } from 'zod';
import { ExternalIdBody, ExternalIdsField } from '../../external-ids/index.js';
import type { Prompt } from '../../llm/blueprint.js';
import { MessageSchema, MetadataSchema, PromptSchema } from '../../llm/blueprint.schema.js';
import { ContentPartSchema } from '../../llm/content-part.schema.js';
import { MAX_ID, IntegerField, JsonField, JsonObjectField, ListField, TextField } from '../../platform/http/fields.js';
import { ReleaseLabelsField } from '../../platform/http/release-labels.js';
import { boundedText, SchemaField } from '../../platform/http/schema-field.js';
import type { JsonObject, JsonValue } from '../../platform/json.js';
import type { PromptMetadata } from './prompt.entity.js';

export const COMMIT_MESSAGE_LENGTH = 72;

const id = z.int().min(1).max(MAX_ID).nullish();
const name255 = z.string().max(255).nullish();
const commitMessage = boundedText(0, COMMIT_MESSAGE_LENGTH).nullish();

const PromptHeadSchema = z
  .object({
    prompt_name: boundedText(1, 512),
    tags: z
      .array(boundedText(1, 255))
      .max(100)
      .nullish()
      .transform((tags) => [...new Set(tags ?? [])]),
    folder_id: id.meta({ description: 'The folder to put it into; without it a new prompt is at the top.' }),
    workspace_id: id,
    is_snippet: z
      .boolean()
      .nullish()
      .meta({ description: 'Only the first version of a prompt can set this. Snippets are completion prompts.' }),
  })
  .meta({ id: 'PublishedPrompt' });

const PromptContentSchema = z
  .object({
    prompt_template: PromptSchema,
    commit_message: commitMessage,
    metadata: MetadataSchema.nullish(),
    provider_base_url_name: name255,
    inference_client_name: name255,
    provider_id: id,
    report_id: id.meta({ description: 'An evaluation to run for the new version.' }),
  })
  .meta({ id: 'PublishedVersion' });

const SnippetOverridesSchema = z.record(z.string(), z.string());

type PublishedHead = z.output<typeof PromptHeadSchema>;
type PublishedContent = Omit<z.output<typeof PromptContentSchema>, 'prompt_template' | 'metadata'> & {
  prompt_template: Prompt;
  metadata?: PromptMetadata | null;
};

const EXAMPLE_HEAD = { prompt_name: 'greeting', tags: ['support'] };
const EXAMPLE_VERSION = {
  prompt_template: {
    type: 'chat',
    messages: [
      { role: 'system', content: [{ type: 'text', text: 'You answer customers of a bookshop.' }] },
      { role: 'user', content: [{ type: 'text', text: 'Greet {name} and ask what they are looking for.' }] },
    ],
  },
  commit_message: 'First version',
  metadata: { model: { provider: 'openai', name: 'gpt-4o-mini', parameters: { temperature: 0.2 } } },
};

export class PublishPromptRequest {
  @SchemaField(PromptHeadSchema, { example: EXAMPLE_HEAD })
  prompt_template: PublishedHead;

  @SchemaField(PromptContentSchema, { example: EXAMPLE_VERSION })
  prompt_version: PublishedContent;

  @ReleaseLabelsField()
  release_labels?: string[] | null;

  @ExternalIdsField({ optional: true, nullable: true })
  external_ids?: ExternalIdBody[] | null;

  @SchemaField(SnippetOverridesSchema, {
    optional: true,
    nullable: true,
    description: 'Texts that replace snippets in this version, by the name of the snippet.',
  })
  snippet_overrides?: Record<string, string> | null;
}

const listOrChanges = (item: z.ZodType) => z.union([z.array(item), z.record(z.string().regex(/^\d{1,9}$/), item)]);
listOrChanges(MessageSchema).meta({ id: 'PatchedMessages' });
listOrChanges(ContentPartSchema).meta({ id: 'PatchedContent' });

export class PatchPromptRequest {
  @IntegerField({
    optional: true,
    nullable: true,
    min: 1,
    max: MAX_ID,
    description: 'The number of the version to start from.',
  })
  version?: number | null;

  @TextField({
    optional: true,
    nullable: true,
    minLength: 1,
    maxLength: 255,
    description: 'A release label of the version to start from, in place of its number.',
  })
  label?: string | null;

  @JsonField({
    optional: true,
    nullable: true,
    like: 'PatchedMessages',
    description: 'A list replaces all messages; an object replaces those at its keys, counted from 0.',
    example: { '1': { role: 'user', content: [{ type: 'text', text: 'Greet {name} in one sentence.' }] } },
  })
  messages?: JsonValue;

  @JsonField({ optional: true, nullable: true, description: 'Patched like `messages`; null removes them.' })
  tools?: JsonValue;

  @JsonField({ optional: true, nullable: true, description: 'Patched like `messages`; null removes them.' })
  functions?: JsonValue;

  @JsonField({ optional: true, nullable: true })
  function_call?: JsonValue;

  @JsonField({ optional: true, nullable: true })
  tool_choice?: JsonValue;

  @JsonField({
    optional: true,
    nullable: true,
    like: 'PatchedContent',
    description: 'The content of a completion prompt, patched like `messages`.',
  })
  content?: JsonValue;

  @JsonObjectField({
    optional: true,
    nullable: true,
    description: 'Parameters of the model that are added or replaced. Others stay; null is a value like others.',
  })
  model_parameters?: JsonObject | null;

  @ListField('string', {
    optional: true,
    nullable: true,
    maxItems: 100,
    description: 'Names of parameters of the model that are removed. Those that the version does not have are ignored.',
    example: ['temperature'],
  })
  removed_model_parameters?: string[] | null;

  @JsonObjectField({
    optional: true,
    nullable: true,
    description: 'Replaces this parameter of the model; null removes it.',
  })
  response_format?: JsonObject | null;

  @SchemaField(boundedText(0, COMMIT_MESSAGE_LENGTH), { optional: true, nullable: true, example: 'Shorter' })
  commit_message?: string | null;

  @ReleaseLabelsField()
  release_labels?: string[] | null;
}

export class PublishPromptResponse {
  @IntegerField()
  id: number;

  @TextField({ example: 'greeting' })
  prompt_name: string;

  @IntegerField()
  version_number: number;

  @IntegerField()
  prompt_version_id: number;

  @SchemaField(PromptSchema, { description: 'As it was stored.' })
  prompt_template: object;

  @SchemaField(MetadataSchema, { nullable: true })
  metadata: object | null;

  @TextField({ nullable: true })
  commit_message: string | null;

  @ListField('string')
  tags: string[];

  @ListField('string', { nullable: true, description: 'The labels that were sent.' })
  release_labels: string[] | null;

  @ApiProperty({ type: () => [ExternalIdBody] })
  external_ids: ExternalIdBody[];

  @IntegerField()
  workspace_id: number;

  @IntegerField({ nullable: true })
  folder_id: number | null;
}
