import type { JsonObject, JsonValue } from '../../platform/json.js';

/** What an input may be. */
export const INPUT_TYPES = ['string', 'number', 'integer', 'boolean', 'object', 'array'] as const;
export type InputType = (typeof INPUT_TYPES)[number];

/** The type of each input by its name. */
export type InputVariables = Record<string, InputType>;

/** A step of a workflow: a computed column with a name. The keys are those of the API, and those that are stored. */
export interface WorkflowNode {
  id: string;
  name: string;
  /** The name of a column type. */
  node_type: string;
  is_output_node: boolean;
  /** As it was given. Whatever it names is an input or another node. */
  configuration: JsonObject;
  /** The names of the inputs and nodes that have to be there before this one begins. */
  dependencies: string[];
}

export const OPERATORS = ['=', '!=', '<', '>', '<=', '>=', 'in', 'not_in', 'is_null', 'is_not_null'] as const;
export type Operator = (typeof OPERATORS)[number];

/** What a condition compares: the value of an input or a node, or one that is given. */
export type ConditionSide = { type: 'source'; source: { name: string } } | { type: 'static_value'; static_value: JsonValue };

export interface Conditional {
  position: number;
  operator: Operator;
  left_config: ConditionSide;
  /** null for operators that look at one side only. */
  right_config: ConditionSide | null;
}

/** A way from one node to another that is only taken when its conditions hold: all of them, or any. */
export interface WorkflowEdge {
  id: string;
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
