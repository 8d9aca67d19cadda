import { dictEntries } from './methods.js';
import { toText } from './text.js';
import { Arguments, Callable, Namespace, TemplateError, type Value, toInt } from './values.js';

/** The limit of Jinja2's sandbox. */
const MAX_RANGE = 100_000;

const FUNCTIONS: Record<string, (given: Arguments) => Value> = {
  range: (given) => range(given.positional),
  dict: (given) => new Map(dictEntries(given)),
  namespace: (given) => new Namespace(new Map(dictEntries(given).map(([key, value]) => [toText(key), value]))),
  cycler: (given) => cycler(given.positional),
  joiner: (given) => joiner(given.bind('sep')[0] ?? ', '),
};

/** Names that every template has. They are no variables. */
export const GLOBAL_NAMES: ReadonlySet<string> = new Set(Object.keys(FUNCTIONS));

export function makeGlobals(): Map<string, Value> {
  return new Map(Object.entries(FUNCTIONS).map(([name, call]) => [name, new Callable(name, call)]));
}

function range(given: Value[]): Value {
  if (given.length === 0 || given.length > 3) throw new TemplateError('range takes one to three arguments');
  const [first, second, third] = given.map((value) => toInt(value, 0));
  const [start, stop, step] = given.length === 1 ? [0, first, 1] : [first, second, third ?? 1];
  if (step === 0) throw new TemplateError('range step must not be zero');
  const length = Math.max(0, Math.ceil((stop - start) / step));
  if (length > MAX_RANGE) throw new TemplateError(`Range too big. The maximum is ${MAX_RANGE}.`);
  return Array.from({ length }, (_, index) => BigInt(start + index * step));
}

function cycler(items: Value[]): Value {
  if (items.length === 0) throw new TemplateError('at least one item has to be provided');
  const entries = new Map<string, Value>();
  let at = 0;
  const moveTo = (index: number): Value => {
    at = index % items.length;
    entries.set('current', items[at]);
    return items[at];
  };
  const next = (): Value => {
    const item = items[at];
    moveTo(at + 1);
    return item;
  };
  entries.set('next', new Callable('next', next));
  entries.set('reset', new Callable('reset', () => (moveTo(0), null)));
  moveTo(0);
  return new Namespace(entries);
}

function joiner(separator: Value): Value {
  let isUsed = false;
  return new Callable('joiner', () => {
    if (isUsed) return separator;
    isUsed = true;
    return '';
  });
}
