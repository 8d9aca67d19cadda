import type { EntityManager } from 'typeorm';
import { Statement } from '../../../platform/database/statement.js';
import type { GridRange } from '../cells/cells.queries.js';
import { int8Array } from '../../../platform/database/binary-arrays.js';
import { unwrapped } from '../computing/column-inputs.js';
import type { SourceRows } from '../computing/source-rows.js';
import { RowSet } from '../rows/row-set.js';
import { SKIPPED } from './column-guard.js';
import type { RowGuard } from './row-guard.js';

/** Rows of a column that are not computed because of its guard. */
export interface GuardedRows {
  skipped: RowSet;
  /** Why the others fail. */
  problems: Map<number, string>;
}

export const UNGUARDED: GuardedRows = { skipped: RowSet.EMPTY, problems: new Map() };

const READ_ENDS = new Statement<{ key: string; row: number; hasFailed: boolean }>(`
  SELECT column_key AS key, row_index AS row, error IS NOT NULL AS "hasFailed" FROM cells
   WHERE workspace_id = $1 AND column_key = ANY($2::bigint[]) AND row_index >= $3 AND row_index < $4
     AND (error IS NOT NULL OR value IS NULL AND display_value = '${SKIPPED}')`);

/** Asks the guard about every row. `values` has the cells that its conditions compare. */
export async function findGuardedRows(
  tx: EntityManager,
  guard: RowGuard,
  { workspaceId, rows: range }: Omit<GridRange, 'columnKeys'>,
  { rows, values }: { rows: RowSet; values: SourceRows },
): Promise<GuardedRows> {
  const keys = int8Array([...guard.sourceKeys, ...guard.comparedKeys].map(Number));
  const ends = await READ_ENDS.run(tx, [workspaceId, keys, range.from, range.to]);
  const endOf = new Map(ends.map(({ key, row, hasFailed }) => [`${key}:${row}`, hasFailed]));
  const skipped: number[] = [];
  const problems = new Map<number, string>();
  for (const row of rows) {
    const verdict = guard.verdict((key) => {
      const end = endOf.get(`${key}:${row}`);
      const value = unwrapped(values.of(key)(row)?.value ?? null);
      return { value, hasFailed: end === true, wasSkipped: end === false };
    });
    if (verdict === 'skip') skipped.push(row);
    else if (typeof verdict === 'object') problems.set(row, verdict.problem);
  }
  return { skipped: RowSet.of(skipped), problems };
}
