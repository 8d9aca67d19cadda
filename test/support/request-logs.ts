import type { Client } from './client.js';
import type { TestApp } from './test-app.js';

export const REQUESTS = '/api/public/v2/requests';

export interface LogItem {
  id: number;
  engine: string;
  provider_type: string;
  input_tokens: number;
  output_tokens: number;
  price: number;
  priced: boolean;
  request_start_time: string;
  latency: number;
  tags_array: string[];
  metadata: Record<string, string>[];
  scores: { name: string; score: number }[];
  prompt_name?: string | null;
  status: string;
}
export interface LogPage {
  items: LogItem[];
  page: number;
  pages: number;
  per_page: number;
  total: number;
  total_is_exact: boolean;
  has_next: boolean;
  has_prev: boolean;
  next_num: number | null;
  prev_num: number | null;
}
export interface LogSlice {
  items: LogItem[];
  next_cursor: string | null;
  has_more: boolean;
  limit: number;
}

export async function search(client: Client, body: object = {}): Promise<LogPage> {
  return (await client.post(`${REQUESTS}/search`, body)) as LogPage;
}

export async function searchAfter(client: Client, body: object): Promise<LogSlice> {
  return (await client.post(`${REQUESTS}/search`, body)) as LogSlice;
}

export const idsOf = ({ items }: { items: LogItem[] }): number[] => items.map(({ id }) => id);

/** The ids on all pages, following the numbers. */
export async function idsOfPages(client: Client, body: object): Promise<number[]> {
  const ids: number[] = [];
  for (let page: number | null = 1; page !== null;) {
    const found: LogPage = await search(client, { ...body, page });
    ids.push(...idsOf(found));
    page = found.next_num;
  }
  return ids;
}

/** The ids on all pages, following the cursors; `between` runs after every page. */
export async function idsOfCursors(client: Client, body: object, between?: () => Promise<unknown>): Promise<number[]> {
  const ids: number[] = [];
  for (let cursor: string | null | undefined; cursor !== null;) {
    const found: LogSlice = await searchAfter(client, { limit: 7, ...body, cursor });
    ids.push(...idsOf(found));
    cursor = found.next_cursor;
    await between?.();
  }
  return ids;
}

/**
 * Copies a log in the database, once per entry, with these columns changed: what no client can choose, such as missing
 * prices, or more logs than a test has time to send. Entries need an `id`.
 */
export async function copyLog(app: TestApp, original: number, changes: object[]): Promise<void> {
  await app.sql(
    `INSERT INTO request_logs
     SELECT changed.* FROM request_logs o, jsonb_array_elements($2::jsonb) AS change,
            jsonb_populate_record(o, change) AS changed
      WHERE o.id = $1`,
    [original, JSON.stringify(changes)],
  );
}

/** Every request log of a trace that a search finds, whole. */
export async function logsOfTrace<Log>(me: Client, trace: unknown): Promise<Log[]> {
  const filter_group = { filters: [{ field: 'trace_id', operator: 'is', value: trace }] };
  const { items } = (await me.post(`${REQUESTS}/search`, { filter_group, per_page: 25 })) as {
    items: { id: number }[];
  };
  return Promise.all(items.map(async ({ id }) => (await me.get(`${REQUESTS}/${id}`)) as Log));
}
