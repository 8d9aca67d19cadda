import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Caller } from '../../access/index.js';
import { isSameName } from '../../platform/comparable-text.js';
import type { JsonObject } from '../../platform/json.js';
import { OwnedColumns, OwnedSheets } from '../../tables/index.js';
import type { Sheet } from '../../grid/shared/sheet.entity.js';
import { leftSources } from '../columns/left-sources.js';
import { EvaluationErrors } from '../shared/evaluations.errors.js';
import { type PlacedColumn, placeColumns, registerColumns } from './find-reports.js';
import { Report } from './report.entity.js';

/** The owner of the sheets of reports. */
export const OWNER = 'evaluation_run';

/** A planned column to the right of those of the dataset. */
export interface PlannedColumn {
  name: string;
  /** The name of a type as it is stored. */
  type: string;
  configuration: JsonObject;
  isPartOfScore: boolean;
}

/** The columns of a report. */
export interface ReportPlan {
  planned: PlannedColumn[];
  /** Names of columns of the dataset that count for the score. */
  scoredTitles?: string[];
}

type NewReport = Pick<Report, 'name' | 'isBlueprint' | 'datasetId' | 'status'> & Partial<Report>;

export interface BuiltReport {
  report: Report;
  sheet: Sheet;
}

/** Builds reports: a sheet with the columns of the dataset and the computed columns. */
@Injectable()
export class ReportBuilder {
  constructor(
    private readonly sheets: OwnedSheets,
    private readonly columns: OwnedColumns,
  ) {}

  /** A report without columns and rows. */
  async insert(tx: EntityManager, { workspaceId, keyId: createdBy }: Caller, input: NewReport): Promise<BuiltReport> {
    const sheet = await this.sheets.create(tx, { workspaceId, owner: OWNER, title: input.name });
    const { identifiers } = await tx.insert(Report, { ...input, workspaceId, createdBy, sheetId: sheet.id } as object);
    const report = await tx.findOneByOrFail(Report, { workspaceId, id: (identifiers[0] as { id: number }).id });
    return { report, sheet };
  }

  /** Adds the columns of a dataset and then the planned ones to a report without columns. Throws the problems of planned columns. */
  async addColumns(
    tx: EntityManager,
    { report, sheet }: BuiltReport,
    { datasetSheetId, planned, scoredTitles = [] }: ReportPlan & { datasetSheetId: string },
  ): Promise<void> {
    const { workspaceId } = report;
    const titles = await this.titlesOf(tx, workspaceId, datasetSheetId);
    if (report.isBlueprint) requireNewNames(titles, planned);
    await this.sheets.addTextColumns(tx, sheet, titles);
    const left = (await this.columns.read(tx, sheet)).ofSheet.map(({ id, title }) => ({ id, title }));
    const places = left.map(({ id, title }) => ({
      columnId: id,
      isDataset: true,
      isPartOfScore: scoredTitles.includes(title),
    }));
    for (const [index, { name, type: typeName, configuration, isPartOfScore }] of planned.entries()) {
      const configured = { name, configuration, type: this.columns.typeOf(typeName) };
      const right = planned.slice(index).map((each) => each.name);
      const dependencies = leftSources(configured, { left, right });
      const adding = { title: name, type: configured.type, config: configuration, dependencies };
      const { column } = await this.columns.add(tx, sheet, adding, null);
      left.push({ id: column.id, title: name });
      places.push({ columnId: column.id, isDataset: false, isPartOfScore });
    }
    await registerColumns(tx, report, places);
  }

  /** Copies rows of a dataset into a report. Call the returned function after the commit. */
  async addRows(
    tx: EntityManager,
    starter: Pick<Caller, 'keyId' | 'keyName' | 'requestId'>,
    { sheet }: BuiltReport,
    rows: { sheetId: string; mostRows?: number },
  ): Promise<() => Promise<void>> {
    const copying = await this.sheets.copyRows(tx, starter, sheet, rows);
    return () => this.sheets.begin(copying, copying.rowCount);
  }

  /** A report that was inserted before, with its sheet locked; null when the sheet is gone. */
  async open(tx: EntityManager, report: Report): Promise<BuiltReport | null> {
    const sheet = await this.sheets.lock(tx, report.workspaceId, report.sheetId);
    return sheet && { report, sheet };
  }

  /** The columns that a run of a pipeline has. */
  async planOf(tx: EntityManager, pipeline: Report): Promise<ReportPlan> {
    const { workspaceId, sheetId: id } = pipeline;
    const placed = await placeColumns(tx, pipeline, await this.columns.read(tx, { workspaceId, id }));
    const scored = placed.filter(({ isDataset, isPartOfScore }) => isDataset && isPartOfScore);
    return {
      planned: placed.filter(({ isDataset }) => !isDataset).map(toPlanned),
      scoredTitles: scored.map(({ column }) => column.title),
    };
  }

  /** The titles of the columns of a dataset. */
  async titlesOf(tx: EntityManager, workspaceId: number, datasetSheetId: string): Promise<string[]> {
    return (await this.columns.titles(tx, workspaceId, [datasetSheetId])).get(datasetSheetId)!;
  }
}

function toPlanned({
  column: { title: name, type, config: configuration },
  isPartOfScore,
}: PlacedColumn): PlannedColumn {
  return { name, type, configuration, isPartOfScore };
}

/** Throws report_column_name_taken when one of the columns has the name of another. */
export function requireNewNames(taken: string[], planned: { name: string }[]): void {
  const names = [...taken];
  for (const { name } of planned) {
    if (names.some((other) => isSameName(other, name))) throw EvaluationErrors.report_column_name_taken(name);
    names.push(name);
  }
}

/**
 * Orders columns by their wanted positions. The first `reserved` positions are taken. Columns without a position come last, in
 * their order. Throws dataset_column_fixed.
 */
export function inOrder<T extends { position?: number | null }>(reserved: number, given: T[]): T[] {
  const order: T[] = [];
  for (const column of given.toSorted((a, b) => (a.position ?? Infinity) - (b.position ?? Infinity) || 0)) {
    const position = column.position ?? Infinity;
    if (position < reserved) throw EvaluationErrors.dataset_column_fixed();
    order.splice(position - reserved, 0, column);
  }
  return order;
}
