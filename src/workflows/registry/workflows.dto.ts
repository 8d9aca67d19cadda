import { ApiProperty } from '@nestjs/swagger';
import { z } from 'zod';
import { CommonListQuery } from '../../entity-lists/index.js';
import { ExternalIdBody } from '../../external-ids/index.js';
import {
  BooleanField,
  componentOf,
  DateTimeField,
  EnumField,
  IntegerField,
  JsonObjectField,
  ListField,
  MAX_ID,
  TextField,
} from '../../platform/http/fields.js';
import { TagsQueryField } from '../../platform/http/tags-query.js';
import {
  CreatedAtField,
  FolderIdField,
  QueryIdField,
  SavedAtField,
  SuccessField,
  UpdatedAtField,
  WorkspaceIdField,
} from '../../platform/http/common-fields.js';
import { NumberedPage, PageField, PerPageField } from '../../platform/http/numbered-page.js';
import type { JsonObject } from '../../platform/json.js';
import { RUN_STATUSES, type RunStatus } from '../shared/run-status.js';
import { OPERATORS } from './workflow-graph.js';

export class WorkflowPath {
  @TextField({ query: true, minLength: 1, description: 'The id of the workflow, or its name.' })
  workflow_id_or_name: string;
}

export class WorkflowVersionQuery {
  @QueryIdField('Number of the version to read. Default: the latest.')
  version?: number;

  @TextField({
    optional: true,
    query: true,
    maxLength: 255,
    description: 'Release label of the version to read, instead of its number.',
  })
  label?: string;
}

export class ListWorkflowsQuery extends CommonListQuery {
  @PageField()
  page?: number;

  @PerPageField(30)
  per_page?: number;

  @TextField({
    optional: true,
    query: true,
    maxLength: 255,
    description: 'Only workflows whose name contains this text, in any letter case.',
  })
  name?: string;

  @TagsQueryField('workflows')
  tags?: string[];

  @EnumField(['active', 'deleted', 'all'], {
    optional: true,
    query: true,
    default: 'active',
    description: 'Which workflows to list: those in use, deleted ones, or both.',
  })
  status?: 'active' | 'deleted' | 'all';
}

export const NODE_NAME = 'Name of the node, unique among the nodes and inputs of the version.';
export const NODE_TYPE = 'Column type that computes the node: one of the names in `GET /api/public/v2/column-types`.';
export const IS_OUTPUT_NODE = 'Whether the value of the node is a result of the workflow.';

/** Name of the schema for one side of a condition. */
const SIDE = 'WorkflowConditionSide';
z.discriminatedUnion('type', [
  z
    .object({
      type: z.literal('source').meta({ description: 'Compares the value of an input or a node.' }),
      source: z
        .object({ name: z.string().meta({ description: 'An input, or a node that the target depends on.' }) })
        .meta({ description: 'Where the value comes from.' }),
    })
    .meta({ id: 'WorkflowConditionSource' }),
  z
    .object({
      type: z.literal('static_value').meta({ description: 'Compares a fixed value.' }),
      static_value: z.unknown().meta({ allOf: [componentOf('ConfigValue')], description: 'The value: any JSON.' }),
    })
    .meta({ id: 'WorkflowConditionValue' }),
]).meta({ id: SIDE, description: 'One side of a condition: a value of the run, or a fixed one.' });

export class WorkflowConditionalBody {
  @IntegerField({ min: 0, max: MAX_ID, description: 'Conditions are ordered by it, ascending.', example: 0 })
  position: number;

  @EnumField(OPERATORS, {
    description:
      'How the sides are compared. `is_null` and `is_not_null` look at the left side only; `in` and `not_in` look for the left side in a list, a text or the keys of an object.',
    example: '=',
  })
  operator: (typeof OPERATORS)[number];

  @JsonObjectField({
    like: SIDE,
    description: 'Left side of the comparison.',
    example: { type: 'source', source: { name: 'Words' } },
  })
  left_config: JsonObject;

  @JsonObjectField({
    like: SIDE,
    optional: true,
    nullable: true,
    description: 'Right side of the comparison; missing or null for `is_null` and `is_not_null`.',
    example: { type: 'static_value', static_value: 5 },
  })
  right_config?: JsonObject | null;
}

export class WorkflowEdgeBody {
  @TextField({ description: 'Name of an input or a node that the target depends on.', example: 'Words' })
  source_node_name: string;

  @TextField({ description: 'Name of the node that runs only when the conditions hold.', example: 'Letter' })
  target_node_name: string;

  @BooleanField({ description: 'Whether all conditions have to hold (true), or any of them (false).' })
  is_and: boolean;

  @ListField(() => WorkflowConditionalBody, { minItems: 1, maxItems: 50, description: 'The conditions of the edge.' })
  conditionals: WorkflowConditionalBody[];
}

export class LastRunBody {
  @IntegerField({ description: 'Id of the run.' })
  workflow_version_execution_id: number;

  @EnumField(RUN_STATUSES, { description: '`finished` once every node is final, also when some have failed.' })
  status: RunStatus;

  @DateTimeField({ description: 'When the run was started.' })
  created_at: string;
}

class WorkflowIdsBody {
  @IntegerField({ description: 'Id of the workflow.' })
  id: number;

  @WorkspaceIdField()
  workspace_id: number;

  @IntegerField({
    nullable: true,
    description: 'Id of the API key that created the workflow; null when it was created without one.',
  })
  user_id: number | null;
}

export class ListedWorkflowBody extends WorkflowIdsBody {
  @TextField({ description: 'Name of the workflow, unique in the workspace.', example: 'triage' })
  name: string;

  @BooleanField({ description: 'Whether the workflow was deleted.' })
  is_deleted: boolean;

  @IntegerField({ nullable: true, description: 'Number of the newest version, from 1.' })
  latest_version_number: number | null;

  @ListField('string', { description: 'Names of all release labels of the workflow, sorted.' })
  release_labels: string[];

  @ListField('string', { description: 'Tags of the workflow.' })
  tags: string[];

  @ApiProperty({ type: () => LastRunBody, nullable: true, description: 'The newest run; null without one.' })
  last_run: LastRunBody | null;

  @FolderIdField('the workflow')
  folder_id: number | null;

  @CreatedAtField('the workflow')
  created_at: string;

  @UpdatedAtField('the workflow')
  updated_at: string;

  @ApiProperty({ type: () => [ExternalIdBody], description: 'The external IDs attached to the workflow.' })
  external_ids: ExternalIdBody[];
}

export class WorkflowsResponse extends NumberedPage {
  @ApiProperty({ type: () => [ListedWorkflowBody], description: 'The workflows of this page, the newest first.' })
  items: ListedWorkflowBody[];
}

export class WorkflowLabelBody {
  @IntegerField({ description: 'Id of the label on this workflow.' })
  release_label_id: number;

  @TextField({ description: 'Name of the label.', example: 'production' })
  release_label: string;

  @IntegerField({ description: 'Id of the version that the label is on.' })
  workflow_version_id: number;

  @IntegerField({ description: 'Number of the version that the label is on.' })
  workflow_version_number: number;
}

export class WorkflowLabelsResponse {
  @SuccessField()
  success: true;

  @ApiProperty({ type: () => [WorkflowLabelBody], description: 'The labels, sorted by name.' })
  release_labels: WorkflowLabelBody[];
}

class WorkflowNodeDetailBody {
  @TextField({ description: 'Id of the node. The same node has another id in every version.' })
  id: string;

  @IntegerField({ description: 'Id of the version that the node belongs to.' })
  workflow_version_id: number;

  @TextField({ description: NODE_NAME })
  name: string;

  @TextField({ description: NODE_TYPE, example: 'COUNT' })
  node_type: string;

  @BooleanField({ description: IS_OUTPUT_NODE })
  is_output_node: boolean;

  @JsonObjectField({ like: 'ColumnConfig', description: 'The config of that column type, as it was given.' })
  configuration: JsonObject;

  @ListField('string', { description: 'Names of the inputs and nodes that must have values before the node runs.' })
  dependencies: string[];
}

class WorkflowEdgeDetailBody extends WorkflowEdgeBody {
  @TextField({ description: 'Id of the edge in this version.' })
  id: string;
}

class WorkflowBody extends WorkflowIdsBody {
  @TextField({ description: 'Name of the workflow, unique in the workspace.' })
  name: string;

  @BooleanField({ description: 'Always false: every workflow has a version.' })
  is_draft: boolean;

  @BooleanField({ description: 'Whether the workflow was deleted.' })
  is_deleted: boolean;

  @ListField('string', { description: 'Tags of the workflow.' })
  tags: string[];

  @FolderIdField('the workflow')
  folder_id: number | null;

  @IntegerField({ description: 'Number of the newest version, from 1.' })
  latest_version_number: number;
}

export class WorkflowResponse {
  @SuccessField()
  success: true;

  @IntegerField({ description: 'Id of the workflow.' })
  workflow_id: number;

  @TextField({ description: 'Name of the workflow.' })
  workflow_name: string;

  @IntegerField({ description: 'Number of the version that was asked for.' })
  version: number;

  @IntegerField({ description: 'The same as `version`.' })
  version_number: number;

  @IntegerField({ description: 'Id of the version that was asked for.' })
  workflow_version_id: number;

  @TextField({
    nullable: true,
    description: 'Commit message of the version; null if it has none.',
  })
  commit_message: string | null;

  @JsonObjectField({ values: { type: 'string' }, description: 'The type of each input by its name.' })
  required_input_variables: JsonObject;

  @ListField('string', { description: 'Names of the release labels on this version, sorted.' })
  release_labels: string[];

  @SavedAtField()
  created_at: string;

  @ApiProperty({ type: () => [WorkflowNodeDetailBody], description: 'The nodes of the version.' })
  nodes: WorkflowNodeDetailBody[];

  @ApiProperty({ type: () => [WorkflowEdgeDetailBody], description: 'The edges with conditions of the version.' })
  edges: WorkflowEdgeDetailBody[];

  @ApiProperty({ type: () => [ExternalIdBody], description: 'The external IDs attached to the workflow.' })
  external_ids: ExternalIdBody[];

  @ApiProperty({ type: () => WorkflowBody, description: 'Properties that all versions of the workflow share.' })
  workflow: WorkflowBody;
}
