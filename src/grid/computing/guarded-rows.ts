import { int8Array } from '../../platform/database/binary-arrays.js';
import { Statement, type Step } from '../../platform/database/statement.js';
import type { GridRange } from '../cells/cells.queries.js';
import { unwrapped } from './column-inputs.js';
import type { EndedCell, SourceRows } from './source-rows.js';
import { RowSet } from '../shared/row-set.js';
import { SKIPPED } from '../columns/column-guard.js';
import type { RowGuard } from '../guards/row-guard.js';

/** Rows of a column that are not computed because of its guard. */
export interface GuardedRows {
  skipped: RowSet;
  /** Errors of the other rows. */
  problems: Map<number, string>;
}

export const UNGUARDED: GuardedRows = { skipped: RowSet.EMPTY, problems: new Map() };

const READ_ENDS = new Statement<EndedCell>(`
  SELECT column_key AS "columnKey", row_index AS "rowIndex", error IS NOT NULL AS "hasFailed" FROM cells
   WHERE workspace_id = $1 AND column_key = ANY($2::bigint[]) AND row_index >= $3 AND row_index < $4
     AND (error IS NOT NULL OR value IS NULL AND display_value = '${SKIPPED}')`);

/** Reads the failed and skipped cells. */
export function endsStep({ workspaceId, columnKeys, rows }: GridRange): Step<EndedCell> {
  return READ_ENDS.with([workspaceId, int8Array(columnKeys.map(Number)), rows.from, rows.to]);
}

/** Asks the guard about every row. `values` has the values and ends of its sources. */
export function findGuardedRows(guard: RowGuard, rows: RowSet, values: SourceRows): GuardedRows {
  const skipped: number[] = [];
  const problems = new Map<number, string>();
  for (const row of rows) {
    const verdict = guard.verdict((key) => {
      const end = values.endOf(key, row);
      const value = unwrapped(values.of(key)(row)?.value ?? null);
      return { value, hasFailed: end === 'failed', wasSkipped: end === 'skipped' };
    });
    if (verdict === 'skip') skipped.push(row);
    else if (typeof verdict === 'object') problems.set(row, verdict.problem);
  }
  return { skipped: RowSet.of(skipped), problems };
}
