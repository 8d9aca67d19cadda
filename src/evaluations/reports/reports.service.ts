import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { audit, type Caller, demand } from '../../access/index.js';
import type { DatasetVersion } from '../../datasets/index.js';
import { attachExternalIds, type ExternalIdBody } from '../../external-ids/index.js';
import { lockFolder } from '../../folders/index.js';
import { toReportColumnType } from '../columns/report-column-types.js';
import { MAX_NAME } from '../columns/report-columns.dto.js';
import { EvaluationErrors } from '../shared/evaluations.errors.js';
import { ReportArchive } from './report-archive.js';
import { findGroupVersion } from './datasets.queries.js';
import { getReport, lockReport, type PlacedColumn } from './find-reports.js';
import { inOrder, ReportBuilder } from './report-builder.js';
import { ReportSheets } from './report-sheets.js';
import { EXTERNAL_ID_TYPE, Report, type StatusCounts } from './report.entity.js';
import { type CreateReportRequest, PREVIEW_ROWS } from './reports.dto.js';

/** A report with the other facts that the API shows. */
export interface ReportView {
  report: Report;
  columns: PlacedColumn[];
  counts: StatusCounts;
}

@Injectable()
export class ReportsService {
  constructor(
    private readonly db: DataSource,
    private readonly builder: ReportBuilder,
    private readonly archive: ReportArchive,
    private readonly sheets: ReportSheets,
  ) {}

  /** Creates a pipeline in one transaction, and queues its preview. */
  async create(
    caller: Caller,
    body: CreateReportRequest,
  ): Promise<{ report: Report; columns: PlacedColumn[]; externalIds: ExternalIdBody[] }> {
    const { dataset_group_id: groupId, dataset_version_number: number = null, folder_id: folderId = null } = body;
    const externalIds = body.external_ids ?? [];
    const created = await this.db.transaction(async (tx) => {
      const { dataset, name } = await findGroupVersion(tx, caller.workspaceId, { groupId, number });
      demand(caller, 'REPORT_CREATE');
      if (folderId !== null) await lockFolder(tx, caller.workspaceId, folderId);
      const built = await this.insertPipeline(tx, caller, dataset, {
        ...body,
        name: body.name ?? `Evaluation of ${name}`,
      });
      const { report } = built;
      const entity = { workspaceId: caller.workspaceId, type: EXTERNAL_ID_TYPE, id: report.id };
      await attachExternalIds(tx, entity, externalIds);
      await audit(tx, caller, { action: 'report.create', entityId: report.id, details: { name: report.name } });
      const rows = { sheetId: dataset.sheetId, mostRows: PREVIEW_ROWS };
      const begin = await this.builder.addRows(tx, caller, built, rows);
      return { report, begin, columns: await this.sheets.columnsOf(tx, report) };
    });
    const { begin, ...rest } = created;
    await begin();
    return { ...rest, externalIds };
  }

  async get(caller: Caller, id: number): Promise<ReportView> {
    return this.db.transaction('REPEATABLE READ', async (tx) => {
      const report = await getReport(tx, caller.workspaceId, id);
      const columns = await this.sheets.columnsOf(tx, report);
      return { report, columns, counts: await this.sheets.count(tx, report) };
    });
  }

  /** Archives a report. */
  delete(caller: Caller, id: number): Promise<void> {
    return this.db.transaction(async (tx) => {
      const report = await lockReport(tx, caller.workspaceId, id);
      demand(caller, 'REPORT_DELETE');
      await this.archive.archive(tx, caller, [report.id]);
    });
  }

  /** Archives all reports with exactly this name, and returns their number. */
  deleteByName(caller: Caller, name: string): Promise<number> {
    const { workspaceId } = caller;
    return this.db.transaction(async (tx) => {
      const found = await tx.query<{ id: number }[]>(
        `SELECT id FROM reports WHERE workspace_id = $1 AND name = $2 AND deleted_at IS NULL ORDER BY id FOR NO KEY UPDATE`,
        [workspaceId, name],
      );
      if (found.length === 0) throw EvaluationErrors.evaluation_name_not_found(name);
      demand(caller, 'REPORT_DELETE');
      await this.archive.archive(
        tx,
        caller,
        found.map(({ id }) => id),
      );
      return found.length;
    });
  }

  /** Changes the name or the tags. Missing keys and null keep them. */
  rename(caller: Caller, id: number, change: { name?: string | null; tags?: string[] | null }): Promise<Report> {
    const { workspaceId } = caller;
    return this.db.transaction(async (tx) => {
      const report = await lockReport(tx, workspaceId, id);
      demand(caller, 'REPORT_EDIT');
      if (change.name == null && change.tags == null) throw EvaluationErrors.report_rename_empty();
      const next = { name: change.name ?? report.name, tags: [...new Set(change.tags ?? report.tags)] };
      await tx.update(Report, { workspaceId, id }, { ...next, updatedAt: new Date() });
      await audit(tx, caller, { action: 'report.update', entityId: id, details: { name: next.name } });
      return getReport(tx, workspaceId, id);
    });
  }

  private async insertPipeline(
    tx: EntityManager,
    caller: Caller,
    dataset: DatasetVersion,
    body: CreateReportRequest & { name: string },
  ) {
    const { length: reserved } = await this.builder.titlesOf(tx, caller.workspaceId, dataset.sheetId);
    const planned = inOrder(reserved, body.columns ?? []).map((definition) => ({
      name: definition.name,
      type: toReportColumnType(definition.column_type),
      configuration: definition.configuration,
      isPartOfScore: definition.is_part_of_score ?? false,
    }));
    const built = await this.builder.insert(tx, caller, {
      name: [...body.name].slice(0, MAX_NAME).join(''),
      folderId: body.folder_id ?? null,
      isBlueprint: true,
      datasetId: dataset.id,
      scoreConfiguration: body.score_configuration ?? null,
      status: 'completed',
    });
    await this.builder.addColumns(tx, built, { datasetSheetId: dataset.sheetId, planned });
    return built;
  }
}
