import type { JsonValue } from '../platform/json.js';
import { cellScorer } from '../scoring/index.js';
import { positionOf, type Rubric } from './rubric.js';

const scoreOf = cellScorer({});

/**
 * Maps the value of a judge's column to a choice of a rubric; null if it matches none. Values are read like in sheet scores:
 * 1 for passed, 0 for failed.
 */
export function judgedPosition(rubric: Rubric, value: JsonValue): number | null {
  if (rubric.kind === 'categories') return positionOf(rubric, value);
  const score = scoreOf(value);
  if (rubric.kind === 'scale') return score === null ? null : positionOf(rubric, score);
  return score === 1 || score === 0 ? positionOf(rubric, score === 1) : null;
}
