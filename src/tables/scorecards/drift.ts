import type { Scored, Verdict } from './verdicts.js';

/** The difference of a score from the previous one. */
export interface Drift {
  previous_score: number | null;
  score_delta: number | null;
  previous_verdict: Verdict;
  verdict_changed: boolean;
}

/** Rows that are better and worse than before. */
export interface Moves {
  improved_rows: number;
  regressed_rows: number;
}

export function driftOf(now: Scored, before: Scored): Drift {
  return {
    previous_score: before.score,
    score_delta: now.score === null || before.score === null ? null : now.score - before.score,
    previous_verdict: before.verdict,
    verdict_changed: now.verdict !== before.verdict,
  };
}

/** Counts changes of scores; a row without a score on one side has not moved. */
export class MoveTally implements Moves {
  improved_rows = 0;
  regressed_rows = 0;

  add(now: number | null, before: number | null): void {
    if (now === null || before === null || now === before) return;
    if (now > before) this.improved_rows++;
    else this.regressed_rows++;
  }

  get moves(): Moves {
    return { improved_rows: this.improved_rows, regressed_rows: this.regressed_rows };
  }
}
