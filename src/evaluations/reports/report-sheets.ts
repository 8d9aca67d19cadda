import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { OwnedColumns, OwnedSheets } from '../../tables/index.js';
import type { Sheet } from '../../grid/shared/sheet.entity.js';
import { type PlacedColumn, placeColumns } from './find-reports.js';
import type { Report, StatusCounts } from './report.entity.js';

/** The sheets of reports: their columns, and how many of their cells are computed. */
@Injectable()
export class ReportSheets {
  constructor(
    private readonly sheets: OwnedSheets,
    private readonly columns: OwnedColumns,
  ) {}

  /** The columns that a report has now. */
  async columnsOf(tx: EntityManager, report: Report): Promise<PlacedColumn[]> {
    const { workspaceId, sheetId: id } = report;
    return placeColumns(tx, report, await this.columns.read(tx, { workspaceId, id }));
  }

  /** Counts the computed cells of a report by state. For a completed run it returns the stored counts. */
  async count(tx: EntityManager, { workspaceId, sheetId, statusCounts }: Report): Promise<StatusCounts> {
    if (statusCounts) return statusCounts;
    const sheet = await this.sheets.find(tx, workspaceId, sheetId);
    if (!sheet) return { COMPLETED: 0, FAILED: 0, QUEUED: 0, RUNNING: 0, REUSED: 0 };
    const { COMPLETED, FAILED, QUEUED, DISPATCHED, RUNNING } = await this.columns.count(tx, sheet);
    const awaited = await this.countAwaited(tx, sheet);
    const reused = await this.columns.countReused(tx, sheet);
    return { COMPLETED, FAILED, QUEUED: QUEUED + awaited, RUNNING: RUNNING + DISPATCHED, REUSED: reused };
  }

  /** Cells of rows that are still being copied. */
  private async countAwaited(tx: EntityManager, sheet: Sheet): Promise<number> {
    const rows = sheet.reservedRows - sheet.rows.end;
    if (rows <= 0) return 0;
    const { computed } = await this.columns.read(tx, sheet);
    return rows * computed.filter(({ owner }) => owner === 'sheet').length;
  }
}
