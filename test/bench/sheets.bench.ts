import pg from 'pg';
import { afterAll, beforeAll, it } from 'vitest';
import { ApiClient, type SheetRef } from '../support/api-client.js';
import type { Installation } from '../support/server-processes.js';
import { startBenchInstallation } from './bench-installation.js';
import { type FilledSize, fillSheet } from './filled-sheet.js';
import { machine, median, printTable, quantile } from './report.js';

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 50);
/** Rounds before those that are measured. */
const WARM_UP = 20;
/** A million cells. */
const [ROWS, TEXTS, COUNTS] = [50_000, 10, 10];

let server: Installation;
let db: pg.Client;
let client: ApiClient;

beforeAll(async () => {
  server = await startBenchInstallation();
  await server.start('api');
  client = new ApiClient(server.url, server.apiKey);
  db = new pg.Client(server.databaseUrl);
  await db.connect();
});
afterAll(async () => {
  await db.end();
  await server.close();
});

/** Each edit of a cell that others are computed from is followed by the same edit of one that nothing depends on. */
it('edits one cell that others are computed from', async () => {
  const table = [['rows', 'p50 ms', 'p99 ms', 'p50 ms without dependents', 'marking: median of the differences']];
  for (const rows of [100, 10_000, 100_000]) {
    const edit = await editor(await filledSheet({ rows, texts: 1, counts: 2 }), rows);
    const plainEdit = await editor(await filledSheet({ rows, texts: 1, counts: 0 }), rows);
    const plain: number[] = [];
    const both = await timed(async (round) => {
      await edit(round);
      const start = performance.now();
      await plainEdit(round);
      if (round >= 0) plain.push(performance.now() - start);
    });
    const marked = both.map((time, round) => time - plain[round]!);
    const marking = marked.map((time, round) => time - plain[round]!);
    table.push([`${rows}`, ...spread(marked), median(plain).toFixed(1), median(marking).toFixed(1)]);
  }
  printTable(`Editing a cell with two dependent columns, ${ROUNDS} edits in random rows\n${await about()}`, table);
});

it('reads a sheet of a million cells', async () => {
  const sheet = await filledSheet({ rows: ROWS, texts: TEXTS, counts: COUNTS });
  const table = [['request', 'p50 ms', 'p99 ms']];
  for (const depth of [0, 0.5, 0.998]) {
    const cursor = await cursorAt(sheet, Math.floor(depth * ROWS));
    const page = await timed(() => download(`${sheet.path}/rows?limit=100${cursor}`));
    table.push([`100 rows after ${depth * 100} % of them`, ...spread(page)]);
  }
  table.push(['status counts', ...spread(await timed(() => client.get(`${sheet.path}/status-counts`)))]);
  printTable(
    `A sheet of ${ROWS} rows × ${TEXTS + COUNTS} columns, over HTTP, ${ROUNDS} requests\n${await about()}`,
    table,
  );
});

/** Downloads a file without parsing it, which would add time of the client. */
async function download(url: string): Promise<void> {
  const response = await client.send('GET', url);
  await response.arrayBuffer();
}

const about = () => machine(server.databaseUrl);
const filledSheet = (size: FilledSize): Promise<SheetRef> => fillSheet({ client, db }, size);
const spread = (times: number[]) => [quantile(times, 0.5).toFixed(1), quantile(times, 0.99).toFixed(1)];

async function timed(work: (round: number) => Promise<unknown>): Promise<number[]> {
  const times: number[] = [];
  for (let round = -WARM_UP; round < ROUNDS; round++) {
    const start = performance.now();
    await work(round);
    if (round >= 0) times.push(performance.now() - start);
  }
  return times;
}

async function editor(sheet: SheetRef, rows: number): Promise<(round: number) => Promise<unknown>> {
  const ids: string[] = [];
  for (let round = -WARM_UP; round < ROUNDS; round++) {
    const row = Math.floor((rows - 1) * (((round + WARM_UP) * 0.618_034) % 1));
    const [found] = await pageAt(sheet, row);
    ids.push(found!);
  }
  return (round) => client.patch(`${sheet.path}/cells/${ids[round + WARM_UP]}`, { value: `Edit ${round}` });
}

interface RowsPage {
  data: { row_index: number; cells: Record<string, { id: string }> }[];
  next_cursor: string;
}

async function pageAt(sheet: SheetRef, row: number): Promise<string[]> {
  const page = await client.get<RowsPage>(`${sheet.path}/rows?limit=1${await cursorAt(sheet, row)}`);
  return page.data.map(({ cells }) => Object.values(cells)[0]!.id);
}

/** The cursor that continues before a row. There are no jumps in the API: the page before it is asked for. */
async function cursorAt(sheet: SheetRef, row: number): Promise<string> {
  if (row === 0) return '';
  const first = await client.get<RowsPage>(`${sheet.path}/rows?limit=1`);
  const parts = JSON.parse(Buffer.from(first.next_cursor, 'base64url').toString()) as unknown[];
  const text = JSON.stringify([...parts.slice(0, -1), [row - 1]]);
  return `&cursor=${Buffer.from(text).toString('base64url')}`;
}
