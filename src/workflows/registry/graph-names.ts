import type { JsonObject } from '../../platform/json.js';
import { INPUT_TYPES, type InputType } from './workflow-graph.js';

const MAX_NAME = 255;

/** How messages show what a client wrote: it may be long, and may hold anything. */
export const shown = (text: string): string => JSON.stringify(Array.from(text.slice(0, 200)).slice(0, 100).join(''));

/** Two ways to write the same letters make the same name. */
export const nameKey = (name: string): string => name.normalize('NFC');

export interface KnownName {
  /** As the input or the node writes it. */
  name: string;
  isInput: boolean;
}

/** The names of inputs and nodes, which can be named by others. */
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

/** What is wrong with the names of inputs and nodes: a sentence for each fault. */
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

/** The type that an input is given with, in any letter case; null for what is none. */
export function toInputType(type: unknown): InputType | null {
  return INPUT_TYPES.find((known) => typeof type === 'string' && known === type.toLowerCase()) ?? null;
}

/** What is wrong with the types of inputs: a sentence for each fault. */
export function wrongInputTypes(inputs: JsonObject): string[] {
  return Object.entries(inputs)
    .filter(([, type]) => toInputType(type) === null)
    .map(([name, type]) => {
      const given = typeof type === 'string' ? shown(type) : 'a value that is no text';
      return `The input ${shown(name)} has ${given} as its type. Use one of ${INPUT_TYPES.join(', ')}.`;
    });
}

/** Code points, as people count. */
function isLong(name: string): boolean {
  return name.length > MAX_NAME && [...name].length > MAX_NAME;
}

/** Names that are there more than once, each once. */
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
