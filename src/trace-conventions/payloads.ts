import { isObject, type JsonObject, type JsonValue } from '../platform/json.js';
import { toNumber } from './attributes.js';
import { pathsOf } from './usage-names.js';
import type { Count } from './words.js';
import { firstText } from '../llm/messages/parts.js';

/** Where an answer keeps its usage, as a path. */
const USAGE_PATHS: (string | number)[][] = [
  ['usage'],
  ['usageMetadata'],
  ['usage_metadata'],
  ['llm_output', 'token_usage'],
  ['generations', 0, 0, 'message', 'kwargs', 'usage_metadata'],
  ['generations', 0, 0, 'message', 'usage_metadata'],
  ['token_usage'],
  // Events of a stream.
  ['message', 'usage'],
  ['response', 'usage'],
];

/** The attributes of the counts in an answer. */
const ATTRIBUTES: readonly [key: string, count: Count][] = [
  ['gen_ai.usage.input_tokens', 'input'],
  ['gen_ai.usage.output_tokens', 'output'],
  ['gen_ai.usage.total_tokens', 'total'],
  ['gen_ai.usage.cache_read.input_tokens', 'cached'],
  ['gen_ai.usage.cache_creation.input_tokens', 'cacheWrite'],
  ['gen_ai.usage.reasoning.output_tokens', 'thinking'],
];

/** Google counts thoughts beside its candidates, others among the output. */
const THOUGHTS_APART = ['thoughtsTokenCount', 'thoughts_token_count'];

/** Anthropic counts these beside its input, and gives no total. */
const CACHE_APART = ['cache_read_input_tokens', 'cache_creation_input_tokens'];

/** The token counts of a vendor's answer, as attributes. In a stream, later chunks override earlier ones. */
export function impliedUsage(answer: JsonValue | undefined): JsonObject {
  if (Array.isArray(answer))
    return withTotal(Object.assign({}, ...answer.map(countsOf)) as JsonObject, isApart(answer));
  return withTotal(countsOf(answer), isApart([answer ?? null]));
}

function isApart(answers: JsonValue[]): boolean {
  return answers.some((answer) => CACHE_APART.some((name) => toNumber(usageOf(answer)?.[name]) !== null));
}

/** Adds a missing total where the counts are known not to overlap. */
function withTotal(counts: JsonObject, isApart: boolean): JsonObject {
  if (!isApart || counts['gen_ai.usage.total_tokens'] !== undefined) return counts;
  const added = ATTRIBUTES.filter(([, count]) => count !== 'thinking').map(([key]) => toNumber(counts[key]) ?? 0);
  return { ...counts, 'gen_ai.usage.total_tokens': added.reduce((sum, count) => sum + count, 0) };
}

function usageOf(answer: JsonValue | undefined): JsonObject | undefined {
  return USAGE_PATHS.map((path) => at(answer, path)).find(isObject);
}

function countsOf(answer: JsonValue | undefined): JsonObject {
  const usage = usageOf(answer);
  const implied: JsonObject = {};
  if (!usage) return implied;
  for (const [key, count] of ATTRIBUTES) {
    const found = firstNumber(pathsOf(count).map((path) => at(usage, path)));
    if (found !== null) implied[key] = found;
  }
  const cost = toNumber(usage.cost);
  if (cost !== null) implied['gen_ai.usage.cost'] = cost;
  const thoughts = THOUGHTS_APART.map((name) => toNumber(usage[name])).find((number) => number !== null);
  const output = toNumber(implied['gen_ai.usage.output_tokens']);
  if (thoughts !== undefined && output !== null) implied['gen_ai.usage.output_tokens'] = output + thoughts;
  return implied;
}

function firstNumber(values: (JsonValue | undefined)[]): number | null {
  for (const value of values) {
    const number = toNumber(value);
    if (number !== null) return number;
  }
  return null;
}

/** The model that a request or an answer names, as an attribute. */
export function impliedModel(...payloads: (JsonValue | undefined)[]): JsonObject {
  const model = firstText(...payloads.map((payload) => (isObject(payload) ? payload.model : null)));
  return model === '' ? {} : { 'gen_ai.request.model': model };
}

/** The value at the end of a path of members and indexes; undefined when the path breaks off. */
export function at(value: JsonValue | undefined, path: readonly (string | number)[]): JsonValue | undefined {
  let inner = value;
  for (const step of path) {
    if (typeof step === 'number') inner = Array.isArray(inner) ? inner[step] : undefined;
    else inner = isObject(inner) && Object.hasOwn(inner, step) ? inner[step] : undefined;
  }
  return inner;
}
