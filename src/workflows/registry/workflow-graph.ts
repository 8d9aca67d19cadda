import type { JsonObject, JsonValue } from '../../platform/json.js';

export const INPUT_TYPES = ['string', 'number', 'integer', 'boolean', 'object', 'array'] as const;
export type InputType = (typeof INPUT_TYPES)[number];

/** The type of each input by its name. */
export type InputVariables = Record<string, InputType>;

export const OPERATORS = ['=', '!=', '<', '>', '<=', '>=', 'in', 'not_in', 'is_null', 'is_not_null'] as const;
export type Operator = (typeof OPERATORS)[number];

/** Operators that look at the left side only. */
export const UNARY_OPERATORS: readonly Operator[] = ['is_null', 'is_not_null'];

/**
 * A step of a workflow: a computed column with a name. The API and the database use the same keys. References in a stored graph
 * have the spelling of the inputs and nodes, so they can be compared as strings. Configurations are the exception: they may use
 * other code points for the same letters.
 */
export interface WorkflowNode {
  id: string;
  /** Unique among the nodes and inputs of the workflow. */
  name: string;
  /** The name of a column type. */
  node_type: string;
  is_output_node: boolean;
  /** Unchanged from the request. It refers to inputs and to nodes among the dependencies only. */
  configuration: JsonObject;
  /** Names of inputs and nodes that must have values before this node starts. */
  dependencies: string[];
}

/** One side of a condition: the value of an input or a node, or a fixed one. */
export type ConditionSide =
  { type: 'source'; source: { name: string } } | { type: 'static_value'; static_value: JsonValue };

export interface Conditional {
  position: number;
  operator: Operator;
  left_config: ConditionSide;
  /** null only for unary operators. */
  right_config: ConditionSide | null;
}

/** An edge into a node. The node runs only if all (AND) or any (OR) of its conditions hold. */
export interface WorkflowEdge {
  id: string;
  /** An input or a node; the target depends on it. */
  source_node_name: string;
  target_node_name: string;
  is_and: boolean;
  /** In the order of their positions. */
  conditionals: Conditional[];
}

/** The graph of a workflow version. */
export interface WorkflowGraph {
  nodes: WorkflowNode[];
  edges: WorkflowEdge[];
  requiredInputVariables: InputVariables;
}

export type GivenNode = Omit<WorkflowNode, 'id'>;

export interface GivenConditional {
  position: number;
  operator: Operator;
  left_config: JsonObject;
  right_config?: JsonObject | null;
}

export interface GivenEdge extends Omit<WorkflowEdge, 'id' | 'conditionals'> {
  conditionals: GivenConditional[];
}

/** A graph from a request. Only its types have been checked. */
export interface GivenGraph {
  nodes: GivenNode[];
  edges: GivenEdge[];
  requiredInputVariables: JsonObject;
}
