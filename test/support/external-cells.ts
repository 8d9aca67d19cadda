import type { Client } from './client.js';
import { addColumn, type Cell, type Column, fillRows, newSheet, settled, type TestSheet } from './factories.js';

export type Metered = Cell & { request_metrics: Record<string, unknown> | null };

interface Operation {
  status: string;
  cell_count: number;
  completed_count: number;
  failed_count: number;
  cost: number;
  reserved_cost: number;
}

let sheets = 0;
/** Texts that no other test has asked about. */
export function freshTexts(count: number): string[] {
  const number = ++sheets;
  return Array.from({ length: count }, (_, index) => `question ${number}.${index}`);
}

/** A column of the type ASK, whose cells wait for the service at this URL. */
export function askColumn(client: Client, sheet: TestSheet, url: string, more: object = {}): Promise<Column> {
  return addColumn(client, sheet, { title: 'Answer', type: 'ASK', config: { source: 'Column A', url, ...more } });
}

/** A sheet with a column of the type ASK, whose cells are stale: nothing was asked about these texts. */
export async function unansweredSheet(client: Client, url: string, texts: string[], more: object = {}) {
  const sheet = await newSheet(client);
  const column = await askColumn(client, sheet, url, more);
  await settled(client, sheet);
  await fillRows(client, sheet, texts);
  return { ...sheet, column };
}

/** Recalculates cells, by default all of them; gives the id of the operation. */
export async function recalculate(client: Client, sheet: TestSheet, more: object = {}): Promise<string> {
  const body = { operation: 'recalculate', statuses: [], ...more };
  return ((await client.post(`${sheet.path}/operations`, body, 202)) as { operation_id: string }).operation_id;
}

/** The id of the operation that works on the sheet. */
export async function activeOperation(client: Client, sheet: TestSheet): Promise<string> {
  const { active_operations: active } = (await client.get(`${sheet.path}/operations`)) as {
    active_operations: { operation_id: string }[];
  };
  return active[0]!.operation_id;
}

export async function readOperation(client: Client, sheet: TestSheet, id: string): Promise<Operation> {
  return ((await client.get(`${sheet.path}/operations/${id}`)) as { operation: Operation }).operation;
}

/** Cancels the computation of a sheet. Returns the id of the operation and the answer of the server. */
export async function cancel(client: Client, sheet: TestSheet): Promise<{ id: string; answer: unknown }> {
  const { active_operations: active } = (await client.get(`${sheet.path}/operations`)) as {
    active_operations: { operation_id: string }[];
  };
  const id = active[0]!.operation_id;
  return { id, answer: await client.delete(`${sheet.path}/operations/${id}`) };
}

export const shown = (cells: Cell[]) => cells.map(({ status, value }) => [status, value]);
