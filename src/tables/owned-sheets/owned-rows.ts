import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { ReadingPool } from '../../platform/database/reading-pool.js';
import { jsonTest } from '../../platform/filters/json-value-sql.js';
import { textContaining } from '../../platform/filters/operators.js';
import { SqlParameters } from '../../platform/filters/sql-parameters.js';
import type { CellView } from '../../grid/cells/cell-view.js';
import { ColumnTypes } from '../../grid/column-type/column-type.js';
import type { SheetColumn } from '../../grid/columns/column.entity.js';
import { SheetColumns } from '../../grid/columns/sheet-columns.js';
import { findLiveSheet } from '../../grid/lock-sheet.js';
import { RowSet } from '../../grid/rows/row-set.js';
import type { Sheet } from '../../grid/sheet.entity.js';
import { readRowTexts, type RowTexts } from '../../grid/versions/row-texts.js';
import { currentGrid } from '../../grid/versions/sheet-grid.js';

/** Some rows of a sheet by their position. */
export interface OwnedPage {
  offset: number;
  limit: number;
  /** Only rows in which a value of a cell contains this text, in any letter case. */
  q?: string;
  /** A row as JSON text, from the columns that people see. Large values are marks in it until it is sent. */
  write(view: CellView, columns: SheetColumn[], rowIndex: number): string;
}

export interface ReadPage {
  columns: SheetColumn[];
  /** How many rows there are altogether. */
  total: number;
  rows: RowTexts;
}

/** Reads rows of sheets that something other than a table owns. */
@Injectable()
export class OwnedRows {
  constructor(
    private readonly db: DataSource,
    private readonly reading: ReadingPool,
    private readonly types: ColumnTypes,
  ) {}

  /**
   * A page with all its cells, read at one moment; null when the sheet is gone. Rows come in the order in which they were added.
   * A search may throw reading_timeout and reading_busy.
   */
  page(workspaceId: number, sheetId: string, page: OwnedPage): Promise<ReadPage | null> {
    const read = (tx: EntityManager) => this.read(tx, workspaceId, sheetId, page);
    // A search looks at every cell, so it takes no connection that ingestion needs, and has a time limit.
    return page.q ? this.reading.read(read) : this.db.transaction('REPEATABLE READ', read);
  }

  private async read(
    tx: EntityManager,
    workspaceId: number,
    sheetId: string,
    { offset, limit, q, write }: OwnedPage,
  ): Promise<ReadPage | null> {
    const sheet = await findLiveSheet(tx, workspaceId, sheetId);
    if (!sheet) return null;
    const columns = await SheetColumns.read(tx, this.types, sheet);
    const list = columns.shown({ withSystem: false });
    const matching = q ? await findRows(tx, sheet, list, q) : sheet.rows;
    const writing = {
      list,
      indexes: [...matching.part(offset, limit)],
      isWhole: true,
      write: (view: CellView, index: number) => write(view, list, index),
    };
    const rows = await readRowTexts(tx, currentGrid(sheet, columns), writing);
    return { columns: list, total: matching.count, rows };
  }
}

async function findRows(tx: EntityManager, sheet: Sheet, list: SheetColumn[], q: string): Promise<RowSet> {
  const parameters = new SqlParameters();
  const workspace = parameters.add(sheet.workspaceId);
  const keys = parameters.add(list.map(({ key }) => key));
  const found = await tx.query<{ row: number }[]>(
    `SELECT DISTINCT c.row_index AS row FROM cells c
      WHERE c.workspace_id = ${workspace}::int AND c.column_key = ANY(${keys}::bigint[])
        AND ${jsonTest(textContaining(q), 'c.value', parameters)}`,
    parameters.values,
  );
  return RowSet.of(found.map(({ row }) => row)).intersect(sheet.rows);
}
