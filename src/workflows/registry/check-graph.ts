import { randomUUID } from 'node:crypto';
import { setOwn } from '../../platform/json.js';
import { WorkflowErrors } from '../shared/workflows.errors.js';
import { checkEdges } from './check-edges.js';
import { type CheckedNode, checkNode, type NodeTypes } from './check-nodes.js';
import { GraphNames, toInputType, wrongInputTypes, wrongNames } from './graph-names.js';
import { findCircle } from './order-nodes.js';
import type { GivenGraph, InputVariables, WorkflowGraph } from './workflow-graph.js';

export const MAX_NODES = 200;
const MAX_INPUTS = 200;
/** Maximum number of nodes that a message about a circle names. */
const SHOWN_IN_CIRCLE = 10;
const MAX_BYTES = 5 * 1024 * 1024;

/** A graph that can be stored, with its checked nodes. */
export interface CheckedGraph {
  graph: WorkflowGraph;
  /** In the order of the nodes. */
  nodes: CheckedNode[];
}

/** Checks everything that needs no database. Throws workflow_invalid with every fault that was found. */
export function checkGraph(given: GivenGraph, types: NodeTypes): CheckedGraph {
  refuse(sizeProblems(given));
  const inputs = Object.keys(given.requiredInputVariables);
  const nodeNames = given.nodes.map(({ name }) => name);
  // The later checks need unique names.
  refuse([...wrongNames(inputs, nodeNames), ...wrongInputTypes(given.requiredInputVariables)]);
  const names = new GraphNames(inputs, nodeNames);
  const looked = given.nodes.map((node) => checkNode(node, names, types));
  refuse([...outputProblems(given), ...looked.flatMap((each) => (Array.isArray(each) ? each : []))]);
  const nodes = looked.flatMap((each) => (Array.isArray(each) ? [] : [each]));
  refuse(circleProblems(nodes));
  const byName = new Map(nodes.map((node) => [node.name, node]));
  const { checked: edges, problems } = checkEdges(given.edges, names, byName);
  refuse(problems);
  return { graph: toGraph(given, nodes, edges), nodes };
}

function toGraph(given: GivenGraph, nodes: CheckedNode[], edges: Omit<WorkflowGraph['edges'][number], 'id'>[]) {
  const requiredInputVariables: InputVariables = {};
  for (const [name, type] of Object.entries(given.requiredInputVariables)) {
    setOwn(requiredInputVariables, name, toInputType(type)!);
  }
  return {
    nodes: given.nodes.map(({ name, is_output_node, configuration }, index) => ({
      id: randomUUID(),
      name,
      node_type: nodes[index]!.type.options.name,
      is_output_node,
      configuration,
      dependencies: nodes[index]!.dependencies,
    })),
    edges: edges.map((edge) => ({ id: randomUUID(), ...edge })),
    requiredInputVariables,
  };
}

function refuse(problems: string[]): void {
  if (problems.length > 0) throw WorkflowErrors.workflow_invalid(problems);
}

function sizeProblems(given: GivenGraph): string[] {
  const counts = [
    { what: 'nodes', count: given.nodes.length, most: MAX_NODES, advice: 'Move some of them into another workflow.' },
    {
      what: 'inputs',
      count: Object.keys(given.requiredInputVariables).length,
      most: MAX_INPUTS,
      advice: 'Put some of them into an object.',
    },
  ];
  const tooMany = counts
    .filter(({ count, most }) => count > most)
    .map(({ what, count, most, advice }) => `A workflow has at most ${most} ${what}, and this has ${count}. ${advice}`);
  if (tooMany.length > 0) return tooMany;
  const bytes = Buffer.byteLength(JSON.stringify([given.nodes, given.edges]));
  return bytes > MAX_BYTES
    ? [`The nodes and edges of a workflow take at most ${MAX_BYTES} bytes as JSON, and these take ${bytes}.`]
    : [];
}

function outputProblems({ nodes }: GivenGraph): string[] {
  if (nodes.some((node) => node.is_output_node)) return [];
  return ['No node is an output node. Set is_output_node for the node whose result is that of the workflow.'];
}

function circleProblems(nodes: CheckedNode[]): string[] {
  const circle = findCircle(nodes);
  if (!circle) return [];
  const names = circle.length > SHOWN_IN_CIRCLE ? circle.toSpliced(SHOWN_IN_CIRCLE, Infinity, '…', circle[0]!) : circle;
  return [`These nodes depend on each other: ${names.join(' → ')}. Take one of the dependencies away.`];
}
