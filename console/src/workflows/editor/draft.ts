import type {
  CreateWorkflowRequest,
  WorkflowConditionSide,
  WorkflowEdgeBody,
  WorkflowNodeRequest,
  WorkflowResponse,
} from '../../api/schema.gen';
import type { Values } from '../../ui/schema-fields';
import { parseExactly } from '../../ui/exact-json';

/** Marks nodes that a form has written. A symbol is no part of the JSON, and copies of a node keep it. */
export const IN_FORM = Symbol('written in a form');

export type Edge = WorkflowEdgeBody;
export interface Node extends Omit<WorkflowNodeRequest, 'configuration' | 'dependencies'> {
  configuration: Values;
  dependencies: string[];
  [IN_FORM]?: true;
}

/** A version that is being edited, as the API takes it. */
export interface Draft {
  required_input_variables: Record<string, string>;
  nodes: Node[];
  edges: Edge[];
}

export const emptyDraft = (): Draft => ({ required_input_variables: { question: 'string' }, nodes: [], edges: [] });

export const draftOf = ({ required_input_variables: inputs, nodes, edges }: WorkflowResponse): Draft => ({
  required_input_variables: inputs,
  nodes: nodes.map(({ name, node_type, configuration, dependencies, is_output_node }) => ({
    name,
    node_type,
    configuration,
    dependencies,
    is_output_node,
  })),
  edges: edges.map(({ source_node_name, target_node_name, is_and, conditionals }) => ({
    source_node_name,
    target_node_name,
    is_and,
    conditionals,
  })),
});

export const graphIn = (draft: Draft): Pick<CreateWorkflowRequest, 'nodes' | 'edges' | 'required_input_variables'> =>
  draft as never;

export const textOf = (draft: Draft): string => JSON.stringify(draft, null, 2);

/** Parses a draft written as JSON. Throws an Error that names the problem. */
export function readDraft(text: string): Draft {
  const value = parsed(text);
  if (!isObject(value)) throw new Error('A workflow is a JSON object with nodes.');
  const { required_input_variables: inputs = {}, nodes, edges = [] } = value;
  if (!isObject(inputs)) throw new Error('required_input_variables: an object of types by name.');
  if (!Array.isArray(nodes) || !nodes.every(isNode)) {
    throw new Error('nodes: a list of objects with name, node_type, configuration, dependencies and is_output_node.');
  }
  if (!Array.isArray(edges) || !edges.every(isEdge)) {
    throw new Error('edges: a list of objects with source_node_name, target_node_name, is_and and conditionals.');
  }
  return {
    required_input_variables: inputs as Draft['required_input_variables'],
    nodes: nodes.map((node) => ({ ...node, dependencies: node.dependencies ?? [] })),
    edges,
  };
}

function parsed(text: string): unknown {
  try {
    return parseExactly(text);
  } catch (error) {
    if (error instanceof RangeError) throw error;
    throw new Error(`This is no valid JSON: ${(error as Error).message}`);
  }
}

const isObject = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every((each) => typeof each === 'string');

const isNode = (value: unknown): value is Node =>
  isObject(value) &&
  typeof value.name === 'string' &&
  typeof value.node_type === 'string' &&
  isObject(value.configuration) &&
  (value.dependencies === undefined || isTexts(value.dependencies));

const isSide = (value: unknown): boolean =>
  isObject(value) && (value.type !== 'source' || (isObject(value.source) && typeof value.source.name === 'string'));

const isConditional = (value: unknown): boolean =>
  isObject(value) &&
  typeof value.operator === 'string' &&
  isSide(value.left_config) &&
  (value.right_config === undefined || value.right_config === null || isSide(value.right_config));

const isEdge = (value: unknown): value is Edge =>
  isObject(value) &&
  typeof value.source_node_name === 'string' &&
  typeof value.target_node_name === 'string' &&
  Array.isArray(value.conditionals) &&
  value.conditionals.every(isConditional);

/** Sources that the configuration of a node reads. */
export function sourcesIn(configuration: Values, sourceKeys: string[]): string[] {
  const texts = (value: unknown): string[] => {
    if (typeof value === 'string') return value === '' ? [] : [value];
    return typeof value === 'object' && value !== null ? Object.values(value).flatMap(texts) : [];
  };
  return [...new Set(sourceKeys.flatMap((key) => texts(configuration[key])))];
}

/** A node with another configuration, from a form. Its dependencies follow the sources: new ones are added, unused ones removed. */
export function configured(node: Node, configuration: Values, sourceKeys: string[]): Node {
  const before = sourcesIn(node.configuration, sourceKeys);
  const others = node.dependencies.filter((name) => !before.includes(name));
  const dependencies = [...new Set([...others, ...sourcesIn(configuration, sourceKeys)])];
  return { ...node, [IN_FORM]: true, configuration, dependencies };
}

/** Inputs, and nodes that do not depend on this one: the sources that it may read. */
export function readableBy({ required_input_variables: inputs, nodes }: Draft, name: string): string[] {
  const later = new Set([name]);
  for (let size = 0; size < later.size;) {
    size = later.size;
    for (const node of nodes) if (node.dependencies.some((each) => later.has(each))) later.add(node.name);
  }
  return [...Object.keys(inputs), ...nodes.map((node) => node.name).filter((each) => !later.has(each))];
}

/** A name that neither an input nor a node has. */
export function freeName({ required_input_variables: inputs, nodes }: Draft, wanted: string): string {
  const taken = new Set([...Object.keys(inputs), ...nodes.map(({ name }) => name)]);
  for (let number = 1; ; number++) {
    const name = number === 1 ? wanted : `${wanted} ${number}`;
    if (!taken.has(name)) return name;
  }
}

export function without(draft: Draft, name: string): Draft {
  const { [name]: _, ...inputs } = draft.required_input_variables;
  return {
    required_input_variables: inputs,
    nodes: draft.nodes
      .filter((node) => node.name !== name)
      .map((node) => ({ ...node, dependencies: node.dependencies.filter((each) => each !== name) })),
    edges: draft.edges.filter((edge) => edge.source_node_name !== name && edge.target_node_name !== name),
  };
}

/** Renames an input or a node in all its readers. Code that reads it is not changed. */
export function renamed(draft: Draft, from: string, to: string, sourceKeysOf: (type: string) => string[]): Draft {
  const name = (each: string) => (each === from ? to : each);
  return {
    required_input_variables: Object.fromEntries(
      Object.entries(draft.required_input_variables).map(([each, type]) => [name(each), type]),
    ),
    nodes: draft.nodes.map((node) => ({
      ...node,
      name: name(node.name),
      dependencies: node.dependencies.map(name),
      configuration: renamedIn(node.configuration, sourceKeysOf(node.node_type), name),
    })),
    edges: draft.edges.map((edge) => ({
      ...edge,
      source_node_name: name(edge.source_node_name),
      target_node_name: name(edge.target_node_name),
      conditionals: edge.conditionals.map((condition) => ({
        ...condition,
        left_config: renamedSide(condition.left_config, name),
        ...(condition.right_config && { right_config: renamedSide(condition.right_config, name) }),
      })),
    })),
  };
}

const renamedSide = (side: WorkflowConditionSide, name: (each: string) => string): WorkflowConditionSide =>
  side.type === 'source' ? { ...side, source: { name: name(side.source.name) } } : side;

function renamedIn(configuration: Values, sourceKeys: string[], name: (each: string) => string): Values {
  const change = (value: unknown): unknown => {
    if (typeof value === 'string') return name(value);
    if (Array.isArray(value)) return value.map(change);
    if (!isObject(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, change(each)]));
  };
  const entries = Object.entries(configuration);
  return Object.fromEntries(entries.map(([key, value]) => [key, sourceKeys.includes(key) ? change(value) : value]));
}
