import { isObject, type JsonValue } from '../platform/json.js';
import { type SpanAttributes, toNumber } from './attributes.js';
import { toCamelCase, valueAt } from './sources.js';
import { type CostPart, type CostWords, declaredWords, derivedFromWords, keyOf, type Source } from './words.js';

/** Names of the cost of a whole call. */
const TOTALS = [
  'cost',
  'total_cost',
  'cost.total',
  'cost_usd',
  'total_cost_usd',
  'cost.usd',
  'cost_total',
  'estimated_cost',
];
/** Names of a total where all attributes are costs. One sender names costs after the tokens that are paid. */
const SHORT_TOTALS = ['total', 'usd', 'total_usd', 'total_tokens'];

/** Names of the parts of a cost: each line is one part under several names. */
const PARTS = [
  ['input_cost', 'prompt_cost', 'cost.input', 'cost.prompt', 'input_cost_usd', 'prompt_cost_usd', 'input_tokens_cost'],
  ['output_cost', 'completion_cost', 'cost.output', 'cost.completion', 'output_cost_usd', 'output_tokens_cost'],
  [
    'cache_read_cost',
    'cached_cost',
    'cached_input_cost',
    'cache_read_input_cost',
    'input_cost.cached',
    'cost.cache_read',
  ],
  [
    'cache_write_cost',
    'cache_creation_cost',
    'cache_creation_input_cost',
    'input_cost.cache_write',
    'cost.cache_write',
  ],
  ['reasoning_cost', 'thinking_cost', 'reasoning_output_cost', 'output_cost.reasoning', 'cost.reasoning'],
  ['tool_cost', 'tool_usage_cost', 'tools_cost', 'web_search_cost', 'cost.tools'],
  ['request_cost', 'requests_cost', 'cost.request'],
  ['audio_cost', 'cost.audio'],
  ['image_cost', 'images_cost', 'cost.image'],
  ['additional_cost', 'other_cost'],
];
const SHORT_PARTS = [
  ['input', 'prompt', 'input_tokens'],
  ['output', 'completion', 'output_tokens'],
  ['cache_read', 'cached', 'input_tokens.cached'],
  ['cache_write', 'cache_creation', 'input_tokens.cache_write'],
  ['reasoning', 'output_tokens.reasoning'],
];

/** All names of costs, for the reference. */
export const COST_NAMES: [what: string, names: string[]][] = [
  ['total cost', [...TOTALS, ...SHORT_TOTALS]],
  ['parts of the cost', PARTS.flatMap((line, at) => [...line, ...(SHORT_PARTS[at] ?? [])])],
];

/** Members of an object of costs that are no costs. */
const NO_COST = /percent|rate|discount|margin|per_|unit|tokens?$|count/i;

/** One way to report the cost of a call: the parts are added. */
interface Statement {
  parts: CostPart[];
}

const ALL_TOTALS = derivedFromWords(() => withCosts(totalsOf));
const ALL_OBJECTS = derivedFromWords(() => withCosts(({ objects = [] }) => objects));
const ALL_PARTS = derivedFromWords(() => withCosts(partsOf));

const keysOfSource = (source: Source): string[] => [keyOf(source)];

/** US dollars that a span reports for its call; null when it reports none, or zero, which stands for "not known". */
export function readReportedPrice(attributes: SpanAttributes): number | null {
  return attributes.inTurn(priceIn);
}

/** A total takes precedence over any sum of parts, whichever convention it belongs to. */
function priceIn(attributes: SpanAttributes): number | null {
  for (const source of attributes.among(ALL_TOTALS(), keysOfSource)) {
    const price = dollarsAt(attributes, source);
    if (price > 0) return price;
  }
  for (const source of attributes.among(ALL_OBJECTS(), keysOfSource)) {
    const sum = sumOfMembers(objectAt(attributes, source));
    if (sum > 0) return sum;
  }
  for (const { parts } of attributes.among(ALL_PARTS(), ({ parts }) => parts.flatMap(keysOfPart))) {
    const sum = parts.reduce((price, part) => price + costOfPart(attributes, part), 0);
    if (sum > 0 && Number.isFinite(sum)) return sum;
  }
  return null;
}

function withCosts<T>(read: (words: CostWords) => T[]): T[] {
  return declaredWords().flatMap(({ words }) => (words.cost ? read(words.cost) : []));
}

function totalsOf({ totals = [], prefixes = [], objects = [], mixedObjects = [] }: CostWords): Source[] {
  return [
    ...totals,
    ...prefixes.flatMap((prefix) => spelled(namesBelow(prefix, TOTALS, SHORT_TOTALS)).map((name) => prefix + name)),
    ...objects.flatMap((object) => spelled([...TOTALS, ...SHORT_TOTALS]).map((name) => member(object, name))),
    ...mixedObjects.flatMap((object) => spelled(TOTALS).map((name) => member(object, name))),
  ];
}

function partsOf({ parts = [], prefixes = [], mixedObjects = [] }: CostWords): Statement[] {
  return [
    ...parts.map((list) => ({ parts: list })),
    ...prefixes.map((prefix) => ({ parts: partsBelow(prefix) })),
    ...mixedObjects.map((object) => ({ parts: PARTS.map((line) => ({ anyOf: membersOf(object, line) })) })),
  ];
}

/** Each part is counted once, so its names are alternatives. */
function partsBelow(prefix: string): CostPart[] {
  const lines = isOnlyCosts(prefix) ? PARTS.map((line, at) => [...line, ...(SHORT_PARTS[at] ?? [])]) : PARTS;
  return lines.map((line) => ({ anyOf: spelled(line).map((name) => prefix + name) }));
}

const membersOf = (object: Source, names: string[]): Source[] => spelled(names).map((name) => member(object, name));

function namesBelow(prefix: string, names: string[], short: string[]): string[] {
  return isOnlyCosts(prefix) ? [...names, ...short] : names;
}

/** `gen_ai.cost.` holds only costs, `gen_ai.usage.` also holds counts. */
const isOnlyCosts = (prefix: string): boolean => /cost[._]?$/i.test(prefix);

const spelled = (names: string[]): string[] => [...new Set([...names, ...names.map(toCamelCase)])];

function member(object: Source, name: string): Source {
  const path = typeof object === 'string' ? ([object] as const) : object;
  return [path[0], ...path.slice(1), ...name.split('.')];
}

function keysOfPart(part: CostPart): string[] {
  if (typeof part === 'string') return [part];
  if ('anyOf' in part) return part.anyOf.map(keyOf);
  return 'whole' in part ? [part.whole, ...part.of].map(keyOf) : [part[0]];
}

function costOfPart(attributes: SpanAttributes, part: CostPart): number {
  if (typeof part === 'string' || !('anyOf' in part || 'whole' in part)) return dollarsAt(attributes, part);
  if ('anyOf' in part) return firstAt(attributes, part.anyOf);
  return dollarsAt(attributes, part.whole) || part.of.reduce((sum, source) => sum + dollarsAt(attributes, source), 0);
}

function firstAt(attributes: SpanAttributes, sources: readonly Source[]): number {
  for (const source of sources) {
    const dollars = dollarsAt(attributes, source);
    if (dollars > 0) return dollars;
  }
  return 0;
}

/** 0 when there are none. */
function dollarsAt(attributes: SpanAttributes, source: Source): number {
  return Math.max(0, toNumber(valueAt(attributes, source)) ?? 0);
}

function objectAt(attributes: SpanAttributes, source: Source): JsonValue | undefined {
  return typeof source === 'string' ? attributes.json(source) : valueAt(attributes, source);
}

/** An object of costs may use any names for its parts: all are added. */
function sumOfMembers(costs: JsonValue | undefined): number {
  if (!isObject(costs)) return 0;
  const parts = Object.entries(costs).filter(([name]) => !NO_COST.test(name) || name.endsWith('_tokens'));
  const sum = parts.reduce((all, [, value]) => all + Math.max(0, toNumber(value) ?? 0), 0);
  return Number.isFinite(sum) ? sum : 0;
}
