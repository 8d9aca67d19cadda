import { type EntityManager, IsNull } from 'typeorm';
import type { SheetColumn } from '../../grid/columns/column.entity.js';
import type { SheetColumns } from '../../grid/columns/sheet-columns.js';
import { EvaluationErrors } from '../shared/evaluations.errors.js';
import { Report, ReportColumn } from './report.entity.js';

/** A live report. Throws evaluation_not_found. */
export async function getReport(tx: EntityManager, workspaceId: number, id: number): Promise<Report> {
  const report = await tx.findOneBy(Report, { workspaceId, id, deletedAt: IsNull() });
  if (!report) throw EvaluationErrors.evaluation_not_found(id);
  return report;
}

/** Returns a report, locked until the end of the transaction. Lock the row of a report before its sheet. */
export async function lockReport(tx: EntityManager, workspaceId: number, id: number): Promise<Report> {
  const where = { workspaceId, id, deletedAt: IsNull() };
  const report = await tx.findOne(Report, { where, lock: { mode: 'for_no_key_update' } });
  if (!report) throw EvaluationErrors.evaluation_not_found(id);
  return report;
}

/** A column of a report: its column in the sheet, and its facts in the report. */
export interface PlacedColumn {
  id: number;
  /** From 0. */
  position: number;
  column: SheetColumn;
  isDataset: boolean;
  isPartOfScore: boolean;
}

/** The columns of a report in their order; `columns` are those of its sheet. */
export async function placeColumns(tx: EntityManager, report: Report, columns: SheetColumns): Promise<PlacedColumn[]> {
  const { workspaceId, id: reportId } = report;
  const known = await tx.findBy(ReportColumn, { workspaceId, reportId });
  const byColumn = new Map(known.map((each) => [each.columnId, each]));
  return columns.shown({ withSystem: false }).flatMap((column, position) => {
    const found = byColumn.get(column.id);
    if (!found) return [];
    const { id, isDataset, isPartOfScore } = found;
    return [{ id, position, column, isDataset, isPartOfScore }];
  });
}

/** Makes columns of the sheet of a report columns of the report. */
export async function registerColumns(
  tx: EntityManager,
  { workspaceId, id: reportId }: Report,
  columns: { columnId: string; isDataset: boolean; isPartOfScore: boolean }[],
): Promise<void> {
  if (columns.length === 0) return;
  await tx.insert(
    ReportColumn,
    columns.map((column) => ({ workspaceId, reportId, ...column })),
  );
}

/** Scored columns: the marked ones, or else the last computed one. */
export function scoredColumns(columns: PlacedColumn[]): SheetColumn[] {
  const marked = columns.filter(({ isPartOfScore }) => isPartOfScore);
  const last = columns.findLast(({ isDataset }) => !isDataset);
  return (marked.length > 0 ? marked : last ? [last] : []).map(({ column }) => column);
}
