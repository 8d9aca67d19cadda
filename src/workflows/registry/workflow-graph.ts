import type { JsonObject, JsonValue } from '../../platform/json.js';

/** What an input may be. */
export const INPUT_TYPES = ['string', 'number', 'integer', 'boolean', 'object', 'array'] as const;
export type InputType = (typeof INPUT_TYPES)[number];

/** The type of each input by its name. */
export type InputVariables = Record<string, InputType>;

export const OPERATORS = ['=', '!=', '<', '>', '<=', '>=', 'in', 'not_in', 'is_null', 'is_not_null'] as const;
export type Operator = (typeof OPERATORS)[number];

/** Operators that look at the left side only. */
export const UNARY_OPERATORS: readonly Operator[] = ['is_null', 'is_not_null'];

/**
 * A step of a workflow: a computed column with a name. The keys are those of the API, and those that are stored. The names of
 * inputs and nodes in a stored graph are written as those are, so they can be compared letter by letter; references in
 * configurations may write an accent in another way.
 */
export interface WorkflowNode {
  id: string;
  /** No other node and no input of the workflow has it. */
  name: string;
  /** The name of a column type. */
  node_type: string;
  is_output_node: boolean;
  /** As it was given. Whatever it names is an input, or a node that is among the dependencies. */
  configuration: JsonObject;
  /** The names of the inputs and nodes that have to be there before this one begins. */
  dependencies: string[];
}

/** What a condition compares: the value of an input or a node, or one that is given. */
export type ConditionSide =
  { type: 'source'; source: { name: string } } | { type: 'static_value'; static_value: JsonValue };

export interface Conditional {
  position: number;
  operator: Operator;
  left_config: ConditionSide;
  /** null only for operators that look at the left side only. */
  right_config: ConditionSide | null;
}

/** A way into a node that is only taken when its conditions hold: all of them, or any. */
export interface WorkflowEdge {
  id: string;
  /** An input or a node; the target depends on it. */
  source_node_name: string;
  target_node_name: string;
  is_and: boolean;
  /** In the order of their positions. */
  conditionals: Conditional[];
}

/** What a version of a workflow does. */
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

/** What somebody wants a version to do; nothing of it has been looked at besides its shape. */
export interface GivenGraph {
  nodes: GivenNode[];
  edges: GivenEdge[];
  requiredInputVariables: JsonObject;
}
