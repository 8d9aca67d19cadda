import type { Client } from './client.js';
import { until } from './until.js';

export interface NodeResult {
  status: string;
  value: unknown;
  error_message: string | null;
  raw_error_message: string | null;
  is_output_node: boolean;
}
export type NodeMap = Record<string, NodeResult>;

export interface TestNode {
  name: string;
  node_type: string;
  configuration: object;
  dependencies?: string[];
  is_output_node?: boolean;
}

export interface TestEdge {
  source_node_name: string;
  target_node_name: string;
  is_and?: boolean;
  conditionals: object[];
}

export interface TestGraph {
  name?: string;
  workflow_name?: string;
  inputs?: Record<string, string>;
  nodes: TestNode[];
  edges?: TestEdge[];
  release_labels?: string[];
}

export interface SavedWorkflow {
  id: number;
  name: string;
  versionNumber: number;
  nodes: { id: string; name: string }[];
}

let count = 0;
export const freshName = (what = 'flow'): string => `${what} ${++count}`;

/** Saves a workflow; its last node is the output unless one says that it is. */
export async function saveWorkflow(client: Client, graph: TestGraph): Promise<SavedWorkflow> {
  const { inputs = {}, nodes, edges = [], ...named } = graph;
  const isMarked = nodes.some(({ is_output_node }) => is_output_node);
  const body = {
    ...(named.workflow_name === undefined && { name: freshName() }),
    ...named,
    required_input_variables: inputs,
    nodes: nodes.map((node, index) => ({
      dependencies: [],
      is_output_node: !isMarked && index === nodes.length - 1,
      ...node,
    })),
    edges: edges.map((edge) => ({ is_and: true, ...edge })),
  };
  const saved = (await client.post('/rest/workflows', body, 201)) as {
    workflow_id: number;
    workflow_name: string;
    version_number: number;
    nodes: { id: string; name: string }[];
  };
  return { id: saved.workflow_id, name: saved.workflow_name, versionNumber: saved.version_number, nodes: saved.nodes };
}

/** A node with code in JavaScript. */
export const code = (name: string, body: string, dependencies: string[] = []): TestNode => ({
  name,
  node_type: 'CODE_EXECUTION',
  configuration: { language: 'JAVASCRIPT', code: body },
  dependencies,
});

const side = (value: unknown) =>
  typeof value === 'object' && value !== null && 'of' in value
    ? { type: 'source', source: { name: (value as { of: string }).of } }
    : { type: 'static_value', static_value: value };

/** A condition; `{ of: name }` is the value of a node or an input. */
export const when = (left: unknown, operator: string, right: unknown = null) => ({
  position: 0,
  operator,
  left_config: side(left),
  right_config: side(right),
});

export const edge = (source: string, target: string, ...conditionals: object[]): TestEdge => ({
  source_node_name: source,
  target_node_name: target,
  conditionals: conditionals.map((each, position) => ({ ...each, position })),
});

export const runUrl = (workflow: string | number): string => `/workflows/${encodeURIComponent(workflow)}/run`;

export async function startRun(
  client: Client,
  workflow: string | number,
  input_variables: object = {},
  more: object = {},
): Promise<number> {
  const answer = await client.post(runUrl(workflow), { input_variables, ...more }, 'callback_url' in more ? 202 : 201);
  return (answer as { workflow_version_execution_id: number }).workflow_version_execution_id;
}

export const resultsUrl = (id: number, query = ''): string =>
  `/workflow-version-execution-results?workflow_version_execution_id=${id}${query}`;

/** The results of a run when it has ended. */
export async function resultsOf(client: Client, id: number, query = ''): Promise<unknown> {
  let answer = await client.request('GET', resultsUrl(id, query));
  await until(async () => {
    answer = await client.request('GET', resultsUrl(id, query));
    return answer.status !== 202;
  });
  if (answer.status !== 200) throw new Error(`The results answer ${answer.status}: ${JSON.stringify(answer.body)}`);
  return answer.body;
}

export async function nodesOf(client: Client, id: number): Promise<NodeMap> {
  return (await resultsOf(client, id, '&return_all_outputs=true')) as NodeMap;
}

/** Runs a workflow and waits for all its nodes. */
export async function ran(client: Client, workflow: string | number, inputs: object = {}): Promise<NodeMap> {
  return nodesOf(client, await startRun(client, workflow, inputs));
}

/** Outcome of each node: its value, or `FAILED: …`, or SKIPPED. */
export function outcomes(nodes: NodeMap): Record<string, unknown> {
  const shown = ({ status, value, error_message }: NodeResult) => {
    if (status === 'SUCCESS') return value;
    return status === 'FAILED' ? `FAILED: ${error_message}` : status;
  };
  return Object.fromEntries(Object.entries(nodes).map(([name, node]) => [name, shown(node)]));
}
