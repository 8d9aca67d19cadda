import { isObject, type JsonObject, type JsonValue, setOwn } from '../../platform/json.js';
import { WorkflowErrors } from '../shared/workflows.errors.js';
import { nameKey, shown } from './graph-names.js';
import type { GivenEdge, GivenGraph, GivenNode, WorkflowGraph } from './workflow-graph.js';

/** Changes to a node. Keys that are null or missing keep their values. */
export interface NodeChange {
  node_type?: string | null;
  /** Merged into the configuration recursively. Values other than objects replace the old ones. */
  configuration?: JsonObject | null;
  dependencies?: string[] | null;
  is_output_node?: boolean | null;
}

/** Changes to a version. Null keeps the old value. */
export interface VersionChange {
  /** Nodes to add or change by name; null removes the node. */
  nodes: ReadonlyMap<string, NodeChange | null> | null;
  edges: GivenEdge[] | null;
  requiredInputVariables: JsonObject | null;
}

/**
 * Applies changes to an older version. Nodes keep their order, and new ones come last. Without new edges the old ones are copied,
 * except those of removed nodes. Throws workflow_invalid when a removed node does not exist or a new one is incomplete.
 */
export function mergeVersion(base: WorkflowGraph, change: VersionChange): GivenGraph {
  const changes = new Map([...(change.nodes ?? [])].map(([name, node]) => [nameKey(name), { name, node }]));
  const known = new Set(base.nodes.map(({ name }) => nameKey(name)));
  const added = [...changes].filter(([key]) => !known.has(key)).map(([, entry]) => entry);
  const problems = added.flatMap(({ name, node }) => newNodeProblems(name, node));
  if (problems.length > 0) throw WorkflowErrors.workflow_invalid(problems);
  const kept = base.nodes.filter(({ name }) => changes.get(nameKey(name))?.node !== null);
  const names = new Set(kept.map(({ name }) => name));
  const removed = new Set(base.nodes.map(({ name }) => name).filter((name) => !names.has(name)));
  return {
    nodes: [
      ...kept.map((node) => changedNode(node, changes.get(nameKey(node.name))?.node ?? {})),
      ...added.map(({ name, node }) => newNode(name, node!)),
    ],
    edges: change.edges ?? base.edges.filter((edge) => !touches(edge, removed)),
    requiredInputVariables: change.requiredInputVariables ?? base.requiredInputVariables,
  };
}

function touches({ source_node_name: source, target_node_name: target }: GivenEdge, nodes: ReadonlySet<string>) {
  return nodes.has(source) || nodes.has(target);
}

function newNodeProblems(name: string, node: NodeChange | null): string[] {
  if (node === null) return [`There is no node ${shown(name)} to remove. Names are exact, letter case included.`];
  const missing = (['node_type', 'configuration'] as const).filter((key) => node[key] == null);
  return missing.length > 0 ? [`The node ${shown(name)} is new: it needs ${missing.join(' and ')}.`] : [];
}

function newNode(name: string, { node_type, configuration, dependencies, is_output_node }: NodeChange): GivenNode {
  return {
    name,
    node_type: node_type!,
    configuration: configuration!,
    dependencies: dependencies ?? [],
    is_output_node: is_output_node ?? false,
  };
}

function changedNode(node: GivenNode, change: NodeChange): GivenNode {
  return {
    name: node.name,
    node_type: change.node_type ?? node.node_type,
    configuration: change.configuration ? merged(node.configuration, change.configuration) : node.configuration,
    dependencies: change.dependencies ?? node.dependencies,
    is_output_node: change.is_output_node ?? node.is_output_node,
  };
}

function merged(base: JsonObject, change: JsonObject): JsonObject {
  const result: JsonObject = {};
  for (const [key, value] of Object.entries(base)) setOwn(result, key, value);
  for (const [key, value] of Object.entries(change)) {
    const before: JsonValue | undefined = Object.hasOwn(result, key) ? result[key] : undefined;
    setOwn(result, key, isObject(before) && isObject(value) ? merged(before, value) : value);
  }
  return result;
}
