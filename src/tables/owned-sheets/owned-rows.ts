import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { ReadingPool } from '../../platform/database/reading-pool.js';
import { jsonTest } from '../../platform/filters/json-value-sql.js';
import { textContaining } from '../../platform/filters/operators.js';
import { SqlParameters } from '../../platform/filters/sql-parameters.js';
import type { CellView } from '../../grid/computing/cell-view.js';
import { ColumnTypes } from '../../grid/column-type/column-type.js';
import type { SheetColumn } from '../../grid/columns/column.entity.js';
import { SheetColumns } from '../../grid/columns/sheet-columns.js';
import { findLiveSheet } from '../../grid/shared/lock-sheet.js';
import { RowSet } from '../../grid/shared/row-set.js';
import type { Sheet } from '../../grid/shared/sheet.entity.js';
import { readRowTexts, type RowTexts } from '../../grid/versions/row-texts.js';
import { currentGrid } from '../../grid/versions/sheet-grid.js';

/** A page of a sheet's rows. */
export interface OwnedPage {
  offset: number;
  limit: number;
  /** Only rows with a value that contains this text, in any letter case. */
  q?: string;
  /** Writes a row as JSON text, with the columns that people see. Large values are marks until it is sent. */
  write(view: CellView, columns: SheetColumn[], rowIndex: number): string;
}

export interface ReadPage {
  columns: SheetColumn[];
  /** Number of all rows. */
  total: number;
  rows: RowTexts;
}

/** Reads rows of sheets with owners other than tables. */
@Injectable()
export class OwnedRows {
  constructor(
    private readonly db: DataSource,
    private readonly reading: ReadingPool,
    private readonly types: ColumnTypes,
  ) {}

  /**
   * Reads a page with all its cells from one snapshot; null when the sheet was deleted. Rows come in the order in which
   * they were added. A search may throw reading_timeout and reading_busy.
   */
  page(workspaceId: number, sheetId: string, page: OwnedPage): Promise<ReadPage | null> {
    const read = (tx: EntityManager) => this.read(tx, workspaceId, sheetId, page);
    // A search reads every cell, so it has a time limit and does not use the connections for ingestion.
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
