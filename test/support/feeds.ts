import type { Client } from './client.js';
import type { TestSheet } from './factories.js';
import { logCall } from './otlp.js';
import { untilSearchable } from './sweeps.js';
import type { TestApp } from './test-app.js';
import { until } from './until.js';

/** A feed as far as the tests look at it. */
export interface Feed {
  id: string;
  sheet_id: string;
  table_id: string;
  columns: Record<string, string>;
  state: string;
  paused_reason: string | null;
  paused_message: string | null;
  row_count: number;
  waiting_count: number;
  undecided_count: number;
  behind_since: string | null;
  cost_today: number;
  revision: number;
  backfill: { is_done: boolean } | null;
  last_hour: Record<string, number>;
}

const pathOf = ({ table_id: table, sheet_id: sheet }: Pick<Feed, 'table_id' | 'sheet_id'>): string =>
  `/api/public/v2/tables/${table}/sheets/${sheet}/feeds`;

export const feedPath = (feed: Feed): string => `${pathOf(feed)}/${feed.id}`;

export async function newFeed(client: Client, sheet: Pick<TestSheet, 'path'>, body: object): Promise<Feed> {
  return ((await client.post(`${sheet.path}/feeds`, { name: 'Mine', ...body }, 201)) as { feed: Feed }).feed;
}

export async function readFeed(client: Client, feed: Feed): Promise<Feed> {
  return ((await client.get(feedPath(feed))) as { feed: Feed }).feed;
}

export async function changeFeed(client: Client, feed: Feed, body: object): Promise<Feed> {
  return ((await client.patch(feedPath(feed), body)) as { feed: Feed }).feed;
}

/** Decisions by hour, newest first. */
export async function feedHours(client: Client, feed: Feed): Promise<Record<string, number>[]> {
  return ((await client.get(`${feedPath(feed)}/hours`)) as { data: Record<string, number>[] }).data;
}

export interface Explained {
  decision: string;
  reason: string;
  is_recorded: boolean;
  row_index: number | null;
  sample: number | null;
  revision: number;
}

export async function explain(client: Client, feed: Feed, item: Record<string, string | number>): Promise<Explained> {
  const query = new URLSearchParams(Object.entries(item).map(([name, value]) => [name, String(value)]));
  return (await client.get(`${feedPath(feed)}/decisions?${query}`)) as Explained;
}

/**
 * Makes everything arrive that was sent, and waits until the feed has decided about it, its cells are computed, and its turn has ended,
 * which old rows leave in.
 */
export async function settledFeed(
  app: TestApp,
  client: Client,
  feed: Feed,
  { endsTurn = true }: { endsTurn?: boolean } = {},
): Promise<Feed> {
  await until(async () => {
    const [{ count }] = (await app.sql(
      `SELECT (SELECT count(*) FROM request_log_search_queue) + (SELECT count(*) FROM trace_search_queue) AS count`,
    )) as [{ count: string }];
    if (count !== '0') {
      await app.sweep('trace-search');
      return false;
    }
    const now = await readFeed(client, feed);
    if (now.state === 'paused') return true;
    if (now.undecided_count > 0 || now.waiting_count > 0 || now.backfill?.is_done === false) return false;
    // A turn whose worker has died ends with its lease.
    if (!endsTurn) return true;
    // Read after the counts: the turn that brought them to 0 has ended when the feed is idle.
    const [{ status }] = (await app.sql('SELECT status FROM feeds WHERE id = $1', [feed.id])) as [{ status: string }];
    return status === 'idle';
  });
  return readFeed(client, feed);
}

/** Logs calls of these models so that they arrive one after the other. Returns their ids. */
export async function logInOrder(app: TestApp, client: Client, models: string[]): Promise<number[]> {
  const ids: number[] = [];
  for (const model of models) {
    ids.push(await logCall(client, { model }));
    await untilSearchable(app);
  }
  return ids;
}
