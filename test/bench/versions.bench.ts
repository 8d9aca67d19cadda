import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ApiClient, type SheetRef } from '../support/api-client.js';
import type { Installation } from '../support/server-processes.js';
import { benchNodeOptions, startBenchInstallation } from './bench-installation.js';
import { machine, median, printTable, quantile } from './report.js';

const ROWS = 50_000;
/** Text columns; with the computed one the sheet has a million cells. */
const TEXTS = 19;
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3);
const PAGES = 60;

interface Version {
  id: string;
  version_number: number;
}

let server: Installation;
let db: pg.Client;
let client: ApiClient;
let sheet: SheetRef;
let computed: string;

beforeAll(async () => {
  // A recalculation of all cells needs no confirmation.
  server = await startBenchInstallation({ TABLES_RECALC_CONFIRM_THRESHOLD: '10000000' });
  await server.start('api', benchNodeOptions);
  await server.start('worker');
  client = new ApiClient(server.url, server.apiKey);
  db = new pg.Client(server.databaseUrl);
  await db.connect();
  sheet = await filledSheet();
  const body = { title: 'Words', type: 'COUNT', config: { source: 'Text 0', type: 'words' } };
  computed = (await client.post<{ column: { id: string } }>(`${sheet.path}/columns`, body)).column.id;
  await client.untilComputed(sheet);
});
afterAll(async () => {
  await db.end();
  await server.close();
});

it('names, restores, reads and compares versions of a million cells', async () => {
  const rows = [['', 'median', 'p95', 'against']];
  const recomputed: number[] = [];
  const restored: number[] = [];
  const named: number[] = [];
  const sources: Version[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    sources.push(await timed(named, () => nameVersion(`Round ${round}`)));
    await timed(recomputed, recompute);
    await timed(restored, () => client.post(`${sheet.path}/versions`, { source_version_id: sources[round]!.id }));
    await expectRestored(sources[round]!);
  }
  for (let more = 0; more < 20; more++) await timed(named, () => nameVersion(`More ${more}`));
  rows.push(line('name a version', named, ''));
  rows.push(line(`compute ${ROWS} cells again`, recomputed, ''));
  rows.push(line(`restore these ${ROWS} cells`, restored, ratio(restored, recomputed)));
  const now = await readPages('');
  const then = await readPages(`&version=${sources[0]!.version_number}`);
  rows.push(line('page of 100 × 20 cells now', now, ''));
  rows.push(line('the same at an old version', then, ratio(then, now)));
  await recompute();
  const diffs: number[] = [];
  for (let read = 0; read < 5; read++)
    await timed(diffs, () => client.get(`${sheet.path}/versions/${sources[0]!.id}/diff`));
  rows.push(line(`first page of the difference (${ROWS} cells differ)`, diffs, ''));
  const nothing: number[] = [];
  const same = `${sheet.path}/versions/${sources[0]!.id}/diff?against=${sources[1]!.version_number}`;
  for (let read = 0; read < 5; read++) await timed(nothing, () => client.get(same));
  rows.push(line(`difference of equal versions, ${ROWS} cells written in between`, nothing, ''));
  const snapshots: number[] = [];
  const size = await timed(snapshots, () => readSnapshot(sources[0]!));
  rows.push(line(`snapshot of all cells, ${Math.round(size / 1024 ** 2)} MiB`, snapshots, ''));
  const emptied: number[] = [];
  const refilled: number[] = [];
  const row_indices = Array.from({ length: ROWS }, (_, row) => row);
  await timed(emptied, () => client.send('DELETE', `${sheet.path}/rows`, { row_indices }));
  rows.push(line('delete all rows', emptied, ''));
  await timed(refilled, () => client.post(`${sheet.path}/versions`, { source_version_id: sources[0]!.id }));
  await expectRestored(sources[0]!);
  rows.push(line('restore them', refilled, ''));
  printTable(
    `Versions of a sheet of ${TEXTS + 1} columns and ${ROWS} rows, over HTTP, ms, ${ROUNDS} rounds of ` +
      `computing and restoring\n${await machine(server.databaseUrl)}`,
    rows,
  );
});

async function filledSheet(): Promise<SheetRef> {
  const created = await client.createSheet('Bench');
  for (let index = 0; index < TEXTS; index++) {
    await client.post(`${created.path}/columns`, { title: `Text ${index}`, type: 'TEXT' });
  }
  await db.query(`UPDATE sheets SET rows = int4multirange(int4range(0, ${ROWS})) WHERE id = $1`, [created.id]);
  await db.query(
    `INSERT INTO cells (workspace_id, column_key, row_index, version, value)
     SELECT c.workspace_id, c.key, i, c.version, to_jsonb(c.title || ' ' || i || repeat(' May I get a refund?', 1 + i % 3))
       FROM sheet_columns c, generate_series(0, ${ROWS - 1}) i
      WHERE c.sheet_id = $1 AND c.title LIKE 'Text %'
      ORDER BY c.key, i`,
    [created.id],
  );
  await db.query('VACUUM ANALYZE cells');
  return created;
}

/** Changes what the column counts, so that every cell of it is different, and waits until all are computed. */
async function recompute(): Promise<void> {
  await client.patch(`${sheet.path}/columns/${computed}`, { config: { source: 'Text 0', type: 'chars' } });
  await client.post(`${sheet.path}/operations`, { operation: 'recalculate' });
  await client.untilComputed(sheet);
}

async function nameVersion(name: string): Promise<Version> {
  return (await client.post<{ version: Version }>(`${sheet.path}/versions`, { name })).version;
}

async function expectRestored(source: Version): Promise<void> {
  const page = (version: string) =>
    client.get<{ data: { cells: Record<string, { value: unknown }> }[] }>(`${sheet.path}/rows?limit=1${version}`);
  const [now, then] = [await page(''), await page(`&version=${source.version_number}`)];
  expect(now.data[0]!.cells[computed]!.value).toBe(then.data[0]!.cells[computed]!.value);
}

/** Milliseconds per page, from pages all over the sheet. */
async function readPages(version: string): Promise<number[]> {
  const times: number[] = [];
  let cursor = '';
  for (let page = 0; page < PAGES; page++) {
    const url = `${sheet.path}/rows?limit=100&include_columns=false${version}${cursor && `&cursor=${cursor}`}`;
    const { next_cursor } = await timed(times, () => client.get<{ next_cursor: string }>(url));
    cursor = next_cursor;
  }
  return times;
}

/** The number of bytes. */
async function readSnapshot({ id }: Version): Promise<number> {
  const response = await client.send('GET', `${sheet.path}/versions/${id}`);
  let bytes = 0;
  for await (const piece of response.body!) bytes += (piece as Uint8Array).length;
  return bytes;
}

async function timed<T>(times: number[], work: () => Promise<T>): Promise<T> {
  const start = performance.now();
  const result = await work();
  times.push(performance.now() - start);
  return result;
}

const line = (what: string, times: number[], against: string): string[] => [
  what,
  median(times).toFixed(1),
  quantile(times, 0.95).toFixed(1),
  against,
];
const ratio = (times: number[], others: number[]): string => `${(median(times) / median(others)).toFixed(2)} ×`;
