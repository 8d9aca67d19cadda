import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { audit, type Caller, demand } from '../../access/index.js';
import { OwnedColumns, OwnedSheets } from '../../tables/index.js';
import type { QueuedCells } from '../../grid/computing/queue-cells.js';
import type { Sheet } from '../../grid/shared/sheet.entity.js';
import type { SheetColumns } from '../../grid/columns/sheet-columns.js';
import { EvaluationErrors } from '../shared/evaluations.errors.js';
import { getReport, lockReport, type PlacedColumn, placeColumns, registerColumns } from '../reports/find-reports.js';
import { requireNewNames } from '../reports/report-builder.js';
import { Report, ReportColumn } from '../reports/report.entity.js';
import { leftSources } from './left-sources.js';
import { toReportColumnType } from './report-column-types.js';
import type { AddReportColumnRequest, EditReportColumnRequest } from './report-columns.dto.js';

/** A column of a report, as it is shown. */
export interface ShownColumn {
  report: Report;
  column: PlacedColumn;
}

/** A pipeline whose columns are about to be changed; report and sheet are locked. */
interface OpenPipeline {
  tx: EntityManager;
  report: Report;
  sheet: Sheet;
  columns: SheetColumns;
  placed: PlacedColumn[];
}

/** Result of a change of columns, with the cells to notify workers of. */
interface Changed<T> {
  result: T;
  queued: (QueuedCells | null)[];
}

/** Changes the columns of pipelines. Computes the preview of changed columns again, and of all columns to the right of them. */
@Injectable()
export class ReportColumnsService {
  constructor(
    private readonly db: DataSource,
    private readonly sheets: OwnedSheets,
    private readonly columns: OwnedColumns,
  ) {}

  add(caller: Caller, body: AddReportColumnRequest): Promise<ShownColumn> {
    const { name, configuration, is_part_of_score: isPartOfScore = false } = body;
    return this.change(async (tx) => {
      const pipeline = await this.open(tx, caller, body.report_id);
      const { report, sheet, placed } = pipeline;
      const type = this.columns.typeOf(toReportColumnType(body.column_type));
      const position = positionAmong(placed, body.position);
      requireNewNames(titlesOf(placed), [{ name }]);
      const [left, right] = [placed.slice(0, position), placed.slice(position)];
      const dependencies = leftSources(
        { name, type, configuration },
        { left: left.map(({ column }) => column), right: [name, ...titlesOf(right)] },
      );
      const adding = { title: name, type, config: configuration, dependencies, position };
      const added = await this.columns.add(tx, sheet, adding, caller.keyName);
      const columnId = added.column.id;
      await registerColumns(tx, report, [{ columnId, isDataset: false, isPartOfScore }]);
      const result = await this.show(pipeline, columnId);
      return { result, queued: [added.queued, await this.queueFrom(pipeline, result.column.position)] };
    });
  }

  edit(caller: Caller, id: number, body: EditReportColumnRequest): Promise<ShownColumn> {
    return this.change(async (tx) => {
      const { pipeline, target } = await this.openAt(tx, caller, id, body.report_id);
      const { sheet, placed } = pipeline;
      const others = placed.filter((each) => each !== target);
      const position = positionAmong(others, body.position ?? target.position);
      const title = body.name ?? target.column.title;
      requireNewNames(titlesOf(others), [{ name: title }]);
      const type = this.columns.typeOf(toReportColumnType(body.column_type));
      const config = body.configuration ?? target.column.config;
      const [left, right] = [others.slice(0, position), others.slice(position)];
      requireReadersRight(pipeline, target, left);
      const dependencies = leftSources(
        { name: title, type, configuration: config },
        { left: left.map(({ column }) => column), right: [title, ...titlesOf(right)] },
      );
      const at = { sheet, columnId: target.column.id, createdBy: caller.keyName };
      await this.columns.change(tx, at, { title, config, dependencies, type });
      if (position !== target.position) await this.columns.move(tx, at, position);
      const { is_part_of_score: isPartOfScore } = body;
      if (isPartOfScore != null) {
        await tx.update(ReportColumn, { workspaceId: caller.workspaceId, id }, { isPartOfScore });
      }
      const queued = await this.queueFrom(pipeline, Math.min(position, target.position));
      return { result: await this.show(pipeline, at.columnId), queued: [queued] };
    });
  }

  /** Deletes a column. Columns that read it fail until they are changed. */
  remove(caller: Caller, id: number): Promise<void> {
    return this.change(async (tx) => {
      const { pipeline, target } = await this.openAt(tx, caller, id);
      const { sheet } = pipeline;
      await this.columns.remove(tx, { sheet, columnId: target.column.id, createdBy: caller.keyName });
      await tx.delete(ReportColumn, { workspaceId: caller.workspaceId, id });
      const details = { report_id: pipeline.report.id, name: target.column.title };
      await audit(tx, caller, { action: 'report_column.delete', entityId: id, details });
      return { result: undefined, queued: [await this.queueFrom(pipeline, target.position)] };
    });
  }

  /** Runs a change in a transaction, and notifies workers after the commit. */
  private async change<T>(work: (tx: EntityManager) => Promise<Changed<T>>): Promise<T> {
    const { result, queued } = await this.db.transaction(work);
    for (const cells of queued) this.columns.notify(cells);
    this.columns.notifyOfChanges();
    return result;
  }

  private async open(tx: EntityManager, caller: Caller, reportId: number): Promise<OpenPipeline> {
    await getReport(tx, caller.workspaceId, reportId);
    demand(caller, 'REPORT_EDIT');
    const report = await lockReport(tx, caller.workspaceId, reportId);
    if (!report.isBlueprint) throw EvaluationErrors.report_run_fixed();
    const sheet = await this.sheets.lock(tx, caller.workspaceId, report.sheetId);
    if (!sheet) throw EvaluationErrors.evaluation_not_found(reportId);
    await tx.update(Report, { workspaceId: report.workspaceId, id: report.id }, { updatedAt: new Date() });
    const columns = await this.columns.read(tx, sheet);
    return { tx, report, sheet, columns, placed: await placeColumns(tx, report, columns) };
  }

  /** Opens the pipeline of a column that does not belong to the dataset. `reportId`, if given, must be that of the pipeline. */
  private async openAt(tx: EntityManager, caller: Caller, id: number, reportId?: number) {
    const { workspaceId } = caller;
    const known = await tx.findOneBy(ReportColumn, { workspaceId, id });
    const report = known && (await tx.findOneBy(Report, { workspaceId, id: known.reportId }));
    const isMeant = reportId === undefined || reportId === known?.reportId;
    if (!known || !report || report.deletedAt || !isMeant) throw EvaluationErrors.report_column_not_found(id);
    demand(caller, 'REPORT_EDIT');
    if (!report.isBlueprint) throw EvaluationErrors.report_run_fixed();
    if (known.isDataset) throw EvaluationErrors.dataset_column_fixed();
    const pipeline = await this.open(tx, caller, report.id);
    const target = pipeline.placed.find((each) => each.id === id);
    // It was deleted meanwhile.
    if (!target) throw EvaluationErrors.report_column_not_found(id);
    return { pipeline, target };
  }

  private async show({ tx, report, sheet }: OpenPipeline, columnId: string): Promise<ShownColumn> {
    const placed = await placeColumns(tx, report, await this.columns.read(tx, sheet));
    return { report, column: placed.find(({ column }) => column.id === columnId)! };
  }

  /** Queues the preview of the column at a position and of all to the right of it. */
  private async queueFrom({ tx, report, sheet }: OpenPipeline, position: number): Promise<QueuedCells | null> {
    const placed = await placeColumns(tx, report, await this.columns.read(tx, sheet));
    const columnIds = placed.filter((each) => each.position >= position).map(({ column }) => column.id);
    return columnIds.length === 0 ? null : this.columns.queue(tx, sheet, { columnIds });
  }
}

const titlesOf = (columns: PlacedColumn[]): string[] => columns.map(({ column }) => column.title);

/** Position of a new or moved column; the end by default. Throws dataset_column_fixed. */
function positionAmong(others: PlacedColumn[], position: number | null | undefined): number {
  const reserved = others.filter(({ isDataset }) => isDataset).length;
  const wanted = position ?? others.length;
  if (wanted < reserved) throw EvaluationErrors.dataset_column_fixed();
  return Math.min(wanted, others.length);
}

/** Throws report_column_source_right when a column that reads the target would stand to the left of it. */
function requireReadersRight({ columns }: OpenPipeline, target: PlacedColumn, left: PlacedColumn[]): void {
  for (const { column } of left) {
    const edge = columns.edgesOf(column).find(({ sourceId }) => sourceId === target.column.id);
    if (!edge) continue;
    throw EvaluationErrors.report_column_source_right(column.title, edge.configKey ?? 'source', target.column.title);
  }
}
