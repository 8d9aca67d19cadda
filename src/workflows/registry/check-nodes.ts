import { Problem } from '../../platform/errors/problem.js';
import type { JsonObject } from '../../platform/json.js';
import type { OwnedColumns } from '../../tables/index.js';
import { sourcesOf, wrongNameInTexts } from '../../grid/column-type/sources-of.js';
import { parseConfig } from '../../grid/column-type/parse-config.js';
import type { RegisteredColumnType } from '../../grid/column-type/column-type.js';
import { type GraphNames, shown } from './graph-names.js';
import type { GivenNode } from './workflow-graph.js';

/** The column types that nodes may have. */
export type NodeTypes = Pick<OwnedColumns, 'computedTypes' | 'findComputedType'>;

/** A node whose configuration fits its type. */
export interface CheckedNode {
  name: string;
  type: RegisteredColumnType;
  /** The configuration as the type understands it. */
  config: JsonObject;
  /** Names in the spelling of the inputs and nodes, each once. */
  dependencies: string[];
}

/** Checks a node. Returns a sentence for each fault if there is any. */
export function checkNode(node: GivenNode, names: GraphNames, types: NodeTypes): CheckedNode | string[] {
  const type = types.findComputedType(node.node_type);
  const problems = dependencyProblems(node, names);
  const dependencies = [...new Set(node.dependencies.map((name) => names.find(name)?.name ?? name))];
  if (!type) return [...problems, unknownType(node, types)];
  try {
    const config = parseConfig(type, node.configuration);
    problems.push(...configProblems({ name: node.name, type, config, dependencies }, names));
    return problems.length > 0 ? problems : { name: node.name, type, config, dependencies };
  } catch (error) {
    return [...problems, misfit(node.name, error)];
  }
}

/** Describes a fault of a configuration in a sentence. Rethrows errors other than problems. */
export function misfit(name: string, error: unknown): string {
  if (error instanceof Problem) return `The node ${shown(name)} cannot be computed: ${error.message}`;
  throw error;
}

function unknownType({ name, node_type: type }: GivenNode, types: NodeTypes): string {
  const known = types.computedTypes().map(({ options }) => options.name);
  if (type.toUpperCase() === 'CONDITION') {
    return `The node ${shown(name)} has the type CONDITION. Conditions are no nodes: put them into an edge to the node that depends on them.`;
  }
  return `The node ${shown(name)} has the type ${shown(type)}, which no node can have. Use one of ${known.join(', ')}.`;
}

function dependencyProblems({ name, dependencies }: GivenNode, names: GraphNames): string[] {
  const self = names.find(name);
  return dependencies.flatMap((dependency) => {
    const found = names.find(dependency);
    if (!found) {
      return [
        `The node ${shown(name)} depends on ${shown(dependency)}, which is neither an input nor a node. Names are exact, letter case included.`,
      ];
    }
    return found === self ? [`The node ${shown(name)} depends on itself. Take it out of its dependencies.`] : [];
  });
}

/** A configuration may name any input and the nodes that its node depends on. Only these have values when the node starts. */
function configProblems({ name, type, config, dependencies }: CheckedNode, names: GraphNames): string[] {
  const wrongText = wrongNameInTexts(type, config);
  const problems = wrongText ? [`The node ${shown(name)} cannot be computed: ${wrongText}`] : [];
  for (const { reference, place } of sourcesOf(type, config)) {
    const found = names.find(reference);
    if (!found) {
      problems.push(
        `The node ${shown(name)} names ${shown(reference)} as ${place}, which is neither an input nor a node. Names are exact, letter case included.`,
      );
    } else if (!found.isInput && !dependencies.includes(found.name)) {
      problems.push(
        `The node ${shown(name)} names ${shown(reference)} as ${place} without depending on it. Add it to the dependencies of the node.`,
      );
    }
  }
  return problems;
}
