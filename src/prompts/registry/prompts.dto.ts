import { ApiProperty } from '@nestjs/swagger';
import { CommonListQuery } from '../../entity-lists/index.js';
import { ExternalIdBody, ShownExternalIdsField } from '../../external-ids/index.js';
import { MetadataSchema, PromptSchema } from '../../llm/shared/blueprint.schema.js';
import {
  BodyIdField,
  CommitMessageField,
  FolderIdField,
  LabelQueryField,
  QueryIdField,
  SuccessField,
  VersionQueryField,
  WorkspaceIdField,
} from '../../platform/http/common-fields.js';
import {
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

/** The rest of the path after the prefix. `*` is the router's name for it. */
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

  @EnumField(['active', 'deleted', 'all'], {
    optional: true,
    query: true,
    default: 'active',
    description: '`active` leaves out deleted prompts, `deleted` lists only those.',
  })
  status?: 'active' | 'deleted' | 'all';

  @BooleanField({ optional: true, query: true, description: '`true` lists only snippets, `false` lists no snippets.' })
  is_snippet?: boolean;

  @BooleanField({
    optional: true,
    query: true,
    description:
      'Adds `llm_kwargs` to each prompt: `true` leaves variables in place, `false` replaces them with empty texts.',
  })
  skip_input_variable_rendering?: boolean;

  @BooleanField({
    optional: true,
    query: true,
    default: false,
    description: 'Whether to add `release_labels` to each prompt.',
  })
  include_labels?: boolean;
}

export class ReadPromptQuery {
  @VersionQueryField()
  version?: number;

  @LabelQueryField()
  label?: string;

  @BooleanField({ optional: true, query: true, default: true, description: 'Whether to expand snippets.' })
  resolve_snippets?: boolean;

  @BooleanField({
    optional: true,
    query: true,
    default: false,
    description: 'Whether to add `llm_kwargs`, the arguments for the client library of the provider.',
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
  @QueryIdField('Only uses of this version of the snippet.')
  prompt_version_number?: number;

  @QueryIdField('The workspace of the API key, which is also the default. Any other is a 403.')
  workspace_id?: number;
}

@NullableBody()
export class RenderPromptRequest {
  @BodyIdField('The number of a version. Default: the latest.')
  version?: number | null;

  @TextField({
    optional: true,
    nullable: true,
    maxLength: 255,
    description: 'A release label. Takes precedence over `version`.',
  })
  label?: string | null;

  @BodyIdField('The workspace of the API key, which is also the default. Any other is a 403.')
  workspace_id?: number | null;

  @TextField({
    optional: true,
    nullable: true,
    maxLength: 255,
    description: 'Build `llm_kwargs` for this provider instead of the one of the version.',
  })
  provider?: string | null;

  @TextField({
    optional: true,
    nullable: true,
    maxLength: 255,
    description: 'Build `llm_kwargs` for this model instead of the one of the version.',
  })
  model?: string | null;

  @JsonObjectField({
    optional: true,
    nullable: true,
    description:
      'The values of the variables, by name. A variable without a value becomes an empty text, and `warning` names it.',
    example: { name: 'Ada' },
  })
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
    description: 'Model parameters to add or replace in `llm_kwargs`.',
  })
  model_parameter_overrides?: JsonObject | null;

  @BooleanField({
    optional: true,
    nullable: true,
    default: false,
    description: 'Whether to leave variables in place instead of filling them in.',
  })
  skip_input_variable_rendering?: boolean | null;
}

class SnippetReferenceBody {
  @TextField({ description: 'The name of the snippet.' })
  prompt_name: string;

  @IntegerField({ description: 'The number of the version that was filled in.' })
  version: number;

  @TextField({
    nullable: true,
    description: 'The release label that the reference names; null when it names a version or the latest one.',
  })
  label: string | null;
}

export const VersionMetadataField = (): PropertyDecorator =>
  SchemaField(MetadataSchema, {
    nullable: true,
    description: 'The model that the version is meant for, and any further metadata; null if it was published without.',
  });

export const PromptTagsField = (): PropertyDecorator =>
  ListField('string', { description: 'The tags of the prompt, which all versions share.' });

/** Fields of every response with one version of a prompt. */
export class PromptVersionBody {
  @IntegerField({ description: 'The id of the prompt. It is the same for all its versions; see `prompt_version_id`.' })
  id: number;

  @TextField({ description: 'The name of the prompt, which is unique in the workspace.', example: 'greeting' })
  prompt_name: string;

  @IntegerField({ description: 'The number of the version, from 1.' })
  version: number;

  @IntegerField({ description: 'The id of the version, which is unique among the versions of all prompts.' })
  prompt_version_id: number;

  @WorkspaceIdField()
  workspace_id: number;

  @SchemaField(PromptSchema, { description: 'The messages or the text of the version.' })
  prompt_template: object;

  @VersionMetadataField()
  metadata: object | null;

  @CommitMessageField()
  commit_message: string | null;

  @PromptTagsField()
  tags: string[];

  @BooleanField({ description: 'True for a snippet: a text that other prompts import by its name.' })
  is_snippet: boolean;

  @FolderIdField('the prompt')
  folder_id: number | null;

  @DateTimeField({ description: 'When the version was published.' })
  created_at: string;

  @JsonObjectField({
    nullable: true,
    description:
      'Arguments for the client library of the provider; null unless requested, or if the version names no model.',
  })
  llm_kwargs: JsonObject | null;

  @ApiProperty({
    type: () => [SnippetReferenceBody],
    description: 'The snippets that were expanded. Empty if there were none.',
  })
  snippets: SnippetReferenceBody[];
}

export class ProviderBaseUrlBody {
  @IntegerField({ description: 'The id of the model credential.' })
  id: number;

  @TextField({ description: 'The name of the model credential.', example: 'default' })
  name: string;

  @TextField({ description: 'The provider that the credential is for.', example: 'openai' })
  provider: string;

  @TextField({ description: 'The address of the API of the provider.', example: 'https://llm.example.com/v1' })
  url: string;
}

export class RenderedPromptResponse extends PromptVersionBody {
  @TextField({
    nullable: true,
    description: 'Problems while filling in variables, such as missing values; null if there were none.',
  })
  warning: string | null;

  @ApiProperty({
    type: () => ProviderBaseUrlBody,
    nullable: true,
    description: 'The model credential that `provider_base_url_name` of the version names; null if it names none.',
  })
  provider_base_url: ProviderBaseUrlBody | null;

  @IntegerField({
    nullable: true,
    description: 'The `provider_id` that the version was published with; null when it has none.',
  })
  provider_id: number | null;

  @ApiProperty({ type: 'object', additionalProperties: true, nullable: true, description: 'Always null.' })
  custom_provider: null;

  @TextField({
    description: 'The id of this HTTP request, also in its `X-Request-Id` header and in the log of the server.',
  })
  request_id: string;
}

export class RawPromptResponse extends PromptVersionBody {
  @SuccessField()
  success: true;
}

export class PromptListItem extends PromptVersionBody {
  @TextField({ nullable: true, description: 'The name of the folder that the prompt is in; null at the top level.' })
  parent_folder_name: string | null;

  @TextField({
    nullable: true,
    description: 'The names of the folders of the prompt, joined with `/`; null at the top level.',
  })
  full_folder_path: string | null;

  @BooleanField({ description: 'True when the prompt was deleted.' })
  is_deleted: boolean;

  @ShownExternalIdsField()
  external_ids: ExternalIdBody[];

  @ApiProperty({
    type: () => [PromptLabelBody],
    required: false,
    description: 'The release labels of the prompt, by name. Only with `include_labels`.',
  })
  release_labels?: PromptLabelBody[];
}

export class PromptsResponse extends NumberedPage {
  @ApiProperty({
    type: () => [PromptListItem],
    description: 'The prompts of the page, each with its latest version, or with the one that has the given `label`.',
  })
  items: PromptListItem[];
}

class SnippetUse {
  @IntegerField({ description: 'The id of a prompt that imports the snippet.' })
  prompt_registry_id: number;

  @TextField({ description: 'The name of that prompt.' })
  prompt_name: string;

  @ListField('integer', { description: 'The versions of the prompt that import the snippet, by number.' })
  version_numbers: number[];
}

class SnippetLabelUse {
  @IntegerField({ description: 'The id of a prompt that imports the snippet.' })
  prompt_registry_id: number;

  @TextField({ description: 'The name of that prompt.' })
  prompt_name: string;

  @TextField({ description: 'The release label that points to a version with the snippet.' })
  label_name: string;
}

export class SnippetUsageResponse {
  @SuccessField()
  success: true;

  @TextField({ description: 'The number of prompts that use the snippet, as a sentence.' })
  message: string;

  @TextField({ description: 'The name of the snippet.' })
  snippet_name: string;

  @ApiProperty({
    type: () => [SnippetUse],
    description: 'The prompts that import the snippet in any version, by name.',
  })
  snippet_usage: SnippetUse[];

  @IntegerField({ description: 'The number of items in `snippet_usage`.' })
  total_prompts_using_snippet: number;

  @ApiProperty({
    type: () => [SnippetLabelUse],
    description:
      'The release labels that point to a version with the snippet, by prompt and name: what is affected in use.',
  })
  label_usage: SnippetLabelUse[];

  @IntegerField({ description: 'The number of items in `label_usage`.' })
  total_labels_using_snippet: number;
}
