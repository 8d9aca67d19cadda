import { expect } from 'vitest';
import type { Client } from './client.js';
import { untilAddedUp, untilSearchable } from './sweeps.js';
import type { TestApp } from './test-app.js';
import { until } from './until.js';

export interface Erasure {
  id: string;
  status: string;
  progress: number;
  counts: Record<string, number>;
  dry_run: boolean;
  error_message: string | null;
  verified_at: string | null;
}

export interface Workspace {
  me: Client;
  id: number;
  erasures: string;
}

/** A customer of the installation. */
export async function newWorkspace(app: TestApp): Promise<Workspace> {
  const me = await app.stranger();
  const { workspace: own } = (await me.get('/api/public/v2/me')) as { workspace: { id: number } };
  return { me, id: own.id, erasures: `/api/admin/v1/workspaces/${own.id}/erasures` };
}

export async function startErasure({ me, erasures }: Workspace, body: object): Promise<Erasure> {
  return ((await me.post(erasures, body, 202)) as { erasure: Erasure }).erasure;
}

export async function finishedErasure(where: Workspace, { id }: Erasure): Promise<Erasure> {
  let known: Erasure;
  await until(async () => {
    known = ((await where.me.get(`${where.erasures}/${id}`)) as { erasure: Erasure }).erasure;
    return !['queued', 'running'].includes(known.status);
  });
  return known!;
}

export const erase = async (where: Workspace, body: object): Promise<Erasure> =>
  finishedErasure(where, await startErasure(where, body));

/** Sweeps until search and the hourly sums have processed everything in some workspaces. */
export async function untilCaughtUp(app: TestApp, ...workspaces: Workspace[]): Promise<void> {
  for (const { id } of workspaces) {
    await untilSearchable(app, id);
    await untilAddedUp(app, id);
  }
  expect(await Promise.all(workspaces.map((workspace) => unread(app, workspace)))).toEqual(workspaces.map(() => 0));
}

/** Counts rows that search and the hourly sums have not processed yet. */
async function unread(app: TestApp, { id }: Workspace): Promise<number> {
  const tables = ['trace_search_queue', 'request_log_search_queue', 'trace_hour_changes', 'request_hour_changes'];
  const counts = await Promise.all(
    tables.map(async (table) => {
      const ofHours = table.endsWith('changes') ? `AND hour < now() - interval '2 hours'` : '';
      const sql = `SELECT count(*)::int AS n FROM ${table} WHERE workspace_id = $1 ${ofHours}`;
      return ((await app.sql(sql, [id])) as [{ n: number }])[0].n;
    }),
  );
  return counts.reduce((sum, count) => sum + count, 0);
}
