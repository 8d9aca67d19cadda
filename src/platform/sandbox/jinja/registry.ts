import type { Engine, FilterFunction } from './filter-arguments.js';
import { NUMBER_FILTERS } from './number-filters.js';
import { SEQUENCE_FILTERS } from './sequence-filters.js';
import { TESTS } from './tests.js';
import { TEXT_FILTERS } from './text-filters.js';
import { Arguments, TemplateError, Undefined, type Value, truthy } from './values.js';

const FILTERS: Map<string, FilterFunction> = new Map([
  ...Object.entries(TEXT_FILTERS),
  ...Object.entries(SEQUENCE_FILTERS),
  ...Object.entries(NUMBER_FILTERS),
  ['default', useDefault],
  ['d', useDefault],
]);

const ENGINE: Engine = { filter: runFilter, test: runTest };

/** Throws TemplateError when there is no such filter. */
export function runFilter(name: string, value: Value, given: Arguments): Value {
  const filter = FILTERS.get(name);
  if (!filter) throw new TemplateError(`No filter named '${name}'.`);
  return filter(value, given, ENGINE);
}

/** Throws TemplateError when there is no such test. */
export function runTest(name: string, value: Value, given: Arguments): boolean {
  if (name === 'filter') return typeof value === 'string' && FILTERS.has(value);
  if (name === 'test') return typeof value === 'string' && Object.hasOwn(TESTS, value);
  if (!Object.hasOwn(TESTS, name)) throw new TemplateError(`No test named '${name}'.`);
  return TESTS[name](value, given);
}

function useDefault(value: Value, given: Arguments): Value {
  const [fallback, alsoFalse] = given.bind('default_value', 'boolean');
  const isReplaced = value instanceof Undefined || (truthy(alsoFalse ?? false) && !truthy(value));
  if (!isReplaced) return value;
  return fallback === undefined ? '' : fallback;
}
