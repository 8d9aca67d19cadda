import { ValidationProblem } from '../errors/problem.js';
import { parseExactly } from '../exact-integers.js';
import { fitsJsonLimits } from '../json-limits.js';
import type { JsonValue } from '../json.js';

const JSON_LIMITS = { depth: 64, containers: 10_000 };

/** The filter group of a query string; null when there is none. Throws a 422 when it is not JSON. */
export function readFilterText(text: string | undefined, name: string): JsonValue {
  if (text === undefined || text.trim() === '') return null;
  try {
    if (fitsJsonLimits(text, JSON_LIMITS)) return parseExactly(text) as JsonValue;
  } catch {
    // Reported below.
  }
  const msg = 'Input should be JSON text of a filter group';
  throw new ValidationProblem([{ loc: ['query', name], msg, type: 'json_invalid' }]);
}
