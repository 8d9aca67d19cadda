import { isObject, type JsonObject } from '../../platform/json.js';
import type { CheckedNode } from './check-nodes.js';
import { type GraphNames, shown } from './graph-names.js';
import {
  type Conditional,
  type ConditionSide,
  type GivenConditional,
  type GivenEdge,
  UNARY_OPERATORS,
  type WorkflowEdge,
} from './workflow-graph.js';

type CheckedEdge = Omit<WorkflowEdge, 'id'>;

/** Checks edges. Returns them with names in the spelling of the inputs and nodes, and a sentence for each fault. */
export function checkEdges(
  edges: GivenEdge[],
  names: GraphNames,
  nodes: ReadonlyMap<string, CheckedNode>,
): { checked: CheckedEdge[]; problems: string[] } {
  const checked: CheckedEdge[] = [];
  const problems: string[] = [];
  const seen = new Set<string>();
  for (const edge of edges) {
    const ends = findEnds(edge, names, nodes);
    if (typeof ends === 'string') {
      problems.push(ends);
      continue;
    }
    const { source, target } = ends;
    const pair = JSON.stringify([source, target.name]);
    if (seen.has(pair)) problems.push(`There are two edges ${between(edge)}. Put their conditions into one of them.`);
    seen.add(pair);
    const sides = edge.conditionals.map((conditional) => checkConditional(edge, conditional, { names, target }));
    problems.push(...sides.filter((side) => typeof side === 'string'));
    const conditionals = sides.filter((side) => typeof side !== 'string');
    conditionals.sort((a, b) => a.position - b.position);
    checked.push({ source_node_name: source, target_node_name: target.name, is_and: edge.is_and, conditionals });
  }
  return { checked, problems };
}

const between = ({ source_node_name: source, target_node_name: target }: GivenEdge): string =>
  `from ${shown(source)} to ${shown(target)}`;

function findEnds(
  edge: GivenEdge,
  names: GraphNames,
  nodes: ReadonlyMap<string, CheckedNode>,
): { source: string; target: CheckedNode } | string {
  const source = names.find(edge.source_node_name);
  if (!source) return `The edge ${between(edge)} begins at what is neither an input nor a node.`;
  const target = nodes.get(names.find(edge.target_node_name)?.name ?? '');
  if (!target) return `The edge ${between(edge)} ends at what is no node.`;
  if (target.dependencies.includes(source.name)) return { source: source.name, target };
  return `The edge ${between(edge)} ends at a node that does not depend on ${shown(source.name)}. Add it to the dependencies of ${shown(target.name)}.`;
}

/** Checks a condition. Returns a sentence if it has a fault. */
function checkConditional(
  edge: GivenEdge,
  { position, operator, left_config, right_config = null }: GivenConditional,
  place: { names: GraphNames; target: CheckedNode },
): Conditional | string {
  const where = `The condition at position ${position} of the edge ${between(edge)}`;
  const left = toSide(left_config, place);
  if (typeof left === 'string') return `${where} has a left_config that ${left}`;
  const isUnary = UNARY_OPERATORS.includes(operator);
  if (right_config === null && !isUnary) return `${where} has no right_config, which ${operator} compares with.`;
  const right = right_config === null ? null : toSide(right_config, place);
  if (typeof right !== 'string') return { position, operator, left_config: left, right_config: right };
  // Clients send values for the unused side, too.
  if (isUnary) return { position, operator, left_config: left, right_config: null };
  return `${where} has a right_config that ${right}`;
}

const SIDES = 'should be {"type": "source", "source": {"name": …}} or {"type": "static_value", "static_value": …}.';

function toSide(
  config: JsonObject,
  { names, target }: { names: GraphNames; target: CheckedNode },
): ConditionSide | string {
  const { type, source, static_value } = config;
  if (type === 'static_value' && static_value !== undefined) return { type, static_value };
  if (type !== 'source' || !isObject(source) || typeof source.name !== 'string') return SIDES;
  const found = names.find(source.name);
  if (!found) return `names ${shown(source.name)}, which is neither an input nor a node.`;
  if (found.isInput || target.dependencies.includes(found.name)) return { type, source: { name: found.name } };
  return `names ${shown(source.name)}, on which ${shown(target.name)} does not depend. Add it to its dependencies.`;
}
