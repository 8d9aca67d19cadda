import type { EntityManager } from 'typeorm';
import { int8Array } from '../platform/database/binary-arrays.js';
import { Statement } from '../platform/database/statement.js';
import type { JsonValue } from '../platform/json.js';
import { measureInputs } from '../grid/cells/cells.queries.js';
import type { Sheet } from '../grid/shared/sheet.entity.js';

/** Limits of a page, which one statement reads; the first one reached ends it. A single row may be larger. */
const PAGE = { rows: 50_000, cells: 100_000, bytes: 8 * 1024 * 1024 };

export interface ValueCell {
  columnKey: string;
  rowIndex: number;
  value: JsonValue;
}

/** Condition for cells with a value. A failed cell keeps its last good value, which does not count. */
const WITH_VALUE = `workspace_id = $1 AND column_key = ANY($2::bigint[]) AND row_index >= $3 AND row_index < $4
     AND error IS NULL AND value IS NOT NULL`;

const READ = new Statement<ValueCell>(`
  SELECT column_key AS "columnKey", row_index AS "rowIndex", value FROM cells WHERE ${WITH_VALUE}`);

/** Most scored columns have few different values. Each value is sent once, with its rows. */
const READ_GROUPS = new Statement<{ columnKey: string; value: JsonValue; rows: string }>(`
  SELECT column_key AS "columnKey", value, string_agg(row_index::text, ',') AS rows FROM cells WHERE ${WITH_VALUE}
   GROUP BY column_key, value`);

/** The cells of some columns, by pages of whole rows in order: a large sheet is never in memory as a whole. */
export async function* readValuePages(
  tx: EntityManager,
  sheet: Sheet,
  columnKeys: string[],
): AsyncGenerator<{ indexes: number[]; cells: ValueCell[] }> {
  for await (const page of pagesOf(tx, sheet, columnKeys)) {
    const cells = await READ.run(tx, page.parameters);
    yield { indexes: page.indexes, cells: cells.filter(({ rowIndex }) => page.has(rowIndex)) };
  }
}

/** Cells of a column that hold the same value. */
export interface ValueGroup {
  columnKey: string;
  value: JsonValue;
  rows: number[];
}

/** Does the same, with equal values of a column grouped. */
export async function* readValueGroups(
  tx: EntityManager,
  sheet: Sheet,
  columnKeys: string[],
): AsyncGenerator<ValueGroup[]> {
  for await (const page of pagesOf(tx, sheet, columnKeys)) {
    const groups = await READ_GROUPS.run(tx, page.parameters);
    yield groups.map(({ rows, ...group }) => ({ ...group, rows: rows.split(',').map(Number).filter(page.has) }));
  }
}

export interface RowPage {
  indexes: number[];
  parameters: unknown[];
  /** Rows of a running import lie between existing rows and do not count yet. */
  has: (row: number) => boolean;
}

/** The rows of a sheet, by pages whose cells in these columns fit into memory. */
export async function* pagesOf(
  tx: EntityManager,
  { workspaceId, rows }: Sheet,
  columnKeys: string[],
  mostCells = PAGE.cells,
): AsyncGenerator<RowPage> {
  if (columnKeys.length === 0) return;
  const limit = Math.max(1, Math.min(PAGE.rows, Math.floor(mostCells / columnKeys.length)));
  for (let after: number | null = null; ;) {
    const page: number[] = rows.page(after, limit, 'asc');
    if (page.length === 0) return;
    const from = page[0]!;
    const range = { workspaceId, columnKeys, rows: { from, to: page.at(-1)! + 1 } };
    const { end } = await measureInputs(tx, range, PAGE.bytes);
    const indexes = end > page.at(-1)! ? page : page.filter((row) => row < end);
    const shown = indexes.length === end - from ? null : new Set(indexes);
    const parameters = [workspaceId, int8Array(columnKeys.map(Number)), from, end];
    yield { indexes, parameters, has: (row) => shown?.has(row) ?? true };
    after = indexes.at(-1)!;
  }
}
