import { isObject, type JsonValue } from '../../platform/json.js';
import { BooleanRules } from '../../scoring/index.js';
import { singleNumber, unwrapCell } from '../../grid/cells/unwrap-cell.js';

/** Maps numbers from `min` … `max` to 0 … 1, or inverted to 1 … 0. */
export interface ScoreAdapter {
  type: 'linear';
  min: number;
  max: number;
  invert: boolean;
}

/** The score of a result, from 0 to 1; `skipped` when it has none. */
export type Adapted = { score: number } | { skipped: true } | { problem: string };

const BOOLEANS = new BooleanRules({});

const NOT_SCOREABLE =
  'The result is not scoreable. It should be true or false, a number, assertions, or an object with a score.';

/** The score of a result. Several assertions count by the share of true ones; numbers are limited to 0 … 1. */
export function adaptScore(value: JsonValue, adapter: ScoreAdapter | null): Adapted {
  const values = unwrapCell(value);
  if (values.length === 0) return isNothing(value) ? { skipped: true } : { problem: NOT_SCOREABLE };
  // The texts 1 and 0 are numbers, which an adapter may map.
  const number = singleNumber(values);
  if (number !== null) return { score: toScore(number, adapter) };
  const boolean = BOOLEANS.score(values);
  if (boolean === null) return { problem: NOT_SCOREABLE };
  return { score: adapter?.invert ? 1 - boolean : boolean };
}

/** The result that callers see. An inverted check shows the opposite, in agreement with its score. */
export function shownResult(value: JsonValue, adapter: ScoreAdapter | null): JsonValue {
  return adapter?.invert && typeof value === 'boolean' ? !value : value;
}

function toScore(number: number, adapter: ScoreAdapter | null): number {
  const share = adapter ? (number - adapter.min) / (adapter.max - adapter.min) : number;
  const score = Math.min(1, Math.max(0, share));
  return adapter?.invert ? 1 - score : score;
}

/** null, or an object that wraps null. */
function isNothing(value: JsonValue): boolean {
  let inner: JsonValue | undefined = value;
  while (isObject(inner))
    inner = inner.comparison_result ?? inner.score ?? inner.value ?? (hasResult(inner) ? null : undefined);
  return inner === null;
}

function hasResult(object: object): boolean {
  return 'comparison_result' in object || 'score' in object || 'value' in object;
}
