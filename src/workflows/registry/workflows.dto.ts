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
import { NumberedPage, PageField, PerPageField } from '../../platform/http/numbered-page.js';
import type { JsonObject } from '../../platform/json.js';
import { OPERATORS } from './workflow-graph.js';

export class WorkflowPath {
  @TextField({ query: true, minLength: 1, description: 'The id of the workflow, or its name.' })
  workflow_id_or_name: string;
}

export class WorkflowVersionQuery {
  @IntegerField({ optional: true, query: true, min: 1, max: MAX_ID, description: 'The latest version by default.' })
  version?: number;

  @TextField({ optional: true, query: true, maxLength: 255, description: 'A release label, in place of `version`.' })
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
    description: 'Only workflows whose name contains this. Letter case does not matter.',
  })
  name?: string;

  @TagsQueryField('workflows')
  tags?: string[];

  @EnumField(['active', 'deleted', 'all'], { optional: true, query: true, default: 'active' })
  status?: 'active' | 'deleted' | 'all';
}

/** What conditions compare. */
const SIDE = 'WorkflowConditionSide';
z.union([
  z.object({
    type: z.literal('source'),
    source: z.object({ name: z.string().meta({ description: 'An input, or a node that the target depends on.' }) }),
  }),
  z.object({
    type: z.literal('static_value'),
    static_value: z.unknown().meta({ allOf: [componentOf('ConfigValue')] }),
  }),
]).meta({ id: SIDE });

export class WorkflowConditionalBody {
  @IntegerField({ min: 0, max: MAX_ID, description: 'Conditions are in ascending order.', example: 0 })
  position: number;

  @EnumField(OPERATORS, { example: '=' })
  operator: (typeof OPERATORS)[number];

  @JsonObjectField({ like: SIDE, example: { type: 'source', source: { name: 'Words' } } })
  left_config: JsonObject;

  @JsonObjectField({
    like: SIDE,
    optional: true,
    nullable: true,
    example: { type: 'static_value', static_value: 5 },
  })
  right_config?: JsonObject | null;
}

export class WorkflowEdgeBody {
  @TextField({ description: 'An input or a node. The target has to depend on it.', example: 'Words' })
  source_node_name: string;

  @TextField({ description: 'The node that only runs when the conditions hold.', example: 'Letter' })
  target_node_name: string;

  @BooleanField({ description: 'Whether all conditions have to hold, or any.' })
  is_and: boolean;

  @ListField(() => WorkflowConditionalBody, { minItems: 1, maxItems: 50 })
  conditionals: WorkflowConditionalBody[];
}

export class ListedWorkflowBody {
  @IntegerField()
  id: number;

  @IntegerField()
  workspace_id: number;

  @IntegerField({ nullable: true, description: 'The API key that created it.' })
  user_id: number | null;

  @TextField({ example: 'triage' })
  name: string;

  @BooleanField()
  is_deleted: boolean;

  @IntegerField({ nullable: true })
  latest_version_number: number | null;

  @ListField('string', { description: 'All labels of the workflow, sorted.' })
  release_labels: string[];

  @ListField('string')
  tags: string[];

  @IntegerField({ nullable: true })
  folder_id: number | null;

  @DateTimeField()
  created_at: string;

  @DateTimeField()
  updated_at: string;

  @ApiProperty({ type: () => [ExternalIdBody] })
  external_ids: ExternalIdBody[];
}

export class WorkflowsResponse extends NumberedPage {
  @ApiProperty({ type: () => [ListedWorkflowBody] })
  items: ListedWorkflowBody[];
}

export class WorkflowLabelBody {
  @IntegerField()
  release_label_id: number;

  @TextField({ example: 'production' })
  release_label: string;

  @IntegerField()
  workflow_version_id: number;

  @IntegerField()
  workflow_version_number: number;
}

export class WorkflowLabelsResponse {
  @ApiProperty({ example: true })
  success: true;

  @ApiProperty({ type: () => [WorkflowLabelBody], description: 'By name.' })
  release_labels: WorkflowLabelBody[];
}

class WorkflowNodeDetailBody {
  @TextField({ description: 'Every version has nodes of its own, with ids of their own.' })
  id: string;

  @IntegerField()
  workflow_version_id: number;

  @TextField()
  name: string;

  @TextField({ example: 'COUNT' })
  node_type: string;

  @BooleanField()
  is_output_node: boolean;

  @JsonObjectField({ like: 'ColumnConfig' })
  configuration: JsonObject;

  @ListField('string')
  dependencies: string[];
}

class WorkflowEdgeDetailBody extends WorkflowEdgeBody {
  @TextField()
  id: string;
}

class WorkflowBody {
  @IntegerField()
  id: number;

  @IntegerField()
  workspace_id: number;

  @IntegerField({ nullable: true, description: 'The API key that created it.' })
  user_id: number | null;

  @TextField()
  name: string;

  @BooleanField({ description: 'Always false: every workflow has a version.' })
  is_draft: boolean;

  @BooleanField()
  is_deleted: boolean;

  @ListField('string')
  tags: string[];

  @IntegerField({ nullable: true })
  folder_id: number | null;

  @IntegerField()
  latest_version_number: number;
}

export class WorkflowResponse {
  @ApiProperty({ example: true })
  success: true;

  @IntegerField()
  workflow_id: number;

  @TextField()
  workflow_name: string;

  @IntegerField({ description: 'The number of the version that was asked for.' })
  version: number;

  @IntegerField({ description: 'The same.' })
  version_number: number;

  @IntegerField()
  workflow_version_id: number;

  @TextField({ nullable: true })
  commit_message: string | null;

  @JsonObjectField({ values: { type: 'string' }, description: 'The type of each input by its name.' })
  required_input_variables: JsonObject;

  @ListField('string', { description: 'The labels of this version, sorted.' })
  release_labels: string[];

  @DateTimeField({ description: 'When the version was saved.' })
  created_at: string;

  @ApiProperty({ type: () => [WorkflowNodeDetailBody] })
  nodes: WorkflowNodeDetailBody[];

  @ApiProperty({ type: () => [WorkflowEdgeDetailBody] })
  edges: WorkflowEdgeDetailBody[];

  @ApiProperty({ type: () => [ExternalIdBody] })
  external_ids: ExternalIdBody[];

  @ApiProperty({ type: () => WorkflowBody })
  workflow: WorkflowBody;
}
