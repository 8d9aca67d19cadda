import { afterAll, beforeAll, beforeEach } from 'vitest';
import type { Client } from './client.js';
import type { Metered } from './external-cells.js';
import { addColumn, cellsOf, type Column, editCell, newSheet, settled, type TestSheet } from './factories.js';
import { type AskedCall, FakeVendors } from './fake-vendors.js';
import { addCredential } from './model-credentials.js';
import { TestApp } from './test-app.js';

export interface ModelApp {
  app: TestApp;
  me: Client;
  vendors: FakeVendors;
}

/** A server whose workspace has a credential of openai that leads to fake vendors; for all tests of a file. */
export function useModelApp(env: Record<string, string> = {}): ModelApp {
  const used = {} as ModelApp;
  beforeAll(async () => {
    used.vendors = await FakeVendors.start();
    used.app = await TestApp.start({ env: { OUTBOUND_ALLOW_PRIVATE: 'on', EXTERNAL_BACKOFF_MS: '10', ...env } });
    used.me = used.app.client;
    await addCredential(used.me, { provider: 'openai', base_url: `${used.vendors.url}/v1` });
  });
  afterAll(async () => {
    await used.app.stop();
    await used.vendors.stop();
  });
  beforeEach(() => used.vendors.reset());
  return used;
}

export interface ModelColumn {
  sheet: TestSheet;
  column: Column;
  cells: Metered[];
}

/** The cells of a column beside text columns with these values: `{ 'Column A': ['row 1', 'row 2'], … }`. */
export async function computeColumn(
  { me }: ModelApp,
  type: string,
  config: object,
  texts: Record<string, unknown[]>,
): Promise<ModelColumn> {
  const sheet = await sheetOf(me, texts);
  const column = await addColumn(me, sheet, { title: 'Result', type, config });
  await settled(me, sheet);
  return { sheet, column, cells: (await cellsOf(me, sheet, column.id)) as Metered[] };
}

export async function sheetOf(client: Client, { 'Column A': first = ['x'], ...others }: Record<string, unknown[]>) {
  const sheet = await newSheet(client, first);
  for (const [title, values] of Object.entries(others)) {
    const { id } = await addColumn(client, sheet, { title, type: 'TEXT' });
    const cells = await cellsOf(client, sheet, id);
    for (const [row, value] of values.entries()) await editCell(client, sheet, cells[row]!, { value });
  }
  return sheet;
}

/** Tries to add a column with the config, and returns the error message. */
export async function refusalOf({ me }: ModelApp, type: string, config: object): Promise<string> {
  const sheet = await newSheet(me, ['x']);
  const body = { title: 'Result', type, config };
  return ((await me.post(`${sheet.path}/columns`, body, 400)) as { message: string }).message;
}

export interface ChatMessage {
  role: string;
  content: string;
}

/** The messages of a call, with their texts. */
export function messagesOf({ body }: AskedCall): ChatMessage[] {
  const messages = body.messages as { role: string; content: string | { text?: string }[] }[];
  return messages.map(({ role, content }) => ({
    role,
    content: typeof content === 'string' ? content : content.map(({ text = '' }) => text).join(''),
  }));
}

/** Names of the properties in which a prompt asks for an answer; null for a plain text. */
export function formOf({ body }: AskedCall): string[] | null {
  const format = body.response_format as { json_schema: { schema: { properties: object } } } | undefined;
  return format ? Object.keys(format.json_schema.schema.properties) : null;
}

export const lastMessage = (asked: AskedCall): string => messagesOf(asked).at(-1)!.content;

const MODEL = { provider: 'openai', name: 'gpt-4.1', parameters: {} };
/** The built-in model, which repeats the last message. */
export const ECHO = { provider: 'tracesheet', name: 'echo', parameters: {} };

/** Prompt in the config of a column: a system message with the text. */
export const inlinePrompt = (text: string, model: object = MODEL) => ({
  inline: true,
  prompt_template: { type: 'chat', messages: [{ role: 'system', content: [{ type: 'text', text }] }] },
  metadata: { model: { ...MODEL, ...model } },
});

/** The steps of the trace of a cell, and how many calls were logged in each. */
export async function stepsOf({ me }: ModelApp, cell: Metered): Promise<{ name: string; calls: number }[]> {
  const [trace] = (cell.request_metrics as { trace_ids: string[] }).trace_ids;
  const { spans } = (await me.get(`/api/public/v2/traces/${trace}`)) as {
    spans: { span_id: string; name: string; parent_id: string | null; request_log_id: number | null }[];
  };
  const root = spans.find((span) => span.parent_id === null)!;
  const steps = spans.filter((span) => span.parent_id === root.span_id);
  return steps
    .map(({ span_id: id, name }) => ({
      name,
      calls: spans.filter((span) => span.parent_id === id && span.request_log_id !== null).length,
    }))
    .sort((a, b) => a.name.localeCompare(b.name, 'en', { numeric: true }));
}

/** Cancels the computation of a sheet and waits until it has ended. */
export async function cancelAll({ me }: ModelApp, { path }: Pick<TestSheet, 'path'>): Promise<void> {
  const { active_operations: active } = (await me.get(`${path}/operations`)) as {
    active_operations: { operation_id: string }[];
  };
  await me.delete(`${path}/operations/${active[0]!.operation_id}`);
  await settled(me, { path });
}

let counter = 0;
/** A text that no other test has asked about, so that no result is reused. */
export const fresh = (text: string): string => `${text} ${++counter}`;
