import { isObject, type JsonValue } from '../../platform/json.js';
import { BooleanRules } from '../../scoring/index.js';
import { singleNumber, unwrapCell } from '../../grid/cells/unwrap-cell.js';

/** Maps numbers from `min` … `max` to 0 … 1, or to 1 … 0 when it inverts. */
export interface ScoreAdapter {
  type: 'linear';
  min: number;
  max: number;
  invert: boolean;
}

/** What a result is worth, from 0 to 1; `skipped` when it says nothing. */
export type Adapted = { score: number } | { skipped: true } | { problem: string };

const BOOLEANS = new BooleanRules({});

const NOT_SCOREABLE =
  'The result is not scoreable. It should be true or false, a number, assertions, or an object with a score.';

/** The score of a result. Several assertions count by the share of those that hold; other numbers than 0 to 1 are cut to that. */
export function adaptScore(value: JsonValue, adapter: ScoreAdapter | null): Adapted {
  const values = unwrapCell(value);
  if (values.length === 0) return isNothing(value) ? { skipped: true } : { problem: NOT_SCOREABLE };
  // The texts 1 and 0 are numbers here, which an adapter may map.
  const number = singleNumber(values);
  if (number !== null) return { score: toScore(number, adapter) };
  const boolean = BOOLEANS.score(values);
  if (boolean === null) return { problem: NOT_SCOREABLE };
  return { score: adapter?.invert ? 1 - boolean : boolean };
}

/** What callers see as the result: of an inverted check the opposite, so that it tells the same as its score. */
export function shownResult(value: JsonValue, adapter: ScoreAdapter | null): JsonValue {
  return adapter?.invert && typeof value === 'boolean' ? !value : value;
}

function toScore(number: number, adapter: ScoreAdapter | null): number {
  const share = adapter ? (number - adapter.min) / (adapter.max - adapter.min) : number;
  const score = Math.min(1, Math.max(0, share));
  return adapter?.invert ? 1 - score : score;
}

/** null, or an object that says so. */
function isNothing(value: JsonValue): boolean {
  let inner: JsonValue | undefined = value;
  while (isObject(inner))
    inner = inner.comparison_result ?? inner.score ?? inner.value ?? (hasResult(inner) ? null : undefined);
  return inner === null;
}

function hasResult(object: object): boolean {
  return 'comparison_result' in object || 'score' in object || 'value' in object;
}
