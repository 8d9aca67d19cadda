import { FunctionExpressionType, JSONPathEnvironment, type JSONPathQuery } from 'json-p3';
import { fitsJsonLimits } from '../json-limits.js';
import type { JsonValue } from '../json.js';
import { BoundedCache } from './bounded-cache.js';
import { EvaluationError } from './evaluation-error.js';
import { compilePattern, MAX_MATCHES, searchPattern } from './pattern.js';

/** Deepest JSON that is read; the same as in request bodies, so that what is found can always be stored. */
const LIMITS = { depth: 64, containers: 1_000_000 };
export const MAX_PATH = 4_096;

const environment = new JSONPathEnvironment({ maxRecursionDepth: LIMITS.depth + 1 });
// The library's own use the engine of JavaScript, which needs exponential time for some patterns.
environment.functionRegister.set(
  'match',
  patternFunction((pattern) => `\\A(?:${pattern})\\z`),
);
environment.functionRegister.set(
  'search',
  patternFunction((pattern) => pattern),
);

const cache = new BoundedCache<JSONPathQuery>(500);

/** A JSONPath (RFC 9535); `$` may be left out. Throws EvaluationError with what is wrong. */
export function compileJsonPath(path: string): JSONPathQuery {
  return cache.get(path, () => {
    if (path.length > MAX_PATH) throw new EvaluationError(`A JSONPath may have ${MAX_PATH} characters at most.`);
    try {
      return environment.compile(rooted(path.trim()));
    } catch (error) {
      throw new EvaluationError(`"${path.slice(0, 100)}" is not a valid JSONPath: ${(error as Error).message}.`);
    }
  });
}

/** The first match or null, or the list of all. */
export function queryJson(query: JSONPathQuery, value: JsonValue, first: boolean): JsonValue {
  if (first) return (query.match(value)?.value as JsonValue | undefined) ?? null;
  const found: JsonValue[] = [];
  for (const node of query.lazyQuery(value)) {
    if (found.length === MAX_MATCHES) throw new EvaluationError(`There are more than ${MAX_MATCHES} matches.`);
    found.push(node.value as JsonValue);
  }
  return found;
}

/** Reads JSON that may be anything. Blank text is null. */
export function parseJson(text: string): JsonValue {
  if (text.trim() === '') return null;
  if (!fitsJsonLimits(text, LIMITS)) throw new EvaluationError(`The JSON nests deeper than ${LIMITS.depth} levels.`);
  try {
    return JSON.parse(text) as JsonValue;
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
    // What is no text or no pattern does not match: so says the standard.
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
