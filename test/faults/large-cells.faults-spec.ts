import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { memoryOf } from '../bench/report.js';
import type { ApiClient, SheetRef } from '../support/api-client.js';
import { deepIt } from '../support/depth.js';
import type { Installation, ProductProcess } from '../support/server-processes.js';
import { until } from '../support/until.js';
import { ADMIN_TOKEN, createWorkspace } from '../support/workspaces.js';
import { textSheet } from './computed-sheet.js';
import { startFaultInstallation } from './fault-installation.js';

/** Every row has two values of this many characters. With 1000 rows, which take minutes, the memory is the same. */
const SIZE = 5_000_000;
const ROWS = Number(process.env.LARGE_ROWS ?? 24);
const MOST_MEMORY_MIB = 1024;
const LONGEST_MS = 5000;

let server: Installation;
let client: ApiClient;
let worker: ProductProcess;
let db: pg.Client;

beforeAll(async () => {
  ({ server, client } = await startFaultInstallation({ ADMIN_TOKEN }));
  worker = await server.start('worker');
  db = new pg.Client(server.databaseUrl);
  await db.connect();
});
afterAll(async () => {
  await db.end();
  await server.close();
});

const addColumn = (to: ApiClient, sheet: SheetRef, title: string, column: object) =>
  to.post<{ column: { id: string } }>(`${sheet.path}/columns`, { title, ...column });

const large = (letter: string) => ({
  type: 'VARIABLE',
  config: { value: { type: 'string', value: letter.repeat(SIZE) } },
});

deepIt('computes cells that read megabytes each in little memory, and those of others meanwhile', async () => {
  const stranger = (await createWorkspace(server, 'Somebody else')).client;
  const theirs = await textSheet(stranger, 6);
  const sheet = await textSheet(client, ROWS);
  await addColumn(client, sheet, 'First', large('a'));
  await addColumn(client, sheet, 'Second', large('b'));
  await addColumn(client, sheet, 'Found', { type: 'CONTAINS', config: { source: 'First', value: 'ab' } });
  await addColumn(client, sheet, 'Length', { type: 'COUNT', config: { source: 'Second', type: 'chars' } });
  await until(async () => (await countComputed(sheet)) > 0);

  const start = Date.now();
  await addColumn(stranger, theirs, 'Length', { type: 'COUNT', config: { source: 'Column A', type: 'chars' } });
  await stranger.untilComputed(theirs);
  expect(Date.now() - start).toBeLessThan(LONGEST_MS);
  expect(await countComputed(sheet)).toBeLessThan(4 * ROWS);

  await until(async () => (await countComputed(sheet)) === 4 * ROWS);
  expect(worker.isRunning).toBe(true);
  expect(memoryOf(worker.pid).most).toBeLessThan(MOST_MEMORY_MIB);
});

it('fails a cell that reads more than fits into memory, and computes its neighbours', async () => {
  const sheet = await textSheet(client, 3);
  const titles = Array.from({ length: 14 }, (_, number) => `Part ${number}`);
  for (const title of titles) await addColumn(client, sheet, title, { type: 'TEXT' });
  await fillRow(sheet, 1);
  await addColumn(client, sheet, 'All', { type: 'COMBINE_COLUMNS', config: { sources: titles } });
  await until(async () => (await countComputed(sheet)) === 3);
  const { rows } = await db.query<{ row: number; error: string | null }>(
    `SELECT row_index AS row, error FROM cells JOIN sheet_columns c ON c.key = column_key
      WHERE c.sheet_id = $1 AND c.title = 'All' ORDER BY row_index`,
    [sheet.id],
  );
  expect(rows.map(({ error }) => error)).toEqual([
    null,
    'What this cell reads is larger than 64 MB together. Read fewer columns, or only parts of them.',
    null,
  ]);
  expect(worker.isRunning).toBe(true);
});

/** Texts of 5 MB in every column of a row. They only have to be there, so they do not go through the API. */
async function fillRow(sheet: SheetRef, row: number): Promise<void> {
  await db.query(
    `INSERT INTO cells (workspace_id, column_key, row_index, version, value)
     SELECT workspace_id, key, $2, version, to_jsonb(repeat('x', $3)) FROM sheet_columns
      WHERE sheet_id = $1 AND title LIKE 'Part %'`,
    [sheet.id, row, SIZE],
  );
}

/** Cells whose operation is done with them. The API would read the large configs of the columns every time. */
async function countComputed(sheet: SheetRef): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    'SELECT sum(completed_count + failed_count)::int AS count FROM executions WHERE sheet_id = $1',
    [sheet.id],
  );
  return rows[0]!.count;
}
