import type { EntityManager } from 'typeorm';
import { Statement } from '../../platform/database/statement.js';
import type { ScorecardCalculation } from './scorecard-calculation.entity.js';

type CalculationKey = Pick<ScorecardCalculation, 'workspaceId' | 'id'>;

/** What counts in a row: what could not be computed is 0, what was skipped nothing. The step stands at `place`. */
const scoresOf = (calculation: string, place: string) => `
  SELECT row_index, CASE WHEN ${place}::int IS NULL THEN score
                         WHEN steps -> ${place} ->> 0 = 'error' THEN 0
                         ELSE (steps -> ${place} ->> 1)::float8 END AS score
    FROM scorecard_rows WHERE workspace_id = $1 AND calculation_id = ${calculation}`;

const READ = new Statement<{ first: number | null; second: number | null }>(`
  SELECT a.score AS first, b.score AS second
    FROM (${scoresOf('$2', '$3')}) a FULL JOIN (${scoresOf('$4', '$5')}) b USING (row_index)`);

/** Where the scores are that are compared: of a step, or of whole rows when the place is null. */
export interface ScorePlace {
  calculation: CalculationKey;
  place: number | null;
}

/** The scores of two calculations, row by row. */
export async function readPairedScores(
  tx: EntityManager,
  first: ScorePlace,
  second: ScorePlace,
): Promise<{ first: (number | null)[]; second: (number | null)[] }> {
  const { workspaceId } = first.calculation;
  const values = [workspaceId, first.calculation.id, first.place, second.calculation.id, second.place];
  const pairs = await READ.run(tx, values);
  return { first: pairs.map((pair) => pair.first), second: pairs.map((pair) => pair.second) };
}
