import type { JsonValue } from '../platform/json.js';
import { cellScorer } from '../tables/index.js';
import { positionOf, type Rubric } from './rubric.js';

const scoreOf = cellScorer({});

/**
 * The choice of a rubric that the value of a judge's column stands for; null where it stands for none. Values are read as scores of
 * sheets read them: what passed is 1, what failed 0.
 */
export function judgedPosition(rubric: Rubric, value: JsonValue): number | null {
  if (rubric.kind === 'categories') return positionOf(rubric, value);
  const score = scoreOf(value);
  if (rubric.kind === 'scale') return score === null ? null : positionOf(rubric, score);
  return score === 1 || score === 0 ? positionOf(rubric, score === 1) : null;
}
