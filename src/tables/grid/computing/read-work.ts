import type { EntityManager } from 'typeorm';
import {
  type GridRange,
  measureInputs,
  type NewCell,
  readFilledRows,
  readInputHashes,
  readOversizedRows,
  readSourceCells,
} from '../cells/cells.queries.js';
import type { ColumnTypes } from '../column-type/column-type.js';
import type { SheetColumn } from '../columns/column.entity.js';
import { SheetColumns } from '../columns/sheet-columns.js';
import { rangeOf, RowSet } from '../rows/row-set.js';
import { Sheet } from '../sheet.entity.js';
import { emptyCell, failCell, isBlank } from './cell-result.js';
import { ColumnPlan } from './column-plan.js';
import { Execution } from './execution.entity.js';
import { SourceRows } from './source-rows.js';
import { readStaleSources } from './stale-sources.js';
import type { ClaimedCells } from './tasks.queries.js';

/** Bytes of inputs that are read for one claim: what does not fit is given back and claimed again. A row may have more. */
const INPUT_BYTES = 16 * 1024 * 1024;
/** Bytes of inputs that one row may have. */
const ROW_BYTES = 64 * 1024 * 1024;

const TOO_LARGE = `What this cell reads is larger than ${ROW_BYTES / 1024 / 1024} MB together. Read fewer columns, or only parts of them.`;

/** What claimed cells are computed from, read at one moment: results made of two states of a sheet would belong to neither. */
export interface WorkInputs {
  plan: ColumnPlan;
  sheet: Sheet;
  execution: Execution;
  /** The rows that were read. */
  rows: RowSet;
  /** Claimed rows that were not read, because their inputs would not have fitted into memory. */
  unread: RowSet;
  /** Rows whose inputs are so large that they cannot be computed at all. */
  oversized: RowSet;
  /** Rows that are not computed because something they read is stale. */
  unready: RowSet;
  /** Rows in which nobody has written anything: they are computed to nothing. */
  blank: RowSet;
  sources: SourceRows;
  /** What the stored cells of the column were computed from: row → input hash. */
  known: Map<number, string | null>;
}

/** null when the sheet or the column is gone. The transaction must be REPEATABLE READ. */
export async function readWork(tx: EntityManager, types: ColumnTypes, work: ClaimedCells): Promise<WorkInputs | null> {
  const { workspaceId, sheetId, columnKey } = work;
  const sheet = await tx.findOneBy(Sheet, { workspaceId, id: sheetId });
  const execution = await tx.findOneBy(Execution, { workspaceId, id: work.executionId });
  const columns = await SheetColumns.read(tx, types, { workspaceId, id: sheetId });
  const column = columns.byKey(columnKey);
  if (!sheet || sheet.deletedAt || !execution || !column) return null;
  const plan = ColumnPlan.of(columns, column);
  const range: GridRange = { workspaceId, columnKeys: plan.sourceKeys, rows: rangeOf(work.rows) };
  const { bytes, end } = await measureInputs(tx, range, INPUT_BYTES);
  const fitting = work.rows.intersect(RowSet.range(0, end));
  range.rows = rangeOf(fitting);
  const tooLarge = bytes > ROW_BYTES ? await readOversizedRows(tx, range, ROW_BYTES) : [];
  const oversized = RowSet.of(tooLarge).intersect(fitting);
  // Nothing is read for such rows, so they are dealt with alone.
  const rows = oversized.isEmpty ? fitting : oversized;
  range.rows = rangeOf(rows);
  const sources = new SourceRows(oversized.isEmpty ? await readSourceCells(tx, range) : [], rows);
  return {
    plan,
    sheet,
    execution,
    rows,
    unread: work.rows.without(rows),
    oversized,
    unready: rows.intersect(await readStaleSources(tx, { workspaceId, columns, column }, range.rows)),
    blank: await findBlankRows(tx, { columns, column, plan }, rows, sources),
    sources,
    known: await readInputHashes(tx, { workspaceId, columnKeys: [columnKey], rows: range.rows }),
  };
}

/**
 * Rows in which every cell that is not computed is empty. A column without sources is computed all the same. Asks the
 * database only about rows for which the sources do not tell.
 */
async function findBlankRows(
  tx: EntityManager,
  { columns, column, plan }: { columns: SheetColumns; column: SheetColumn; plan: ColumnPlan },
  rows: RowSet,
  sources: SourceRows,
): Promise<RowSet> {
  const given = columns.given;
  if (given.length === 0 || plan.sourceKeys.length === 0) return RowSet.EMPTY;
  const telling = plan.sourceKeys.filter((key) => columns.tellsOfRow(column, key)).map((key) => sources.of(key));
  const candidates = [...rows].filter((row) => telling.every((cellOf) => isBlank(cellOf(row)?.value)));
  if (candidates.length === 0) return RowSet.EMPTY;
  const range = { workspaceId: column.workspaceId, columnKeys: given.map(({ key }) => key), rows: rangeOf(rows) };
  return RowSet.of(candidates).without(RowSet.of(await readFilledRows(tx, range)));
}

/**
 * What is written into cells that are not computed: nothing in blank rows, where something was before, and why in rows that
 * are too large.
 */
export function uncomputedCells({ plan, known, blank, oversized }: WorkInputs, rows: RowSet): NewCell[] {
  const { key } = plan.column;
  const keys = [key, ...Object.values(plan.metadata ?? {})];
  const emptied = [...blank.intersect(rows)].filter((row) => known.has(row));
  return [
    ...emptied.flatMap((row) => keys.map((columnKey) => emptyCell(columnKey, row))),
    ...[...oversized.intersect(rows)].map((row) => failCell(emptyCell(key, row), TOO_LARGE)),
  ];
}
