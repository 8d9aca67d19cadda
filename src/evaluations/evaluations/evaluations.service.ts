import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Caller } from '../../access/index.js';
import { type ExternalIdBody, readExternalIds } from '../../external-ids/index.js';
import type { CellJson } from '../../grid/cells/cell-json.js';
import type { CellView } from '../../grid/computing/cell-view.js';
import { OwnedRows, type ReadPage } from '../../tables/index.js';
import type { SheetColumn } from '../../grid/columns/column.entity.js';
import { shownValue } from '../columns/report-column-types.js';
import { EvaluationErrors } from '../shared/evaluations.errors.js';
import { getReport } from '../reports/find-reports.js';
import { EXTERNAL_ID_TYPE, type Report, type StatusCounts } from '../reports/report.entity.js';
import { ReportSheets } from '../reports/report-sheets.js';
import type { ListEvaluationsQuery } from './evaluations.dto.js';
import { listPipelines, listRuns } from './list-reports.queries.js';

export interface CountedRun {
  run: Report;
  counts: StatusCounts;
}

export interface ListedPipeline {
  pipeline: Report;
  externalIds: ExternalIdBody[];
  /** null unless they were asked for. */
  runs: CountedRun[] | null;
}

@Injectable()
export class EvaluationsService {
  constructor(
    private readonly db: DataSource,
    private readonly sheets: ReportSheets,
    private readonly rows: OwnedRows,
  ) {}

  /** A page of pipelines, with their runs when they are wanted, all as they are at one moment. */
  list({ workspaceId }: Caller, query: ListEvaluationsQuery): Promise<{ total: number; listed: ListedPipeline[] }> {
    return this.db.transaction('REPEATABLE READ', async (tx) => {
      const { total, pipelines } = await listPipelines(tx, workspaceId, query);
      const ids = pipelines.map(({ id }) => id);
      const externalIds = await readExternalIds(tx, workspaceId, EXTERNAL_ID_TYPE, ids);
      const found = query.include_runs ? await listRuns(tx, workspaceId, { parentIds: ids, status: query.status }) : [];
      const runs: CountedRun[] = [];
      for (const run of found) runs.push({ run, counts: await this.sheets.count(tx, run) });
      const listed = pipelines.map((pipeline) => ({
        pipeline,
        externalIds: externalIds.get(String(pipeline.id))!,
        runs: query.include_runs ? runs.filter(({ run }) => run.parentId === pipeline.id) : null,
      }));
      return { total, listed };
    });
  }

  /** Rows with their cells, of a run or of the preview of a pipeline. */
  async readRows(caller: Caller, id: number, { offset, limit }: { offset: number; limit: number }): Promise<ReadPage> {
    const { workspaceId } = caller;
    const report = await getReport(this.db.manager, workspaceId, id);
    const { sheetId } = report;
    const placed = await this.sheets.columnsOf(this.db.manager, report);
    const fromDataset = new Set(placed.filter(({ isDataset }) => isDataset).map(({ column }) => column.id));
    const write = (view: CellView, list: SheetColumn[], rowIndex: number) => {
      const cells = list.map((column) => {
        const cell = view.cell(column, rowIndex);
        return fromDataset.has(column.id) ? toDatasetCell(cell) : toEvaluationCell(column, cell);
      });
      return JSON.stringify(cells);
    };
    const page = await this.rows.page(workspaceId, sheetId, { offset, limit, write });
    if (!page) throw EvaluationErrors.evaluation_not_found(id);
    return page;
  }
}

const STATUSES: Record<CellJson['status'], string> = {
  completed: 'PASSED',
  error: 'FAILED',
  queued: 'RUNNING',
  running: 'RUNNING',
  stale: 'SKIPPED',
  cancelled: 'SKIPPED',
};

function toDatasetCell({ display_value: text }: CellJson) {
  return { type: 'dataset', value: text ?? '' };
}

function toEvaluationCell({ type }: SheetColumn, cell: CellJson) {
  const { status, value, error_message: error, request_metrics: metrics } = cell;
  const reused = metrics?.reused_from && { reused_from: metrics.reused_from };
  const shown = { type: 'eval', status: STATUSES[status], value: shownValue(type, value), ...reused };
  return status === 'error' ? { ...shown, error_message: error ?? '' } : shown;
}
