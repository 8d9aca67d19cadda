import type { EntityManager } from 'typeorm';
import { FilterSemanticsError } from '../../platform/filters/errors.js';
import type { NumbersField } from '../../platform/filters/fields.js';
import type { FilterLeaf } from '../../platform/filters/grammar.js';
import type { SqlParameters } from '../../platform/filters/sql-parameters.js';
import { leafSql } from '../../platform/filters/to-sql.js';
import type { Sheet } from '../../grid/shared/sheet.entity.js';
import { findNewest } from '../scorecards/calculations.queries.js';
import { rowSteps } from '../scorecards/calculation-plan.js';
import type { ScorecardCalculation } from '../scorecards/scorecard-calculation.entity.js';
import { findScorecard } from '../scorecards/stored-scorecard.queries.js';
import { type Verdict, VERDICTS } from '../scorecards/verdicts.js';
import { readState } from './state-names.js';

/** Aliases that people use. */
const OTHERS: Record<string, Verdict> = { passed: 'pass', warned: 'warn', warning: 'warn', failed: 'fail' };

/** The results of the newest completed calculation of the sheet's scorecard, by row. */
export class RowVerdicts {
  private constructor(private readonly calculation: ScorecardCalculation | null) {}

  static async read(tx: EntityManager, sheet: Sheet): Promise<RowVerdicts> {
    const scorecard = await findScorecard(tx, sheet);
    return new RowVerdicts(scorecard && (await findNewest(tx, scorecard, { completed: true })));
  }

  /**
   * The condition of a leaf, without its negation. `among` makes a condition from a SELECT of rows. Rows without a
   * score never match.
   */
  sql(leaf: FilterLeaf, parameters: SqlParameters, among: (rows: string) => string): string {
    const { condition } = leaf;
    const wanted =
      leaf.field === 'row_verdict' && condition.kind === 'one_of' ? condition.values.map(readVerdict) : null;
    if (!this.calculation) return 'FALSE';
    const place = this.placeOf(leaf.nestedKey, this.calculation);
    const { calculation } = this;
    const scored = (test: string) => among(scoredRows(calculation, test, parameters));
    if (!wanted) return leafSql(leaf, scores(place, scored), parameters);
    const verdict = place === null ? 's.verdict' : `s.steps -> ${place} ->> 0`;
    return scored(`${verdict} = ANY(${parameters.add(wanted)}::text[])`);
  }

  /** The position of a step among those of a row; null for the row itself. Throws an error that lists the steps. */
  private placeOf(name: string | null, { plan }: ScorecardCalculation): number | null {
    if (name === null) return null;
    const steps = rowSteps(plan);
    const place = steps.findIndex(({ id, title }) => id === name.toLowerCase() || title === name);
    if (place >= 0) return place;
    const known = steps.map(({ title }) => `"${title}"`).join(', ');
    throw new FilterSemanticsError(
      `"${name.slice(0, 60)}" is no step of the scorecard with a result in every row. Steps are ${known}.`,
    );
  }
}

const readVerdict = (name: string): Verdict => readState(name, { of: 'verdict', states: VERDICTS, others: OTHERS });

function scores(place: number | null, scored: (test: string) => string): NumbersField {
  const sql = place === null ? 's.score' : `(s.steps -> ${place} ->> 1)::float8`;
  return { class: 'numbers', sql, among: (_, test) => scored(test ?? `${sql} IS NOT NULL`) };
}

function scoredRows({ workspaceId, id }: ScorecardCalculation, test: string, parameters: SqlParameters): string {
  return (
    `SELECT s.row_index FROM scorecard_rows s WHERE s.workspace_id = ${parameters.add(workspaceId)}::int ` +
    `AND s.calculation_id = ${parameters.add(id)}::uuid AND ${test}`
  );
}
