import type { JsonObject } from '../../platform/json.js';
import { INPUT_TYPES, type InputType } from './workflow-graph.js';

const MAX_NAME = 255;

/** Text of a client for a message: shortened and escaped. */
export const shown = (text: string): string => JSON.stringify(Array.from(text.slice(0, 200)).slice(0, 100).join(''));

/** Normalizes Unicode: the same letters in different code points make the same name. */
export const nameKey = (name: string): string => name.normalize('NFC');

export interface KnownName {
  /** In the spelling of the input or the node. */
  name: string;
  isInput: boolean;
}

/** Names of inputs and nodes that nodes and edges can refer to. */
export class GraphNames {
  private readonly known: Map<string, KnownName>;

  constructor(inputs: string[], nodes: string[]) {
    const all = [
      ...nodes.map((name) => ({ name, isInput: false })),
      ...inputs.map((name) => ({ name, isInput: true })),
    ];
    this.known = new Map(all.map((each) => [nameKey(each.name), each]));
  }

  find(name: string): KnownName | null {
    return this.known.get(nameKey(name)) ?? null;
  }
}

/** Checks the names of inputs and nodes. Returns a sentence for each fault. */
export function wrongNames(inputs: string[], nodes: string[]): string[] {
  const bad = [...inputs, ...nodes].filter((name) => name.trim() === '' || isLong(name));
  const inputKeys = new Set(inputs.map(nameKey));
  return [
    ...bad.map(
      (name) => `${shown(name)} cannot be a name. A name has 1 to ${MAX_NAME} characters that are not all blank.`,
    ),
    ...repeated(inputs).map((name) => `Two inputs are named ${shown(name)}. Give each input a name of its own.`),
    ...repeated(nodes).map((name) => `Two nodes are named ${shown(name)}. Give each node a name of its own.`),
    ...nodes
      .filter((name) => inputKeys.has(nameKey(name)))
      .map((name) => `A node and an input are both named ${shown(name)}. Give one of them another name.`),
  ];
}

/** The type of an input, in any letter case; null for an unknown one. */
export function toInputType(type: unknown): InputType | null {
  return INPUT_TYPES.find((known) => typeof type === 'string' && known === type.toLowerCase()) ?? null;
}

/** Checks the types of inputs. Returns a sentence for each fault. */
export function wrongInputTypes(inputs: JsonObject): string[] {
  return Object.entries(inputs)
    .filter(([, type]) => toInputType(type) === null)
    .map(([name, type]) => {
      const given = typeof type === 'string' ? shown(type) : 'a value that is no text';
      return `The input ${shown(name)} has ${given} as its type. Use one of ${INPUT_TYPES.join(', ')}.`;
    });
}

/** Counts code points, as people do. */
function isLong(name: string): boolean {
  return name.length > MAX_NAME && [...name].length > MAX_NAME;
}

/** Names that occur more than once, each listed once. */
function repeated(names: string[]): string[] {
  const seen = new Set<string>();
  const twice = new Map<string, string>();
  for (const name of names) {
    const key = nameKey(name);
    if (seen.has(key)) twice.set(key, name);
    seen.add(key);
  }
  return [...twice.values()];
}
