import { numberedPage } from '../../platform/http/numbered-page.js';
import type { LabelOnVersion, WithExternalIds } from '../../registry/index.js';
import type { WorkflowNode } from './workflow-graph.js';
import type { ListWorkflowsQuery, WorkflowLabelBody, WorkflowResponse, WorkflowsResponse } from './workflows.dto.js';
import type { ChosenVersion } from './workflows.queries.js';
import type { ListedWorkflow } from './workflows.service.js';

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
    last_run: workflow.lastRun && {
      workflow_version_execution_id: Number(workflow.lastRun.id),
      status: workflow.lastRun.status,
      created_at: workflow.lastRun.createdAt.toISOString(),
    },
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

function toNodeBody(node: WorkflowNode, workflow_version_id: number): WorkflowResponse['nodes'][number] {
  const { id, name, node_type, is_output_node, configuration, dependencies } = node;
  return { id, workflow_version_id, name, node_type, is_output_node, configuration, dependencies };
}
