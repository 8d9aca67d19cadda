import type { EntityManager } from 'typeorm';
import { int8Array } from '../../platform/database/binary-arrays.js';
import { Statement } from '../../platform/database/statement.js';
import type { JsonValue } from '../../platform/json.js';
import { measureInputs } from '../grid/cells/cells.queries.js';
import type { Sheet } from '../grid/sheet.entity.js';

/** Read with one statement, whichever is reached first. A single row may be larger. */
const PAGE = { rows: 20_000, cells: 50_000, bytes: 8 * 1024 * 1024 };

export interface ValueCell {
  columnKey: string;
  rowIndex: number;
  value: JsonValue;
}

/** The cells that hold a value; one that failed keeps its last good value, which does not count. */
const READ = new Statement<ValueCell>(`
  SELECT column_key AS "columnKey", row_index AS "rowIndex", value FROM cells
   WHERE workspace_id = $1 AND column_key = ANY($2::bigint[]) AND row_index >= $3 AND row_index < $4
     AND error IS NULL AND value IS NOT NULL`);

/** The cells of some columns, by pages of whole rows in order, so that a large sheet is never in memory at once. */
export async function* readValuePages(
  tx: EntityManager,
  { workspaceId, rows }: Sheet,
  columnKeys: string[],
): AsyncGenerator<{ indexes: number[]; cells: ValueCell[] }> {
  if (columnKeys.length === 0) return;
  const limit = Math.max(1, Math.min(PAGE.rows, Math.floor(PAGE.cells / columnKeys.length)));
  for (let after: number | null = null; ;) {
    const page: number[] = rows.page(after, limit, 'asc');
    if (page.length === 0) return;
    const from = page[0]!;
    const range = { workspaceId, columnKeys, rows: { from, to: page.at(-1)! + 1 } };
    const { end } = await measureInputs(tx, range, PAGE.bytes);
    const indexes = end > page.at(-1)! ? page : page.filter((row) => row < end);
    const cells = await READ.run(tx, [workspaceId, int8Array(columnKeys.map(Number)), from, end]);
    // What an import has written so far lies between the rows that exist, where no reader looks yet.
    const shown = new Set(indexes);
    yield { indexes, cells: cells.filter(({ rowIndex }) => shown.has(rowIndex)) };
    after = indexes.at(-1)!;
  }
}
