import type { Client } from './client.js';

export const WORKFLOWS = '/workflows';
export const SAVE = '/rest/workflows';

export interface ReadWorkflow {
  success: true;
  workflow_id: number;
  workflow_name: string;
  version: number;
  version_number: number;
  workflow_version_id: number;
  commit_message: string | null;
  required_input_variables: Record<string, string>;
  release_labels: string[];
  created_at: string;
  nodes: ReadNode[];
  edges: { id: string; source_node_name: string; target_node_name: string; is_and: boolean; conditionals: object[] }[];
  external_ids: { source: string; external_id: string }[];
  workflow: { id: number; name: string; folder_id: number | null; tags: string[] };
}

export interface ReadNode {
  id: string;
  workflow_version_id: number;
  name: string;
  node_type: string;
  is_output_node: boolean;
  configuration: Record<string, unknown>;
  dependencies: string[];
}

export interface SavedWorkflow {
  workflow_id: number;
  workflow_name: string;
  workflow_version_id: number;
  version_number: number;
  base_version: number | null;
  release_labels: string[] | null;
  nodes: { id: string; name: string; node_type: string; is_output_node: boolean }[];
  external_ids: { source: string; external_id: string }[];
}

/** A node that counts the words of an input or of another node. */
export const countNode = (name: string, source = 'question', rest: object = {}) => ({
  name,
  node_type: 'COUNT',
  configuration: { source, type: 'words' },
  dependencies: [source],
  is_output_node: true,
  ...rest,
});

/** Nodes with an input `question`. */
export const graphOf = (...nodes: object[]) => ({
  nodes: nodes.length > 0 ? nodes : [countNode('Length')],
  required_input_variables: { question: 'string' },
});

export async function saveWorkflow(me: Client, body: object): Promise<SavedWorkflow> {
  return (await me.post(SAVE, { ...graphOf(), ...body }, 201)) as SavedWorkflow;
}

export async function createWorkflow(me: Client, name: string, rest: object = {}): Promise<number> {
  return (await saveWorkflow(me, { name, ...rest })).workflow_id;
}

export const workflowPath = (identifier: number | string) => `${WORKFLOWS}/${encodeURIComponent(identifier)}`;
export const patchPath = (identifier: number | string) => `${SAVE}/${encodeURIComponent(identifier)}`;
export const managedWorkflow = (id: number) => `/api/admin/v1/workspaces/1/workflows/${id}`;

export async function readWorkflow(me: Client, identifier: number | string, query = ''): Promise<ReadWorkflow> {
  return (await me.get(workflowPath(identifier) + query)) as ReadWorkflow;
}

export async function patchWorkflow(me: Client, identifier: number | string, body: object): Promise<SavedWorkflow> {
  return (await me.patch(patchPath(identifier), body, 201)) as SavedWorkflow;
}
