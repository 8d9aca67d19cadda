import type { Client } from './client.js';
import type { Cell, Column, RowsPage, TestSheet } from './factories.js';

export interface Version {
  id: string;
  sheet_id: string;
  version_number: number;
  name: string | null;
  created_by: string | null;
  metadata: { delta_count: number; source_version_id?: string; operation_id?: string };
  deltas: { type: string }[];
}

export interface VersionsPage {
  data: Version[];
  pagination: { next_cursor: string | null; has_more: boolean };
  count: number;
}

/** The newest first. */
export async function versionsOf(client: Client, sheet: TestSheet): Promise<Version[]> {
  return ((await client.get(`${sheet.path}/versions?limit=100`)) as VersionsPage).data;
}

/** The version with a number. */
export async function versionAt(client: Client, sheet: TestSheet, number: number): Promise<Version> {
  return (await versionsOf(client, sheet)).find((version) => version.version_number === number)!;
}

export async function nameVersion(client: Client, sheet: TestSheet, name: string): Promise<Version> {
  return ((await client.post(`${sheet.path}/versions`, { name }, 201)) as { version: Version }).version;
}

export async function restore(client: Client, sheet: TestSheet, version: Version): Promise<Version> {
  const answer = await client.post(`${sheet.path}/versions`, { source_version_id: version.id }, 201);
  return (answer as { version: Version }).version;
}

export async function rowsAt(client: Client, sheet: TestSheet, version: number | string): Promise<RowsPage> {
  return (await client.get(`${sheet.path}/rows?version=${version}&limit=100`)) as RowsPage;
}

/** Values of a page of rows that a version keeps. Restored cells have the version of the restore. */
export function gridOf({ data, columns }: RowsPage, withVersions = true) {
  const kept = ({ id, status, value, display_value, error_message, input_hash, execution_id, ...cell }: Cell) => {
    const version = withVersions ? cell.last_computed_version : null;
    return { id, status, value, display_value, error_message, input_hash, execution_id, version };
  };
  const shown = ({ id, title, type, config, position_rank, is_output_column, dependencies }: Column) => ({
    id,
    title,
    type,
    config,
    position_rank,
    is_output_column,
    dependencies,
  });
  return {
    columns: columns.map(shown),
    rows: data.map(({ row_index, cells }) => ({
      row_index,
      cells: Object.fromEntries(Object.entries(cells).map(([id, cell]) => [id, kept(cell)])),
    })),
  };
}

export interface Shown {
  value: unknown;
  display_value: string | null;
  status: string;
  error_message: string | null;
}

export interface CellChange {
  cell_id: string;
  column_id: string;
  row_index: number;
  change: 'added' | 'removed' | 'changed';
  before: Shown | null;
  after: Shown | null;
}

export interface Diff {
  from_version: number;
  to_version: number;
  columns: { added: Column[]; removed: Column[]; changed: { before: Column; after: Column }[] };
  rows: { added: { first: number; last: number }[]; removed: { first: number; last: number }[] };
  data: CellChange[];
  pagination: { next_cursor: string | null; has_more: boolean };
  count: number;
}

/** All pages of the differences between two versions, as one. */
export async function diffOf(
  client: Client,
  sheet: TestSheet,
  version: Version,
  { against, limit = 100 }: { against?: number | string; limit?: number } = {},
): Promise<Diff> {
  const url = `${sheet.path}/versions/${version.id}/diff?limit=${limit}${against === undefined ? '' : `&against=${against}`}`;
  const diff = (await client.get(url)) as Diff;
  for (let cursor = diff.pagination.next_cursor; cursor !== null;) {
    const page = (await client.get(`${url}&cursor=${cursor}`)) as Diff;
    diff.data.push(...page.data);
    cursor = page.pagination.next_cursor;
  }
  return diff;
}
