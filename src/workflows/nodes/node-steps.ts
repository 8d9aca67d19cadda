import type { GuardCondition, GuardEdge, GuardSide } from '../../grid/columns/column-guard.js';
import type { NewOwnedStep } from '../../tables/index.js';
import type { Conditional, ConditionSide, WorkflowEdge, WorkflowGraph } from '../registry/workflow-graph.js';

/** The nodes of a version as steps of a sheet, whose inputs are its text columns. Steps are named as nodes are. */
export function toSteps({ nodes, edges }: Pick<WorkflowGraph, 'nodes' | 'edges'>): NewOwnedStep[] {
  return nodes.map(({ name, node_type, configuration, dependencies, is_output_node }) => ({
    title: name,
    type: node_type,
    config: configuration,
    isOutputColumn: is_output_node,
    dependencies,
    edges: edges.filter(({ target_node_name }) => target_node_name === name).map(toGuardEdge),
  }));
}

function toGuardEdge({ source_node_name, is_and, conditionals }: WorkflowEdge): GuardEdge {
  return { sourceId: source_node_name, isAnd: is_and, conditions: conditionals.map(toCondition) };
}

function toCondition({ operator, left_config, right_config }: Conditional): GuardCondition {
  return { operator, left: toSide(left_config), right: right_config && toSide(right_config) };
}

function toSide(side: ConditionSide): GuardSide {
  return side.type === 'source' ? { columnId: side.source.name } : { value: side.static_value };
}
