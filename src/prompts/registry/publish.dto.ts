import { z } from 'zod';
import { ExternalIdBody, ExternalIdsField, ShownExternalIdsField } from '../../external-ids/index.js';
import type { Prompt } from '../../llm/shared/blueprint.js';
import { MessageSchema, MetadataSchema, ModelSchema, PromptSchema } from '../../llm/shared/blueprint.schema.js';
import { ContentPartSchema } from '../../llm/shared/content-part.schema.js';
import { BodyIdField, CommitMessageField, FolderIdField, WorkspaceIdField } from '../../platform/http/common-fields.js';
import { MAX_ID, IntegerField, JsonField, JsonObjectField, ListField, TextField } from '../../platform/http/fields.js';
import { ReleaseLabelsField } from '../../platform/http/release-labels.js';
import { boundedText, SchemaField } from '../../platform/http/schema-field.js';
import type { JsonObject, JsonValue } from '../../platform/json.js';
import type { PromptMetadata } from '../shared/prompt.entity.js';
import { PromptTagsField, VersionMetadataField } from './prompts.dto.js';

export const COMMIT_MESSAGE_LENGTH = 72;

const id = z.int().min(1).max(MAX_ID).nullish();
const name255 = z.string().max(255).nullish();
const commitMessage = boundedText(0, COMMIT_MESSAGE_LENGTH).nullish();

const PromptHeadSchema = z
  .object({
    prompt_name: boundedText(1, 512).meta({ description: 'The name of the prompt, unique in the workspace.' }),
    tags: z
      .array(boundedText(1, 255))
      .max(100)
      .nullish()
      .transform((tags) => [...new Set(tags ?? [])])
      .meta({ description: 'Tags to find the prompt by, each once. Without tags those of an existing prompt stay.' }),
    folder_id: id.meta({
      description: 'The folder for the prompt. Default: no change, or the top level for a new prompt.',
    }),
    workspace_id: id.meta({
      description: 'The workspace of the API key, which is also the default. Any other is a 403.',
    }),
    is_snippet: z.boolean().nullish().meta({
      description:
        'Whether the prompt is a snippet, which has to be a completion prompt. Only the first version of a prompt can set this.',
    }),
  })
  .meta({ id: 'PublishedPrompt' });

const ModelNameSchema = ModelSchema.pick({ provider: true, name: true }).strict().meta({ id: 'PromptModelName' });

/** Which model a version is for. */
export type ModelName = z.output<typeof ModelNameSchema>;

const PromptContentSchema = z
  .object({
    prompt_template: PromptSchema.meta({ description: 'The messages of a chat, or one text.' }),
    commit_message: commitMessage.meta({ description: 'The commit message: a sentence about the change.' }),
    metadata: MetadataSchema.nullish().meta({
      description: 'The model that the version is meant for, and anything else.',
    }),
    provider_base_url_name: name255.meta({ description: 'The name of the model credential to call the model with.' }),
    inference_client_name: name255.meta({ description: 'Kept with the version, for clients; nothing reads it.' }),
    provider_id: id.meta({ description: 'Kept with the version, and answered when it is rendered.' }),
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
  @SchemaField(PromptHeadSchema, {
    description: 'The prompt that gets the version: its name, tags and folder.',
    example: EXAMPLE_HEAD,
  })
  prompt_template: PublishedHead;

  @SchemaField(PromptContentSchema, { description: 'The content of the new version.', example: EXAMPLE_VERSION })
  prompt_version: PublishedContent;

  @ReleaseLabelsField()
  release_labels?: string[] | null;

  @ExternalIdsField({ optional: true, nullable: true })
  external_ids?: ExternalIdBody[] | null;

  @SchemaField(SnippetOverridesSchema, {
    optional: true,
    nullable: true,
    description: 'Texts to use in place of snippets in this version, by the name of the snippet.',
  })
  snippet_overrides?: Record<string, string> | null;
}

const listOrChanges = (item: z.ZodType) => z.union([z.array(item), z.record(z.string().regex(/^\d{1,9}$/), item)]);
listOrChanges(MessageSchema).meta({ id: 'PatchedMessages' });
listOrChanges(ContentPartSchema).meta({ id: 'PatchedContent' });

export class PatchPromptRequest {
  @BodyIdField('The number of the version to start from. Default: the latest.')
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
    description:
      'The messages of a chat prompt. A list replaces all messages; an object replaces those at its keys, which are indexes from 0.',
    example: { '1': { role: 'user', content: [{ type: 'text', text: 'Greet {name} in one sentence.' }] } },
  })
  messages?: JsonValue;

  @JsonField({
    optional: true,
    nullable: true,
    description: 'The tools, patched like `messages`; null removes them all.',
  })
  tools?: JsonValue;

  @JsonField({
    optional: true,
    nullable: true,
    description: 'The functions, patched like `messages`; null removes them all.',
  })
  functions?: JsonValue;

  @JsonField({
    optional: true,
    nullable: true,
    description: 'Which function the model has to call; null removes the choice. Only for chat prompts.',
  })
  function_call?: JsonValue;

  @JsonField({
    optional: true,
    nullable: true,
    description: 'Which tool the model has to call; null removes the choice. Only for chat prompts.',
  })
  tool_choice?: JsonValue;

  @JsonField({
    optional: true,
    nullable: true,
    like: 'PatchedContent',
    description: 'The content of a completion prompt, patched like `messages`.',
  })
  content?: JsonValue;

  @SchemaField(ModelNameSchema, {
    optional: true,
    description:
      'The model of the new version. The parameters stay, with the changes of this patch, and so does `api_type` unless the provider changes. Without it the model stays.',
    example: { provider: 'openai', name: 'gpt-4.1-mini' },
  })
  model?: ModelName;

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
    description: 'The response format of the model; null removes it.',
  })
  response_format?: JsonObject | null;

  @SchemaField(boundedText(0, COMMIT_MESSAGE_LENGTH), {
    optional: true,
    nullable: true,
    description: 'The commit message of the new version. Without it the version has none.',
    example: 'Shorter',
  })
  commit_message?: string | null;

  @ReleaseLabelsField()
  release_labels?: string[] | null;
}

export class PublishPromptResponse {
  @IntegerField({ description: 'The id of the prompt. It is the same for all its versions.' })
  id: number;

  @TextField({ description: 'The name of the prompt.', example: 'greeting' })
  prompt_name: string;

  @IntegerField({ description: 'The number of the new version.' })
  version_number: number;

  @IntegerField({ description: 'The id of the new version.' })
  prompt_version_id: number;

  @SchemaField(PromptSchema, { description: 'The prompt as it was stored.' })
  prompt_template: object;

  @VersionMetadataField()
  metadata: object | null;

  @CommitMessageField()
  commit_message: string | null;

  @PromptTagsField()
  tags: string[];

  @ListField('string', { nullable: true, description: 'The release labels of the request; null if it had none.' })
  release_labels: string[] | null;

  @ShownExternalIdsField()
  external_ids: ExternalIdBody[];

  @WorkspaceIdField()
  workspace_id: number;

  @FolderIdField('the prompt')
  folder_id: number | null;
}
