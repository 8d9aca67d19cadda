import type { Client } from './client.js';
import { newGroup, saveDraft, versionFromFile } from './datasets.js';
import { until } from './until.js';

export interface ReportColumn {
  id: number;
  report_id: number;
  column_type: string;
  name: string;
  position: number;
  is_part_of_score: boolean;
  configuration: Record<string, unknown>;
  score?: number;
}

export interface ReportScore {
  overall_score: number | null;
  score_type: string;
  has_custom_scoring: boolean;
  details: Record<string, unknown>;
}

export interface ReportDetail {
  report: {
    id: number;
    name: string;
    deleted: boolean;
    tags: string[];
    is_blueprint: boolean;
    parent_report_id: number | null;
    dataset_id: number;
    score: ReportScore | null;
    score_matrix: unknown[] | null;
    score_calculation_error: string | null;
    score_configuration: { code: string; code_language: string } | null;
  };
  status: 'RUNNING' | 'COMPLETED';
  stats: { status_counts: Record<'COMPLETED' | 'FAILED' | 'QUEUED' | 'RUNNING', number>; reused_count: number | null };
  report_columns: ReportColumn[];
}

export type RowCell =
  { type: 'dataset'; value: string } | { type: 'eval'; status: string; value: unknown; error_message?: string };

export interface ReportRows {
  columns: string[];
  rows: RowCell[][];
  total: number;
  pages: number;
  page: number;
  per_page: number;
}

export interface TestDataset {
  /** The version. */
  id: number;
  groupId: number;
}

/** A published version of a dataset with these rows, in a group of its own unless one is given. */
export async function newDataset(
  client: Client,
  rows: Record<string, unknown>[],
  groupId?: number,
): Promise<TestDataset> {
  const group = groupId ?? (await newGroup(client)).id;
  if (rows.length === 0) return { id: await saveDraft(client, group), groupId: group };
  const { id } = await versionFromFile(client, group, JSON.stringify(rows), 'rows.json');
  return { id, groupId: group };
}

export const contains = (name: string, value: string, more: object = {}) => ({
  column_type: 'CONTAINS',
  name,
  configuration: { source: 'answer', value },
  ...more,
});

/** A pipeline over a dataset, with these columns. */
export async function newReport(
  client: Client,
  { groupId }: Pick<TestDataset, 'groupId'>,
  columns: object[] = [],
  more: object = {},
): Promise<{ id: number; columns: ReportColumn[] }> {
  const created = (await client.post('/reports', { dataset_group_id: groupId, columns, ...more }, 201)) as {
    report_id: number;
    report_columns: ReportColumn[];
  };
  return { id: created.report_id, columns: created.report_columns };
}

export const readReport = async (client: Client, id: number) => (await client.get(`/reports/${id}`)) as ReportDetail;

export const readReportRows = async (client: Client, id: number, query = '') =>
  (await client.get(`/api/public/v2/evaluations/${id}/rows${query}`)) as ReportRows;

export const readReportScore = async (client: Client, id: number) =>
  ((await client.get(`/reports/${id}/score`)) as { score: ReportScore }).score;

/** The columns of a pipeline by name. */
export async function columnsByName(client: Client, id: number): Promise<Record<string, ReportColumn>> {
  const { report_columns: columns } = await readReport(client, id);
  return Object.fromEntries(columns.map((column) => [column.name, column]));
}

/** Runs a pipeline. */
export async function startRun(client: Client, id: number, body: object = {}): Promise<number> {
  const { report_id: run } = (await client.post(`/reports/${id}/run`, { name: 'Run', ...body }, 201)) as {
    report_id: number;
  };
  return run;
}

export async function completed(client: Client, id: number): Promise<ReportDetail> {
  let report: ReportDetail;
  await until(async () => {
    report = await readReport(client, id);
    return report.status === 'COMPLETED';
  });
  return report!;
}

/** Runs a pipeline and waits for the end. */
export async function runReport(client: Client, id: number, body: object = {}): Promise<ReportDetail> {
  return completed(client, await startRun(client, id, body));
}

/** The values of the evaluation columns, row by row; the message of those that failed. */
export async function evaluated(client: Client, id: number): Promise<unknown[][]> {
  const { rows } = await readReportRows(client, id, '?per_page=100');
  return rows.map((cells) => cells.flatMap((cell) => (cell.type === 'eval' ? [cell.error_message ?? cell.value] : [])));
}

/** Waits until the rows of the preview of a pipeline are there, and none of its cells is queued or computed. */
export async function previewed(client: Client, id: number): Promise<void> {
  await until(async () => {
    const { QUEUED, RUNNING, COMPLETED, FAILED } = (await readReport(client, id)).stats.status_counts;
    return QUEUED + RUNNING === 0 && COMPLETED + FAILED > 0;
  });
}
