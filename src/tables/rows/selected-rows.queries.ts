import type { EntityManager } from 'typeorm';
import type { FilterGroup } from '../../platform/filters/grammar.js';
import { numberOf, textOf } from '../../platform/filters/json-value-sql.js';
import type { Location } from '../../platform/filters/shape.js';
import { SqlParameters } from '../../platform/filters/sql-parameters.js';
import type { CursorPosition, CursorShape, CursorValue } from '../../platform/http/cursor.js';
import type { Order } from '../../platform/http/list.js';
import type { JsonValue } from '../../platform/json.js';
import type { SheetColumn } from '../../grid/columns/column.entity.js';
import type { SheetColumns } from '../../grid/columns/sheet-columns.js';
import { RowSet } from '../../grid/shared/row-set.js';
import type { Sheet } from '../../grid/shared/sheet.entity.js';
import { CellStates } from './cell-states.js';
import { asksFor, type FilteredGrid, RowConditions, STATUS_FIELDS } from './row-conditions.js';
import { RowNames, SCORECARD_FIELDS } from './row-names.js';
import { RowVerdicts } from './row-verdicts.js';

/** The rows of a sheet that match a filter. */
export interface RowSelection {
  sheet: Sheet;
  grid: Omit<FilteredGrid, 'states' | 'verdicts'>;
  filter: FilterGroup | null;
}

/** A sorted page of them. */
export interface SelectedPage {
  /** null: sorted by the index of rows. */
  sort: SheetColumn | null;
  order: Order;
  position: CursorPosition | null;
  /** Number of rows to skip. */
  offset: number;
  limit: number;
}

export interface SelectedRow {
  row: number;
  /** Values of the row in cursors. */
  values: CursorValue[];
}

/** Characters of a text that decide on its place. Rows that agree in them are ordered by index. */
const SORTED_LENGTH = 200;

/** Cells without a value come last in both orders. */
const RANKS = { number: 0, text: 1, blank: { asc: 2, desc: -1 } } as const;

const BY_INDEX: CursorShape[] = ['number'];
const BY_VALUE: CursorShape[] = ['number', 'float', 'text', 'number'];

const IN_QUERY: Location = ['query', 'filter'];

export const cursorShape = (sort: SheetColumn | null): CursorShape[] => (sort ? BY_VALUE : BY_INDEX);

/**
 * All rows that match a filter, which is in the query string unless `at` names another location. Throws the errors of
 * `RowNames.parse`.
 */
export async function selectRows(
  tx: EntityManager,
  { sheet, columns, filter, at = IN_QUERY }: { sheet: Sheet; columns: SheetColumns; filter: JsonValue; at?: Location },
): Promise<RowSet> {
  const names = new RowNames(columns);
  const grid = { workspaceId: sheet.workspaceId, columns, names };
  const selection = { sheet, grid, filter: names.parse(filter, at) };
  const parameters = new SqlParameters();
  const found = await tx.query<{ row: number }[]>(await matchingSql(tx, selection, parameters), parameters.values);
  return RowSet.of(found.map(({ row }) => row));
}

/** Up to `limit` rows next to a position in reading order, and the number of all rows, in one statement. */
export async function readSelectedPage(
  tx: EntityManager,
  selection: RowSelection,
  page: SelectedPage,
): Promise<{ items: SelectedRow[]; total: number }> {
  const parameters = new SqlParameters();
  const matching = await matchingSql(tx, selection, parameters);
  const keys = page.sort ? valueKeys(selection, page as SelectedPage & { sort: SheetColumn }, parameters) : INDEX_KEYS;
  const direction = page.position?.isBackward ? opposite(page.order) : page.order;
  const beside = page.position ? `WHERE ${after(keys.names, { direction, ...page.position }, parameters)}` : '';
  const found = await tx.query<(Record<string, CursorValue> & { total: number })[]>(
    `WITH matching AS MATERIALIZED (${matching}), page AS (
       SELECT * FROM (${keys.select}) keyed ${beside}
        ORDER BY ${keys.names.map((name) => `${name} ${direction}`).join(', ')} LIMIT ${parameters.add(page.limit)} OFFSET ${parameters.add(page.offset)})
     SELECT page.*, (SELECT count(*)::int FROM matching) AS total FROM (SELECT) one LEFT JOIN page ON TRUE
      ORDER BY ${keys.names.map((name) => `${name} ${direction}`).join(', ')}`,
    parameters.values,
  );
  const rows = found.filter(({ row }) => row !== null);
  const items = rows.map((each) => ({ row: Number(each.row), values: keys.names.map((name) => each[name]!) }));
  return { items, total: found[0]!.total };
}

async function matchingSql(
  tx: EntityManager,
  { sheet, grid, filter }: RowSelection,
  parameters: SqlParameters,
): Promise<string> {
  const asks = (fields: string[]) => filter !== null && asksFor(filter, fields);
  const states = asks(STATUS_FIELDS) ? await CellStates.read(tx, sheet, grid.columns) : null;
  const verdicts = asks(SCORECARD_FIELDS) ? await RowVerdicts.read(tx, sheet) : null;
  const conditions = new RowConditions({ ...grid, states, verdicts }, parameters);
  const condition = filter ? conditions.group(filter) : 'TRUE';
  const rows = `unnest(${parameters.add(sheet.rows.toString())}::int4multirange) AS run(rows)`;
  // OFFSET prevents repeating the joins for every run of rows.
  const numbered = `SELECT n AS row FROM ${rows}, generate_series(lower(run.rows), upper(run.rows) - 1) AS n OFFSET 0`;
  return `SELECT r.row FROM (${numbered}) r${conditions.joins} WHERE ${condition}`;
}

const INDEX_KEYS = { names: ['row'], select: 'SELECT m.row FROM matching m' };

/**
 * OFFSET prevents computing the number of a value again for every use. In the C locale the order of texts is the same
 * on every server.
 */
function valueKeys(
  { sheet }: RowSelection,
  { sort, order }: SelectedPage & { sort: SheetColumn },
  parameters: SqlParameters,
): { names: string[]; select: string } {
  const read =
    `SELECT m.row, ${numberOf('c.value')} AS n, left(${textOf('c.value')}, ${SORTED_LENGTH}) COLLATE "C" AS t ` +
    `FROM matching m LEFT JOIN cells c ON c.workspace_id = ${parameters.add(sheet.workspaceId)}::int ` +
    `AND c.column_key = ${parameters.add(sort.key)}::bigint AND c.row_index = m.row OFFSET 0`;
  const rank =
    `CASE WHEN n IS NOT NULL THEN ${RANKS.number} WHEN t <> '' THEN ${RANKS.text} ` +
    `ELSE ${RANKS.blank[order]} END AS rank`;
  const text = `CASE WHEN n IS NULL THEN coalesce(lower(t), '') ELSE '' END AS text`;
  return {
    names: ['rank', 'number', 'text', 'row'],
    select: `SELECT ${rank}, coalesce(n, 0) AS number, ${text}, row FROM (${read}) read`,
  };
}

const TYPES: Record<string, string> = { rank: 'int', number: 'float8', text: 'text', row: 'int' };

function after(
  names: string[],
  { direction, values }: CursorPosition & { direction: Order },
  parameters: SqlParameters,
): string {
  const beside = values.map((value, index) => `${parameters.add(value)}::${TYPES[names[index]!]}`);
  return `(${names.join(', ')}) ${direction === 'asc' ? '>' : '<'} (${beside.join(', ')})`;
}

const opposite = (order: Order): Order => (order === 'asc' ? 'desc' : 'asc');
