import { ScorecardErrors } from './scorecards.errors.js';
import { type Verdict, VERDICTS } from './verdicts.js';

/** Parses a list of verdicts separated by commas; null for any. Throws scorecard_invalid. */
export function toVerdicts(given: string | undefined): Verdict[] | null {
  if (given === undefined || given.trim() === '') return null;
  return given.split(',').map((name) => {
    const verdict = VERDICTS.find((each) => each === name.trim().toLowerCase());
    if (verdict) return verdict;
    throw ScorecardErrors.scorecard_invalid('verdict', `It can be ${VERDICTS.join(', ')}, not "${name.slice(0, 60)}".`);
  });
}
