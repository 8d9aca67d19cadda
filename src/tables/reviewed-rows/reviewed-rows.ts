import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Caller } from '../../access/index.js';
import { Problem } from '../../platform/errors/problem.js';
import type { Location } from '../../platform/filters/shape.js';
import type { JsonValue } from '../../platform/json.js';
import { readCellsOfRows, valueOf } from '../../grid/cells/cells.queries.js';
import { editedContent } from '../../grid/cells/cell-edit.js';
import { editCells } from '../../grid/cells/edit-cells.js';
import { ColumnTypes } from '../../grid/column-type/column-type.js';
import type { SheetColumn } from '../../grid/columns/column.entity.js';
import { parseConfig } from '../../grid/column-type/parse-config.js';
import { SheetColumns } from '../../grid/columns/sheet-columns.js';
import { RowSet } from '../../grid/shared/row-set.js';
import type { Sheet } from '../../grid/shared/sheet.entity.js';
import { selectRows } from '../rows/selected-rows.queries.js';
import { readRowScores } from '../../scoring/index.js';
import { findTableSheet, lockTableSheet, type TableSheet } from '../sheets/lock-sheet.js';
import { type JudgedPeriod, readJudgedPeriods } from './judged-periods.js';

/** A live sheet of a table, whose rows people review. */
export interface ReviewedSheet {
  sheet: TableSheet;
  columns: SheetColumns;
}

/** The rows to review: exactly these, those of a filter, or those with different scores from two or more judges. */
export interface ReviewedSelection {
  rowIndices: number[] | null;
  filter: JsonValue;
  /** Ids of the judges' columns. */
  disagreeing: string[] | null;
  /** Location of the filter in the request. */
  at: Location;
}

/** Reads rows for people who review them, and writes their results into cells. */
@Injectable()
export class ReviewedRows {
  constructor(private readonly types: ColumnTypes) {}

  /** null when the sheet or its table was deleted. */
  async find(tx: EntityManager, workspaceId: number, sheetId: string): Promise<ReviewedSheet | null> {
    const sheet = await findTableSheet(tx, workspaceId, sheetId);
    return sheet && { sheet, columns: await SheetColumns.read(tx, this.types, sheet) };
  }

  /** The tables of the existing sheets, by sheet. */
  async tablesOf(tx: EntityManager, workspaceId: number, sheetIds: string[]): Promise<Map<string, string>> {
    if (sheetIds.length === 0) return new Map();
    const rows = await tx.query<{ id: string; tableId: string }[]>(
      `SELECT s.id, s.table_id AS "tableId" FROM sheets s
         JOIN tables t ON t.workspace_id = s.workspace_id AND t.id = s.table_id
        WHERE s.workspace_id = $1 AND s.id = ANY($2::uuid[]) AND s.deleted_at IS NULL AND t.deleted_at IS NULL`,
      [workspaceId, sheetIds],
    );
    return new Map(rows.map(({ id, tableId }) => [id, tableId]));
  }

  /** Ascending. Throws column_not_found and the errors of a filter of rows. */
  async select(
    tx: EntityManager,
    { sheet, columns }: ReviewedSheet,
    { rowIndices, filter, disagreeing, at }: ReviewedSelection,
  ): Promise<RowSet> {
    if (rowIndices) return RowSet.of(rowIndices).intersect(sheet.rows);
    const found = filter === null ? sheet.rows : await selectRows(tx, { sheet, columns, filter, at });
    if (!disagreeing) return found;
    const keys = disagreeing.map((id) => columns.require(id).key);
    return found.intersect(await disagreeingRows(tx, sheet, keys));
  }

  /** The type of answers in a column for people; null for other columns. */
  answerTypeOf(columns: SheetColumns, column: SheetColumn): 'number' | 'string' | null {
    if (columns.rules(column).edits !== 'answer') return null;
    const { data_type: type } = parseConfig(columns.type(column), column.config) as { data_type?: unknown };
    return type === 'number' || type === 'string' ? type : null;
  }

  /** The reason why people may not write a value into cells of a column; null if they may. */
  refusalOf(columns: SheetColumns, column: SheetColumn, value: JsonValue): string | null {
    try {
      editedContent(columns, column, { value }, { value: null, displayValue: null });
      return null;
    } catch (problem) {
      if (!(problem instanceof Problem)) throw problem;
      return problem.message;
    }
  }

  /**
   * Writes a cell like an edit of a person. Returns the reason why it could not be written, or null. Nothing has been
   * changed then, because the edit is checked before the first write.
   */
  async write(
    tx: EntityManager,
    { workspaceId, keyName }: Caller,
    sheetId: string,
    cell: { rowIndex: number; columnId: string; value: JsonValue },
  ): Promise<string | null> {
    const sheet = await lockTableSheet(tx, workspaceId, sheetId);
    if (!sheet) return 'The sheet was deleted.';
    const columns = await SheetColumns.read(tx, this.types, sheet);
    const { rowIndex, columnId: column, value } = cell;
    try {
      await editCells(tx, sheet, { columns, createdBy: keyName }, [{ cell: { rowIndex, column }, edit: { value } }]);
      return null;
    } catch (problem) {
      if (!(problem instanceof Problem)) throw problem;
      return problem.message;
    }
  }

  /** The values of some rows in some columns, by the id of the column. Blank cells are null. */
  async values(
    tx: EntityManager,
    { sheet }: ReviewedSheet,
    columns: SheetColumn[],
    rows: number[],
  ): Promise<Map<number, Map<string, JsonValue>>> {
    const columnKeys = columns.map(({ key }) => key);
    const cells = await readCellsOfRows(tx, { workspaceId: sheet.workspaceId, columnKeys, rows });
    const ids = new Map(columns.map(({ key, id }) => [key, id]));
    const byRow = new Map(
      rows.map((row): [number, Map<string, JsonValue>] => [row, new Map(columns.map(({ id }) => [id, null]))]),
    );
    for (const cell of cells) byRow.get(cell.rowIndex)!.set(ids.get(cell.columnKey)!, valueOf(cell));
    return byRow;
  }

  /** The values of a column in some rows in every version of its config, the oldest first. */
  judgedPeriods(
    tx: EntityManager,
    { sheet }: ReviewedSheet,
    column: SheetColumn,
    rows: number[],
  ): Promise<JudgedPeriod[]> {
    return readJudgedPeriods(tx, sheet, column, rows);
  }
}

async function disagreeingRows(tx: EntityManager, sheet: Sheet, keys: string[]): Promise<RowSet> {
  const scores = await readRowScores(tx, sheet, keys);
  const seen = new Map<number, number>();
  const differing = new Set<number>();
  for (const key of keys) {
    for (const [row, score] of scores.get(key)!.byRow) {
      const first = seen.get(row);
      if (first === undefined) seen.set(row, score);
      else if (first !== score) differing.add(row);
    }
  }
  return RowSet.of(differing);
}
