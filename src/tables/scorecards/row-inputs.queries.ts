import type { EntityManager } from 'typeorm';
import { int8Array } from '../../platform/database/binary-arrays.js';
import { Statement } from '../../platform/database/statement.js';
import type { SheetColumn } from '../../grid/columns/column.entity.js';
import type { RowInputs } from './pair-rows.js';
import type { ScorecardCalculation } from './scorecard-calculation.entity.js';

const FILLED = `workspace_id = $1 AND column_key = ANY($2::bigint[]) AND value IS NOT NULL AND value NOT IN ('null', '""')`;
/** Only digests are read, because inputs may be long texts. */
const DIGEST = `left(encode(sha256(convert_to(value::text, 'UTF8')), 'hex'), 32)`;

/**
 * By row: the position of each filled column, and its digest. They are joined to one row of the answer, because there
 * are many.
 */
const READ = new Statement<{ row: number; inputs: string }>(`
  SELECT row, string_agg(array_position($2::bigint[], key) || ':' || digest, ' ') AS inputs FROM (
    SELECT column_key AS key, row_index AS row, ${DIGEST} AS digest FROM cells WHERE ${FILLED} AND version <= $3
    UNION ALL
    SELECT column_key, row_index, ${DIGEST} FROM cell_history WHERE ${FILLED} AND version_from <= $3 AND version_to > $3) cell
   GROUP BY row`);

/** Reads the values of some columns at the time of a calculation, by row. Rows in which all are blank are left out. */
export async function readRowInputs(
  tx: EntityManager,
  { workspaceId, version }: Pick<ScorecardCalculation, 'workspaceId' | 'version'>,
  columns: SheetColumn[],
): Promise<RowInputs> {
  const keys = int8Array(columns.map(({ key }) => Number(key)));
  const rows = await READ.run(tx, [workspaceId, keys, version]);
  return new Map(rows.map(({ row, inputs }) => [row, toList(inputs, columns.length)]));
}

function toList(inputs: string, length: number): (string | null)[] {
  const list = Array.from({ length }, (): string | null => null);
  for (const input of inputs.split(' ')) {
    const [place, digest] = input.split(':');
    list[Number(place) - 1] = digest!;
  }
  return list;
}
