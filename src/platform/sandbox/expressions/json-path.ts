import {
  FunctionExpressionType,
  JSONPathEnvironment,
  type JSONPathNode,
  type JSONPathQuery,
  type JSONValue,
} from 'json-p3';
import { readFiniteJson } from '../../read-json.js';
import { jsonInText, type WantedJson } from '../../json-in-text.js';
import { fitsJsonLimits } from '../../json-limits.js';
import type { JsonValue } from '../../json.js';
import { EvaluationError } from './evaluation-error.js';
import { compilePattern, MAX_MATCHES, searchPattern } from './pattern.js';

/** Maximum depth of JSON, the same as in request bodies, so that results can always be stored. */
const LIMITS = { depth: 64, containers: 1_000_000 };
export const MAX_PATH = 4_096;

const environment = new JSONPathEnvironment({ maxRecursionDepth: LIMITS.depth + 1 });
// The library's own functions use JavaScript's engine, which needs exponential time for some patterns.
environment.functionRegister.set(
  'match',
  patternFunction((pattern) => `\\A(?:${pattern})\\z`),
);
environment.functionRegister.set(
  'search',
  patternFunction((pattern) => pattern),
);

/** Compiles a JSONPath (RFC 9535); `$` may be left out. Throws EvaluationError with the problem. */
export function compileJsonPath(path: string): JSONPathQuery {
  if (path.length > MAX_PATH) throw new EvaluationError(`A JSONPath may have ${MAX_PATH} characters at most.`);
  try {
    return environment.compile(rooted(path.trim()));
  } catch (error) {
    throw new EvaluationError(`"${path.slice(0, 100)}" is not a valid JSONPath: ${(error as Error).message}.`);
  }
}

/** The first match or null, or the list of all. */
export function queryJson(query: JSONPathQuery, value: JsonValue, first: boolean): JsonValue {
  // Filters compare numbers only. Matches are looked up again in the original value, with all digits.
  const comparable = (query.toString().includes('?') ? withPlainNumbers(value) : value) as JSONValue;
  const exact = (node: JSONPathNode) =>
    comparable === value ? (node.value as JsonValue) : valueAt(value, node.location);
  if (first) {
    const node = query.match(comparable);
    return node ? exact(node) : null;
  }
  const found: JsonValue[] = [];
  for (const node of query.lazyQuery(comparable)) {
    if (found.length === MAX_MATCHES) throw new EvaluationError(`There are more than ${MAX_MATCHES} matches.`);
    found.push(exact(node));
  }
  return found;
}

/** A copy with numbers in place of bigints; the value itself when it has none. */
export function withPlainNumbers(value: JsonValue): JsonValue {
  if (typeof value === 'bigint') return Number(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const items = value.map(withPlainNumbers);
    return items.some((item, index) => item !== value[index]) ? items : value;
  }
  const entries = Object.entries(value).map(([key, item]) => [key, withPlainNumbers(item)] as const);
  return entries.some(([key, item]) => item !== value[key]) ? Object.fromEntries(entries) : value;
}

function valueAt(value: JsonValue, location: (string | number)[]): JsonValue {
  return location.reduce((inner, step) => (inner as Record<string | number, JsonValue>)[step]!, value);
}

/**
 * Parses any JSON, also in the ways that models write it. Blank text is null. `accepts` says which kind of JSON was
 * requested.
 */
export function parseJson(text: string, accepts?: WantedJson['accepts']): JsonValue {
  if (text.trim() === '') return null;
  const find = () => jsonInText(text, { limits: LIMITS, accepts });
  try {
    const value = parseStrictJson(text);
    return !accepts || accepts(value) ? value : (find() ?? value);
  } catch (error) {
    const found = find();
    if (found === undefined) throw error;
    return found;
  }
}

/** Parses any JSON, but nothing around it. */
export function parseStrictJson(text: string): JsonValue {
  if (!fitsJsonLimits(text, LIMITS)) throw new EvaluationError(`The JSON nests deeper than ${LIMITS.depth} levels.`);
  try {
    return readFiniteJson(text);
  } catch (error) {
    throw new EvaluationError(`The source is not valid JSON: ${(error as Error).message.slice(0, 200)}.`);
  }
}

function rooted(path: string): string {
  if (path.startsWith('$')) return path;
  return /^[.[]/.test(path) ? `$${path}` : `$.${path}`;
}

function patternFunction(wrap: (pattern: string) => string) {
  const { ValueType, LogicalType } = FunctionExpressionType;
  return {
    argTypes: [ValueType, ValueType],
    returnType: LogicalType,
    // The standard says that values other than texts and patterns do not match.
    call(text: unknown, pattern: unknown): boolean {
      if (typeof text !== 'string' || typeof pattern !== 'string') return false;
      try {
        return searchPattern(compilePattern(wrap(pattern)), text);
      } catch {
        return false;
      }
    },
  };
}
