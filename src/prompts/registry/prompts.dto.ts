import { ApiProperty } from '@nestjs/swagger';
import { CommonListQuery } from '../../entity-lists/index.js';
import { ExternalIdBody } from '../../external-ids/index.js';
import { MetadataSchema, PromptSchema } from '../../llm/blueprint.schema.js';
import {
  MAX_ID,
  BooleanField,
  DateTimeField,
  EnumField,
  IntegerField,
  JsonObjectField,
  ListField,
  TextField,
} from '../../platform/http/fields.js';
import { TagsQueryField } from '../../platform/http/tags-query.js';
import { NumberedPage, PageField, PerPageField } from '../../platform/http/numbered-page.js';
import { SchemaField } from '../../platform/http/schema-field.js';
import { NullableBody } from '../../platform/http/validation.pipe.js';
import type { JsonObject } from '../../platform/json.js';
import { PromptLabelBody } from '../labels/labels.dto.js';

export class PromptPath {
  @TextField({ query: true, minLength: 1, maxLength: 512, description: 'The name of the prompt, or its id.' })
  identifier: string;
}

/** What follows the prefix, as the router calls it. */
export class UnencodedPromptPath {
  @TextField({ query: true, minLength: 1, maxLength: 512, description: 'The name of the prompt, or its id.' })
  '*': string;
}

export class ListPromptsQuery extends CommonListQuery {
  @PageField()
  page?: number;

  @PerPageField(30)
  per_page?: number;

  @TextField({ optional: true, query: true, maxLength: 255, description: 'Only prompts with this release label.' })
  label?: string;

  @TextField({
    optional: true,
    query: true,
    maxLength: 512,
    description: 'Only prompts whose name contains this. Letter case does not matter.',
  })
  name?: string;

  @TagsQueryField('prompts')
  tags?: string[];

  @EnumField(['active', 'deleted', 'all'], { optional: true, query: true, default: 'active' })
  status?: 'active' | 'deleted' | 'all';

  @BooleanField({ optional: true, query: true, description: '`true` lists only snippets, `false` lists no snippets.' })
  is_snippet?: boolean;

  @BooleanField({
    optional: true,
    query: true,
    description:
      'Adds the arguments for the client of each model. `true` leaves the variables in them in place, `false` replaces them by empty texts.',
  })
  skip_input_variable_rendering?: boolean;

  @BooleanField({ optional: true, query: true, default: false, description: 'Adds `release_labels` to each prompt.' })
  include_labels?: boolean;
}

export class ReadPromptQuery {
  @IntegerField({ optional: true, query: true, min: 1, max: MAX_ID, description: 'The latest version by default.' })
  version?: number;

  @TextField({ optional: true, query: true, maxLength: 255, description: 'A release label, in place of `version`.' })
  label?: string;

  @BooleanField({ optional: true, query: true, default: true, description: 'Whether snippets are filled in.' })
  resolve_snippets?: boolean;

  @BooleanField({
    optional: true,
    query: true,
    default: false,
    description: "Add the arguments for the model's client.",
  })
  include_llm_kwargs?: boolean;

  @BooleanField({
    optional: true,
    query: true,
    description: 'Accepted and ignored: variables are never filled in here.',
  })
  skip_input_variable_rendering?: boolean;
}

export class SnippetUsageQuery {
  @IntegerField({
    optional: true,
    query: true,
    min: 1,
    max: MAX_ID,
    description: 'Only uses of this version of the snippet.',
  })
  prompt_version_number?: number;

  @IntegerField({ optional: true, query: true, min: 1, max: MAX_ID })
  workspace_id?: number;
}

@NullableBody()
export class RenderPromptRequest {
  @IntegerField({ optional: true, nullable: true, min: 1, max: MAX_ID, description: 'The latest version by default.' })
  version?: number | null;

  @TextField({ optional: true, nullable: true, maxLength: 255, description: 'Takes precedence over `version`.' })
  label?: string | null;

  @IntegerField({ optional: true, nullable: true, min: 1, max: MAX_ID })
  workspace_id?: number | null;

  @TextField({
    optional: true,
    nullable: true,
    maxLength: 255,
    description: 'Make `llm_kwargs` for the client of this provider.',
  })
  provider?: string | null;

  @TextField({ optional: true, nullable: true, maxLength: 255, description: 'Make `llm_kwargs` for this model.' })
  model?: string | null;

  @JsonObjectField({ optional: true, nullable: true, example: { name: 'Ada' } })
  input_variables?: JsonObject | null;

  @JsonObjectField({
    optional: true,
    nullable: true,
    description:
      'Metadata of the request, by which an A/B release on `label` chooses the version. Values that are no text are compared as JSON.',
    example: { plan: 'pro' },
  })
  metadata_filters?: JsonObject | null;

  @JsonObjectField({
    optional: true,
    nullable: true,
    description: 'Parameters of the model that are added or replaced in `llm_kwargs`.',
  })
  model_parameter_overrides?: JsonObject | null;

  @BooleanField({
    optional: true,
    nullable: true,
    default: false,
    description: 'Leaves the variables in place instead of filling them in.',
  })
  skip_input_variable_rendering?: boolean | null;
}

class SnippetReferenceBody {
  @TextField()
  prompt_name: string;

  @IntegerField()
  version: number;

  @TextField({ nullable: true })
  label: string | null;
}

/** What every answer with one version of a prompt says. */
export class PromptVersionBody {
  @IntegerField()
  id: number;

  @TextField({ example: 'greeting' })
  prompt_name: string;

  @IntegerField()
  version: number;

  @IntegerField()
  prompt_version_id: number;

  @IntegerField()
  workspace_id: number;

  @SchemaField(PromptSchema)
  prompt_template: object;

  @SchemaField(MetadataSchema, { nullable: true })
  metadata: object | null;

  @TextField({ nullable: true })
  commit_message: string | null;

  @ListField('string')
  tags: string[];

  @BooleanField()
  is_snippet: boolean;

  @IntegerField({ nullable: true })
  folder_id: number | null;

  @DateTimeField({ description: 'When the version was published.' })
  created_at: string;

  @JsonObjectField({ nullable: true, description: "Arguments for the client of the model's provider." })
  llm_kwargs: JsonObject | null;

  @ApiProperty({ type: () => [SnippetReferenceBody], description: 'The snippets that were filled in.' })
  snippets: SnippetReferenceBody[];
}

export class ProviderBaseUrlBody {
  @IntegerField()
  id: number;

  @TextField({ example: 'default' })
  name: string;

  @TextField({ example: 'openai' })
  provider: string;

  @TextField({ example: 'https://llm.example.com/v1' })
  url: string;
}

export class RenderedPromptResponse extends PromptVersionBody {
  @TextField({ nullable: true, description: 'What went wrong while variables were filled in.' })
  warning: string | null;

  @ApiProperty({
    type: () => ProviderBaseUrlBody,
    nullable: true,
    description:
      'Where the model is called: the address of the credential that `provider_base_url_name` of the version names.',
  })
  provider_base_url: ProviderBaseUrlBody | null;

  @IntegerField({ nullable: true })
  provider_id: number | null;

  @ApiProperty({ type: 'object', additionalProperties: true, nullable: true, description: 'Always null.' })
  custom_provider: null;

  @TextField({ description: 'The id of this request in the log of the server.' })
  request_id: string;
}

export class RawPromptResponse extends PromptVersionBody {
  @ApiProperty({ example: true })
  success: true;
}

export class PromptListItem extends PromptVersionBody {
  @TextField({ nullable: true })
  parent_folder_name: string | null;

  @TextField({ nullable: true, description: 'The names of its folders, joined with "/".' })
  full_folder_path: string | null;

  @BooleanField()
  is_deleted: boolean;

  @ApiProperty({ type: () => [ExternalIdBody] })
  external_ids: ExternalIdBody[];

  @ApiProperty({
    type: () => [PromptLabelBody],
    required: false,
    description: 'By name. Only there when it was asked for.',
  })
  release_labels?: PromptLabelBody[];
}

export class PromptsResponse extends NumberedPage {
  @ApiProperty({ type: () => [PromptListItem] })
  items: PromptListItem[];
}

class SnippetUse {
  @IntegerField()
  prompt_registry_id: number;

  @TextField()
  prompt_name: string;

  @ListField('integer')
  version_numbers: number[];
}

class SnippetLabelUse {
  @IntegerField()
  prompt_registry_id: number;

  @TextField()
  prompt_name: string;

  @TextField()
  label_name: string;
}

export class SnippetUsageResponse {
  @ApiProperty({ example: true })
  success: true;

  @TextField()
  message: string;

  @TextField()
  snippet_name: string;

  @ApiProperty({ type: () => [SnippetUse] })
  snippet_usage: SnippetUse[];

  @IntegerField()
  total_prompts_using_snippet: number;

  @ApiProperty({ type: () => [SnippetLabelUse] })
  label_usage: SnippetLabelUse[];

  @IntegerField()
  total_labels_using_snippet: number;
}
