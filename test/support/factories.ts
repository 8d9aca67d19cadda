import type { Client } from './client.js';
import { until } from './until.js';

export const TABLES = '/api/public/v2/tables';

export interface Cell {
  id: string;
  column_id: string;
  row_index: number;
  status: string;
  value: unknown;
  display_value: string | null;
  error: string | null;
  error_message: string | null;
  input_hash: string | null;
  last_computed_version: number | null;
  execution_id: string | null;
}
export interface Column {
  id: string;
  title: string;
  type: string;
  config: Record<string, unknown>;
  position_rank: number;
  is_output_column: boolean;
  dependencies: { column_id: string; config_key: string | null }[];
}
export interface Page<T> {
  data: T[];
  next_cursor: string | null;
  has_more: boolean;
  count: number;
}
export interface RowsPage extends Page<{ row_index: number; cells: Record<string, Cell> }> {
  columns: Column[];
  row_count?: number;
  version: number;
}

/** A sheet of the client's workspace and the first column of it, "Column A". */
export interface TestSheet {
  tableId: string;
  id: string;
  /** The URL of the sheet. */
  path: string;
  columnId: string;
}

/** Rows that one request adds. */
const MOST_ROWS = 100;

/** A new table with its default sheet; `texts` become the rows of "Column A". */
export async function newSheet(client: Client, texts: unknown[] = []): Promise<TestSheet> {
  const {
    table,
    default_sheet: { id },
  } = (await client.post(TABLES, { title: 'Test' }, 201)) as {
    table: { id: string };
    default_sheet: { id: string };
  };
  const path = `${TABLES}/${table.id}/sheets/${id}`;
  const { columns } = (await client.get(`${path}/rows`)) as RowsPage;
  const columnId = columns[0]!.id;
  const sheet = { tableId: table.id, id, path, columnId };
  await fillRows(client, sheet, texts);
  return sheet;
}

/** Texts become the rows of "Column A" in a sheet that has nothing but its first, blank row. */
export async function fillRows(client: Client, { path, columnId }: TestSheet, texts: unknown[]): Promise<void> {
  const [first, ...others] = texts;
  if (first === undefined) return;
  const { data } = (await client.get(`${path}/rows`)) as RowsPage;
  await client.patch(`${path}/cells/${data[0]!.cells[columnId]!.id}`, { value: first });
  for (let from = 0; from < others.length; from += MOST_ROWS) {
    const values = others.slice(from, from + MOST_ROWS).map((text) => ({ [columnId]: text }));
    await client.post(`${path}/rows`, { count: values.length, values }, 201);
  }
}

export async function addColumn(client: Client, sheet: TestSheet, body: object): Promise<Column> {
  const { column } = (await client.post(`${sheet.path}/columns`, body, 201)) as { column: Column };
  return column;
}

export function addCount(client: Client, sheet: TestSheet, title: string, source = 'Column A'): Promise<Column> {
  return addColumn(client, sheet, { title, type: 'COUNT', config: { source, type: 'chars' } });
}

export async function readRows(client: Client, sheet: TestSheet): Promise<RowsPage> {
  return (await client.get(`${sheet.path}/rows`)) as RowsPage;
}

/** The cells of a column by row. */
export async function cellsOf(client: Client, sheet: TestSheet, columnId: string): Promise<Cell[]> {
  return (await readRows(client, sheet)).data.map((row) => row.cells[columnId]!);
}

/** The texts or values of all columns, row by row. */
export async function valuesOf(client: Client, sheet: TestSheet): Promise<unknown[][]> {
  const { data, columns } = await readRows(client, sheet);
  return data.map(({ cells }) => columns.map(({ id }) => cells[id]!.value));
}

export async function editCell(client: Client, sheet: TestSheet, cell: Cell, edit: object) {
  return (await client.patch(`${sheet.path}/cells/${cell.id}`, edit)) as {
    cell: Cell;
    version: number;
    stale_count: number;
  };
}

export async function versionOf(client: Client, sheet: TestSheet): Promise<number> {
  const answer = (await client.get(sheet.path)) as { sheet: { version_count: number } };
  return answer.sheet.version_count;
}

/** Waits until nothing of the sheet is queued or running. */
export async function settled(client: Client, sheet: Pick<TestSheet, 'path'>): Promise<void> {
  await until(async () => {
    const { status_counts: counts } = (await client.get(`${sheet.path}/status-counts`)) as {
      status_counts: Record<string, number>;
    };
    return counts.QUEUED! + counts.DISPATCHED! + counts.RUNNING! === 0;
  });
}

/** Every page of a list, following `next_cursor`. */
export async function readAll<T>(client: Client, url: string): Promise<T[]> {
  const items: T[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const page = (await client.get(cursor ? `${url}&cursor=${encodeURIComponent(cursor)}` : url)) as Page<T>;
    items.push(...page.data);
    cursor = page.next_cursor;
  }
  return items;
}

export interface ImportOperation {
  operation_id: string;
  status: string;
  progress: number;
  rows_added: number | null;
  row_count: number | null;
  error_message: string | null;
}

/** Imports request logs and waits for the end. */
export async function importLogs(client: Client, sheet: TestSheet, body: object): Promise<ImportOperation> {
  const started = (await client.post(`${sheet.path}/imports/request-logs`, body, 202)) as { status_url: string };
  let operation: ImportOperation;
  await until(async () => {
    ({ operation } = (await client.get(started.status_url)) as { operation: ImportOperation });
    return ['completed', 'failed'].includes(operation.status);
  });
  return operation!;
}
