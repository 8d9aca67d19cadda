import type { EntityManager } from 'typeorm';
import { Statement } from '../../platform/database/statement.js';
import type { RowPairs } from './pair-rows.js';
import type { ScorecardCalculation } from './scorecard-calculation.entity.js';
import type { Verdict } from './verdicts.js';

type CalculationKey = Pick<ScorecardCalculation, 'workspaceId' | 'id'>;

interface ScoredRow {
  row: number;
  verdict: Verdict;
  score: number | null;
  /** Verdict and score of each step, alternating. */
  steps: (Verdict | number | null)[];
}

const READ = new Statement<ScoredRow>(`
  SELECT row_index AS row, verdict, score, jsonb_path_query_array(steps, '$[*][0 to 1]') AS steps FROM scorecard_rows
   WHERE workspace_id = $1 AND calculation_id = $2 ORDER BY row_index`);

/** The scores of a calculation, by row. */
export class CalculationScores {
  private readonly byRow: Map<number, ScoredRow>;

  private constructor(rows: ScoredRow[]) {
    this.byRow = new Map(rows.map((scored) => [scored.row, scored]));
  }

  static async read(tx: EntityManager, { workspaceId, id }: CalculationKey): Promise<CalculationScores> {
    return new CalculationScores(await READ.run(tx, [workspaceId, id]));
  }

  get rows(): number[] {
    return [...this.byRow.keys()];
  }

  /** null for a row that is not in the calculation. */
  verdictAt(row: number | null): Verdict | null {
    return (row === null ? undefined : this.byRow.get(row))?.verdict ?? null;
  }

  /**
   * Returns the score of the step at a place, or of the whole row for null. A step that failed counts as 0, a skipped
   * one is null.
   */
  at(row: number | null, place: number | null): number | null {
    const scored = row === null ? undefined : this.byRow.get(row);
    if (!scored) return null;
    if (place === null) return scored.score;
    return scored.steps[2 * place] === 'error' ? 0 : ((scored.steps[2 * place + 1] ?? null) as number | null);
  }
}

/** The scores to compare: of a step, or of whole rows when the place is null. */
export interface ScorePlace {
  scores: CalculationScores;
  place: number | null;
}

/** The scores of two calculations, row by row. */
export function pairedScores(pairs: RowPairs, first: ScorePlace, second: ScorePlace) {
  return {
    first: pairs.map(([row]) => first.scores.at(row, first.place)),
    second: pairs.map(([, row]) => second.scores.at(row, second.place)),
  };
}
