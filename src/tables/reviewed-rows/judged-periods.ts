import { isDeepStrictEqual } from 'node:util';
import type { EntityManager } from 'typeorm';
import type { JsonValue } from '../../platform/json.js';
import { valueOf } from '../../grid/cells/cells.queries.js';
import { ColumnHistory } from '../../grid/columns/column-history.entity.js';
import type { SheetColumn } from '../../grid/columns/column.entity.js';
import { rangeOf, RowSet } from '../../grid/shared/row-set.js';
import type { Sheet } from '../../grid/shared/sheet.entity.js';
import { readCellsAt, readStatesAt } from '../../grid/versions/grid-at-version.queries.js';

/** The versions of a sheet in which a column had the same type and config. */
export interface JudgedPeriod {
  /** Number of the column's config, from 1. */
  number: number;
  /** The first and the last of these versions of the sheet. */
  from: number;
  to: number;
  /** The values that were up to date in the last of these versions, by row. */
  values: Map<number, JsonValue>;
}

/** Limit of the periods, because each is read from the history of the sheet. */
const MOST_PERIODS = 10;

/**
 * The latest configs of a column with the values that each computed, the oldest first. They are the values in the last
 * version of the sheet with that config. Values that were not computed since the config or an input changed are stale
 * there and left out.
 */
export async function readJudgedPeriods(
  tx: EntityManager,
  sheet: Sheet,
  column: SheetColumn,
  rows: number[],
): Promise<JudgedPeriod[]> {
  const periods = await findPeriods(tx, sheet, column);
  const found: JudgedPeriod[] = [];
  for (const period of periods.slice(-MOST_PERIODS)) {
    found.push({ ...period, values: await readValues(tx, sheet, { column, rows, version: period.to }) });
  }
  return found;
}

async function findPeriods(
  tx: EntityManager,
  { workspaceId, id: sheetId, version }: Sheet,
  column: SheetColumn,
): Promise<Omit<JudgedPeriod, 'values'>[]> {
  const history = await tx.find(ColumnHistory, {
    where: { workspaceId, sheetId, columnId: column.id },
    order: { versionFrom: 'ASC' },
  });
  const states = [
    ...history.map(({ type, config, versionFrom, versionTo }) => ({
      type,
      config,
      from: versionFrom,
      to: versionTo - 1,
    })),
    { type: column.type, config: column.config, from: column.version, to: version },
  ];
  const periods: ((typeof states)[number] & { number: number })[] = [];
  for (const state of states) {
    const last = periods.at(-1);
    // A new title or position is no new config.
    if (last && last.type === state.type && isDeepStrictEqual(last.config, state.config)) last.to = state.to;
    else periods.push({ ...state, number: periods.length + 1 });
  }
  return periods.map(({ number, from, to }) => ({ number, from, to }));
}

async function readValues(
  tx: EntityManager,
  { workspaceId }: Sheet,
  { column, rows, version }: { column: SheetColumn; rows: number[]; version: number },
): Promise<Map<number, JsonValue>> {
  const wanted = RowSet.of(rows);
  const range = { workspaceId, columnKeys: [column.key], rows: rangeOf(wanted) };
  if (wanted.isEmpty) return new Map();
  const states = await readStatesAt(tx, range, version);
  const cells = await readCellsAt(tx, range, version);
  const isCurrent = (row: number) => !states.isStale(column.key, row) && !states.isFailed(column.key, row);
  const counted = cells.filter(({ rowIndex }) => wanted.has(rowIndex) && isCurrent(rowIndex));
  return new Map(counted.map((cell) => [cell.rowIndex, valueOf(cell)]));
}
