import { ApiProperty } from '@nestjs/swagger';
import { CommonListQuery } from '../../entity-lists/index.js';
import { ExternalIdBody } from '../../external-ids/index.js';
import {
  BooleanField,
  DateTimeField,
  EnumField,
  IntegerField,
  JsonObjectField,
  ListField,
  MAX_ID,
  TextField,
} from '../../platform/http/fields.js';
import { NumberedPage, numberedPage, PageField, PerPageField } from '../../platform/http/numbered-page.js';
import type { JsonObject } from '../../platform/json.js';
import type { ListedWorkflow } from './list-workflows.queries.js';
import { OPERATORS, type WorkflowNode } from './workflow-graph.js';
import type { WithExternalIds } from './workflows.service.js';
import type { ChosenVersion, LabelOnVersion } from './workflows.queries.js';

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

  @ListField('string', {
    optional: true,
    query: true,
    maxItems: 100,
    description: 'Only workflows that have all of these tags.',
  })
  tags?: string[];

  @EnumField(['active', 'deleted', 'all'], { optional: true, query: true, default: 'active' })
  status?: 'active' | 'deleted' | 'all';
}

/** What conditions compare. */
const SIDE = {
  description:
    'The value of an input or of a node that the target depends on, as `{"type": "source", "source": {"name": …}}`; or one that is given, as `{"type": "static_value", "static_value": …}`.',
};

export class WorkflowConditionalBody {
  @IntegerField({ min: 0, max: MAX_ID, description: 'Conditions are in ascending order.', example: 0 })
  position: number;

  @EnumField(OPERATORS, { example: '=' })
  operator: (typeof OPERATORS)[number];

  @JsonObjectField({ ...SIDE, example: { type: 'source', source: { name: 'Length' } } })
  left_config: JsonObject;

  @JsonObjectField({
    ...SIDE,
    optional: true,
    nullable: true,
    example: { type: 'static_value', static_value: 5 },
  })
  right_config?: JsonObject | null;
}

export class WorkflowEdgeBody {
  @TextField({ description: 'An input or a node. The target has to depend on it.', example: 'Length' })
  source_node_name: string;

  @TextField({ description: 'The node that only runs when the conditions hold.', example: 'Answer' })
  target_node_name: string;

  @BooleanField({ description: 'Whether all conditions have to hold, or any.' })
  is_and: boolean;

  @ListField(() => WorkflowConditionalBody, { minItems: 1, maxItems: 100 })
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

  @JsonObjectField()
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

export function toWorkflowsResponse(
  { page = 1, per_page: perPage = 30 }: ListWorkflowsQuery,
  { total, workflows }: { total: number; workflows: WithExternalIds<ListedWorkflow>[] },
): WorkflowsResponse {
  const items = workflows.map((workflow) => ({
    id: workflow.id,
    workspace_id: workflow.workspaceId,
    user_id: workflow.createdBy,
    name: workflow.name,
    is_deleted: workflow.deletedAt !== null,
    latest_version_number: workflow.latestVersion,
    release_labels: workflow.labels,
    tags: workflow.tags,
    folder_id: workflow.folderId,
    created_at: workflow.createdAt.toISOString(),
    updated_at: workflow.updatedAt.toISOString(),
    external_ids: workflow.externalIds,
  }));
  return { items, ...numberedPage(page, perPage, total) };
}

export const toWorkflowLabelBody = (label: LabelOnVersion): WorkflowLabelBody => ({
  release_label_id: label.id,
  release_label: label.name,
  workflow_version_id: label.versionId,
  workflow_version_number: label.versionNumber,
});

export function toWorkflowResponse(chosen: WithExternalIds<ChosenVersion>): WorkflowResponse {
  const { workflow, version, labels, externalIds } = chosen;
  return {
    success: true,
    workflow_id: workflow.id,
    workflow_name: workflow.name,
    version: version.number,
    version_number: version.number,
    workflow_version_id: version.id,
    commit_message: version.commitMessage,
    required_input_variables: version.requiredInputVariables,
    release_labels: labels,
    created_at: version.createdAt.toISOString(),
    nodes: version.nodes.map((node) => toNodeBody(node, version.id)),
    edges: version.edges,
    external_ids: externalIds,
    workflow: {
      id: workflow.id,
      workspace_id: workflow.workspaceId,
      user_id: workflow.createdBy,
      name: workflow.name,
      is_draft: false,
      is_deleted: workflow.deletedAt !== null,
      tags: workflow.tags,
      folder_id: workflow.folderId,
      latest_version_number: workflow.latestVersion,
    },
  };
}

function toNodeBody(node: WorkflowNode, workflow_version_id: number): WorkflowNodeDetailBody {
  const { id, name, node_type, is_output_node, configuration, dependencies } = node;
  return { id, workflow_version_id, name, node_type, is_output_node, configuration, dependencies };
}
