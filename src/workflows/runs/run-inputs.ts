import { isObject, type JsonObject, type JsonValue, setOwn } from '../../platform/json.js';
import type { InputType, InputVariables } from '../registry/workflow-graph.js';

/** The values of the inputs of a run, and nothing else. */
export interface RunInputs {
  values: JsonObject;
  /** A sentence that names unused values of the request. */
  warning: string | null;
}

const TYPES: Record<InputType, { called: string; fits: (value: JsonValue) => boolean }> = {
  string: { called: 'a string', fits: (value) => typeof value === 'string' },
  number: { called: 'a number', fits: (value) => typeof value === 'number' || typeof value === 'bigint' },
  integer: { called: 'an integer', fits: (value) => typeof value === 'bigint' || Number.isInteger(value) },
  boolean: { called: 'true or false', fits: (value) => typeof value === 'boolean' },
  object: { called: 'an object', fits: isObject },
  array: { called: 'an array', fits: (value) => Array.isArray(value) },
};

/** Whether a value has the type of an input. */
export function fitsInput(type: InputType, value: JsonValue): boolean {
  return TYPES[type].fits(value);
}

/** Returns the values of the inputs, or a sentence for each input that is missing or has a wrong type. */
export function readInputs(required: InputVariables, given: JsonObject): RunInputs | { problems: string[] } {
  const problems: string[] = [];
  const values: JsonObject = {};
  for (const [name, type] of Object.entries(required)) {
    const value = Object.hasOwn(given, name) ? given[name]! : undefined;
    if (value === undefined) problems.push(`The input ${shown(name)} is missing. Send ${TYPES[type].called}.`);
    else if (!fitsInput(type, value)) {
      problems.push(`The input ${shown(name)} is ${describe(value)}, but should be ${TYPES[type].called}.`);
    } else setOwn(values, name, value);
  }
  if (problems.length > 0) return { problems };
  const unknown = Object.keys(given).filter((name) => !Object.hasOwn(required, name));
  return { values, warning: unknown.length === 0 ? null : warningOf(unknown) };
}

const TOLD = 10;

function warningOf(names: string[]): string {
  const told = names.slice(0, TOLD).map(shown).join(', ');
  const more = names.length > TOLD ? ` and ${names.length - TOLD} more` : '';
  return `The workflow has no such inputs, so they were not used: ${told}${more}.`;
}

function describe(value: JsonValue): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  const type = typeof value;
  if (type === 'bigint') return 'a number';
  return type === 'object' ? 'an object' : `a ${type}`;
}

/** Text of a client for a message: shortened and escaped. */
const shown = (text: string): string => JSON.stringify(Array.from(text.slice(0, 200)).slice(0, 100).join(''));
