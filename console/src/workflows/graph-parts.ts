import type { RunNodeBody, WorkflowConditionSide, WorkflowEdgeBody, WorkflowNodeDetailBody } from '../api/schema.gen';
import type { GraphArrow, GraphBox } from '../graph/graph';

/** States of nodes by their names. */
export type NodeStates = Record<string, RunNodeBody>;

interface Graph {
  nodes: Pick<WorkflowNodeDetailBody, 'name' | 'node_type' | 'is_output_node' | 'dependencies'>[];
  edges: WorkflowEdgeBody[];
  required_input_variables: Record<string, string>;
}

export const STATE_WORDS: Record<RunNodeBody['status'], string> = {
  QUEUED: 'queued',
  RUNNING: 'running',
  SUCCESS: 'done',
  FAILED: 'failed',
  SKIPPED: 'skipped',
};

/** Inputs and nodes as boxes, by name. With a run each node shows its state. `titles` are those of the node types. */
export function boxesOf(
  { nodes, required_input_variables: inputs }: Graph,
  titles: (type: string) => string,
  states?: NodeStates,
): GraphBox[] {
  return [
    ...Object.entries(inputs).map(([name, type]) => ({
      key: name,
      title: name,
      hint: `input · ${type}`,
      className: 'input',
    })),
    ...nodes.map(({ name, node_type: type, is_output_node: isOutput }) => {
      const status = states?.[name]?.status;
      const words = [titles(type), isOutput && 'output', status && STATE_WORDS[status]].filter(Boolean);
      return { key: name, title: name, hint: words.join(' · '), className: status ? status.toLowerCase() : 'node' };
    }),
  ];
}

const LONGEST_GUARD = 24;

/** Arrows from sources to the nodes that read them. The arrow of a guard shows its conditions. */
export function arrowsOf({ nodes, edges }: Graph): GraphArrow[] {
  const arrows = new Map<string, GraphArrow>();
  const keyOf = (from: string, to: string) => JSON.stringify([from, to]);
  const add = (arrow: GraphArrow) => arrows.set(keyOf(arrow.from, arrow.to), arrow);
  const has = (from: string, to: string) => arrows.has(keyOf(from, to));
  for (const { name, dependencies } of nodes) for (const from of dependencies) add({ from, to: name });
  for (const edge of edges) {
    const guard = guardOf(edge);
    const label = guard.length > LONGEST_GUARD ? `${guard.slice(0, LONGEST_GUARD)}…` : guard;
    add({ from: edge.source_node_name, to: edge.target_node_name, label });
    for (const from of readBy(edge)) if (!has(from, edge.target_node_name)) add({ from, to: edge.target_node_name });
  }
  return [...arrows.values()];
}

/** Sources that the conditions of a guard compare. */
function readBy({ conditionals }: WorkflowEdgeBody): string[] {
  const sides = conditionals.flatMap(({ left_config: left, right_config: right }) => [left, right]);
  return sides.flatMap((side) => (side?.type === 'source' ? [side.source.name] : []));
}

/** The conditions of a guard in one line. */
export function guardOf({ conditionals, is_and: isAnd }: WorkflowEdgeBody): string {
  return conditionals
    .toSorted((a, b) => a.position - b.position)
    .map(({ left_config: left, operator, right_config: right }) => {
      const words = operator.replaceAll('_', ' ');
      return operator.endsWith('null') ? `${sideOf(left)} ${words}` : `${sideOf(left)} ${words} ${sideOf(right)}`;
    })
    .join(isAnd ? ' and ' : ' or ');
}

function sideOf(side: WorkflowConditionSide | null | undefined): string {
  if (!side) return 'null';
  return side.type === 'source' ? side.source.name : JSON.stringify(side.static_value);
}
