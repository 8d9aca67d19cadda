import type { Answer, Client } from './client.js';
import { type ImportOperation, type RowsPage, TABLES } from './factories.js';
import { until } from './until.js';

export interface Sheet {
  id: string;
  table_id: string;
  title: string;
  index: number;
  row_count: number;
  version_count: number;
}

export interface FromSource {
  operation_id: string;
  operation: ImportOperation & { source: string; file_name: string | null };
  sheet: Sheet;
}

export const base64 = (content: string | Buffer): string => Buffer.from(content).toString('base64');

/** The path of a new table's sheets. The table has none unless `withSheet`. */
export async function newTable(client: Client, withSheet = false): Promise<{ id: string; sheets: string }> {
  const body = { title: 'Test', create_default_sheet: withSheet };
  const { table } = (await client.post(TABLES, body, 201)) as { table: { id: string } };
  return { id: table.id, sheets: `${TABLES}/${table.id}/sheets` };
}

export async function createSheet(client: Client, sheets: string, body: object = {}): Promise<Sheet> {
  return ((await client.post(sheets, body, 201)) as { sheet: Sheet }).sheet;
}

export async function createFrom(client: Client, sheets: string, body: object): Promise<FromSource> {
  return (await client.post(sheets, body, 202)) as FromSource;
}

/** A sheet from a file, whose import has ended. */
export async function sheetFromFile(client: Client, sheets: string, content: string | Buffer, name = 'data.csv') {
  const source = { type: 'file', file_name: name, file_content_base64: base64(content) };
  const created = await createFrom(client, sheets, { source });
  return { ...created, operation: await ended(client, sheets, created.operation_id) };
}

export async function ended(client: Client, sheets: string, operationId: string): Promise<ImportOperation> {
  let operation: ImportOperation;
  await until(async () => {
    const answer = await client.get(`${sheets}/operations/${encodeURIComponent(operationId)}`);
    ({ operation } = answer as { operation: ImportOperation });
    return ['completed', 'failed'].includes(operation.status);
  });
  return operation!;
}

/** Asks for an import of a CSV into a sheet. */
export function postFile(client: Client, sheetPath: string, content: string | Buffer, more: object = {}) {
  const body = { file_name: 'data.csv', file_content_base64: base64(content), ...more };
  return client.request('POST', `${sheetPath}/imports/file`, body);
}

/** Imports a CSV into a sheet and waits for the end. */
export async function importFile(client: Client, sheetPath: string, content: string | Buffer, more: object = {}) {
  const answer: Answer = await postFile(client, sheetPath, content, more);
  if (answer.status !== 202) throw new Error(`The import was refused: ${JSON.stringify(answer.body)}`);
  const { operation_id: id } = answer.body as { operation_id: string };
  return ended(client, sheetPath.replace(/\/[^/]+$/, ''), id);
}

/** Titles of the columns and values by row. */
export async function contentOf(client: Client, sheetPath: string) {
  const page = (await client.get(`${sheetPath}/rows`)) as RowsPage;
  const titles = page.columns.map(({ title }) => title);
  const rows = page.data.map(({ cells }) => page.columns.map(({ id }) => cells[id]!.value));
  return { titles, rows, indexes: page.data.map(({ row_index }) => row_index) };
}

export async function sheetsOf(client: Client, sheets: string): Promise<Sheet[]> {
  return ((await client.get(`${sheets}?limit=100`)) as { data: Sheet[] }).data;
}
