import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Caller } from '../../access/index.js';
import { type ComputedPart, type CopiedSheet, SheetCopies } from '../../tables/index.js';
import { EvaluationErrors } from '../shared/evaluations.errors.js';
import { READ_AS } from '../scores/report-scorer.js';
import { getReport, scoredColumns } from '../reports/find-reports.js';
import { ReportSheets } from '../reports/report-sheets.js';

/** Copies completed runs into sheets of tables. */
@Injectable()
export class RunCopiesService {
  constructor(
    private readonly db: DataSource,
    private readonly sheets: ReportSheets,
    private readonly copies: SheetCopies,
  ) {}

  /** Copies the columns, cells and score card of a run into a sheet. Computes nothing again but the score. */
  async toTable(
    caller: Caller,
    id: number,
    { tableId, title }: { tableId: string | null; title: string | null },
  ): Promise<CopiedSheet> {
    const { manager } = this.db;
    const report = await getReport(manager, caller.workspaceId, id);
    await this.copies.checkTarget(caller, tableId);
    if (report.isBlueprint || report.status !== 'completed') throw EvaluationErrors.report_not_completed();
    const placed = await this.sheets.columnsOf(manager, report);
    const code = report.scoreConfiguration;
    const scored = scoredColumns(placed).map(({ id: columnId }) => columnId);
    const byColumns =
      scored.length === 0 ? null : ({ scoreType: 'auto', config: { ...READ_AS, column_ids: scored } } as const);
    const computed: ComputedPart = {
      columnIds: placed.filter(({ isDataset }) => !isDataset).map(({ column }) => column.id),
      score: code ? { scoreType: 'custom', config: { ...code } } : byColumns,
    };
    return this.copies.toTable(caller, report.sheetId, { tableId, title: title ?? report.name }, computed);
  }
}
