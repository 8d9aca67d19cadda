import { expect } from 'vitest';
import type { Client } from './client.js';
import type { TestApp } from './test-app.js';
import { until } from './until.js';

export const MONITORS = '/api/public/v2/monitors';
const HOUR_MS = 3_600_000;

export interface GroupVerdict {
  group: string | null;
  open: boolean;
  verdict: string;
  figure: number | null;
  expected_low: number | null;
  expected_high: number | null;
  items: number;
  test: string;
  probability: number | null;
  items_path: string | null;
}

export interface Monitor {
  id: string;
  name: string;
  status: string;
  state: string;
  open_alerts: number;
  problem: string | null;
  latest: GroupVerdict[];
  evaluated_to: string | null;
  [field: string]: unknown;
}

export interface Alert {
  id: string;
  group: string | null;
  cause: string;
  state: string;
  opened_at: string;
  closed_at: string | null;
  closing: string | null;
  opened_by: GroupVerdict;
  last: GroupVerdict;
  items_filter_group: object;
}

/** More than 20 % of failures in an hour. */
export const FAILURES = { measure: 'failed_share', rule: 'limit', limit: 0.2, least_items: 5, closes_after_minutes: 0 };

export async function createMonitor(client: Client, body: object = {}): Promise<Monitor> {
  const wanted = { name: 'Failures', ...FAILURES, ...body };
  return ((await client.post(MONITORS, wanted, 201)) as { monitor: Monitor }).monitor;
}

export const readMonitor = async (client: Client, { id }: Pick<Monitor, 'id'>): Promise<Monitor> =>
  ((await client.get(`${MONITORS}/${id}`)) as { monitor: Monitor }).monitor;

/** Waits until a monitor has been evaluated without a problem. */
export async function evaluated(client: Client, monitor: Monitor): Promise<Monitor> {
  let now = monitor;
  await until(async () => {
    now = await readMonitor(client, monitor);
    return now.evaluated_to !== null || now.problem !== null;
  });
  expect(now.problem).toBeNull();
  return now;
}

/** Evaluates a monitor again although its windows have not moved. */
export async function evaluatedAgain(app: TestApp, client: Client, monitor: Monitor): Promise<Monitor> {
  await app.sql('UPDATE monitors SET evaluated_to = NULL, due_at = now() WHERE id = $1', [monitor.id]);
  await app.sweep('monitors');
  return evaluated(client, monitor);
}

export const alertsOf = async (client: Client, { id }: Pick<Monitor, 'id'>, query = ''): Promise<Alert[]> =>
  ((await client.get(`${MONITORS}/${id}/alerts${query}`)) as { data: Alert[] }).data;

const message = (role: string, text: string) => ({
  type: 'chat',
  messages: [{ role, content: [{ type: 'text', text }] }],
});

/** The body of a log of a call that began so many hours ago and took a second. */
export function callOf(hoursAgo: number, body: object = {}): object {
  const start = Date.now() - hoursAgo * HOUR_MS;
  return {
    provider: 'openai',
    model: 'gpt-4o',
    input: message('user', 'Where is my parcel?'),
    output: message('assistant', 'On its way.'),
    request_start_time: new Date(start).toISOString(),
    request_end_time: new Date(start + 1000).toISOString(),
    price: 0.5,
    input_tokens: 10,
    output_tokens: 5,
    ...body,
  };
}

/** Logs so many calls. Half an hour ago lies in all windows of an hour that end about now. */
export async function logCalls(client: Client, count: number, body: object = {}, hoursAgo = 0.5): Promise<void> {
  for (let at = 0; at < count; at++) await client.post('/log-request', callOf(hoursAgo, body), 201);
}
