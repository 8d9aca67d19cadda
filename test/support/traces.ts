import type { Client } from './client.js';
import type { Cell, Column, RowsPage, TestSheet } from './factories.js';

const ADD_TRACE = '/api/public/v2/dataset-versions/add-trace';

export interface AddedTrace {
  success: true;
  rows_added: number;
  mode: 'trace' | 'span';
  row_index: number;
  row: { row_index: number; cells: Record<string, Cell> };
  version: number;
}

/** Body that clients send, with some fields replaced. */
export const traceBody = (sheet: TestSheet, traceId: unknown, more: object = {}): object => ({
  trace_id: traceId,
  smart_table_id: sheet.tableId,
  sheet_id: sheet.id,
  metadata: { eval_name: 'eval' },
  ...more,
});

export async function addTrace(client: Client, sheet: TestSheet, traceId: unknown, more: object = {}) {
  return (await client.post(ADD_TRACE, traceBody(sheet, traceId, more), 201)) as AddedTrace;
}

/** Asks and gives the answer, whatever it is. */
export const askToAddTrace = (client: Client, body: unknown) => client.request('POST', ADD_TRACE, body);

/** All columns of a sheet by title, those of the server included. */
export async function columnsByTitle(
  client: Client,
  { path }: Pick<TestSheet, 'path'>,
): Promise<Record<string, Column>> {
  const { columns } = (await client.get(`${path}/rows?include_system_columns=true`)) as RowsPage;
  return Object.fromEntries(columns.map((column) => [column.title, column]));
}
