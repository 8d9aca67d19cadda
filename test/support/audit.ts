import type { Client } from './client.js';
import { newWorkspace, type Workspace } from './erasures.js';
import { sweepUntil } from './sweeps.js';
import type { TestApp } from './test-app.js';

export interface Place {
  position: number;
  entry_id: number;
  hash: string;
}

export interface Verification {
  is_intact: boolean;
  is_complete: boolean;
  head: (Place & { sealed_at: string }) | null;
  verified: Place | null;
  verified_count: number;
  erased_count: number;
  unsealed_count: number;
  break: { kind: string; position: number; entry_id: number | null } | null;
}

/** A line of a download. */
export type Line = Record<string, unknown> & {
  id: number;
  action: string;
  position: number | null;
  hash: string | null;
};

/** Scope of the installation, instead of a workspace. */
export const installation = (app: TestApp): Workspace => ({ me: app.operator(), id: 0, erasures: '' });

export const pathOf = ({ id }: Pick<Workspace, 'id'>) =>
  id === 0 ? '/api/admin/v1/audit-entries' : `/api/admin/v1/workspaces/${id}/audit-entries`;

export async function verify({ me, id }: Workspace, after?: Place): Promise<Verification> {
  const query = after ? `?after_entry_id=${after.entry_id}&after_hash=${after.hash}` : '';
  return (await me.get(`${pathOf({ id })}/verification${query}`)) as Verification;
}

export async function download({ me, id }: Workspace, query = ''): Promise<Line[]> {
  const { body } = await me.request('GET', `${pathOf({ id })}/download?${query}`);
  return String(body)
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Line);
}

export async function writeEntries({ me, id }: Workspace, count: number): Promise<void> {
  for (let n = 0; n < count; n++) await me.post(`/api/admin/v1/workspaces/${id}/api-keys`, { name: `key ${n}` }, 201);
}

/** Sweeps until every entry of the workspace is sealed. */
export const untilSealed = (app: TestApp, where: Workspace): Promise<void> =>
  sweepUntil(app, ['audit'], async () => (await verify(where)).unsealed_count === 0);

/** A workspace with sealed entries, and their ids in the order of the chain. */
export async function newChain(app: TestApp, count: number): Promise<{ where: Workspace; ids: number[]; head: Place }> {
  const where = await newWorkspace(app);
  await writeEntries(where, count);
  await untilSealed(app, where);
  const { head } = await verify(where);
  return { where, ids: (await download(where)).map(({ id }) => id), head: head! };
}

/** Leaves an entry with the title. */
export async function deleteTable(client: Client, title: string): Promise<void> {
  const { table } = (await client.post('/api/public/v2/tables', { title }, 201)) as { table: { id: string } };
  await client.delete(`/api/public/v2/tables/${table.id}`);
}
