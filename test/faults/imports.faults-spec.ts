import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ApiClient, SheetRef } from '../support/api-client.js';
import { atDepth, deepIt } from '../support/depth.js';
import { envelope, llmSpan } from '../support/otlp.js';
import type { Installation } from '../support/server-processes.js';
import { until } from '../support/until.js';
import { readSheet } from './computed-sheet.js';
import { inTheMiddle, OneWorker, startFaultInstallation } from './fault-installation.js';

/** Steps of a thousand. */
const LOGS = atDepth(5_000, 10_000);
/** Thirty steps. */
const ROWS = 30_000;
const SPANS_PER_REQUEST = 1000;

let server: Installation;
let client: ApiClient;
const worker = new OneWorker(() => server);

beforeAll(async () => {
  ({ server, client } = await startFaultInstallation());
  for (let from = 0; from < LOGS; from += SPANS_PER_REQUEST) {
    const spans = Array.from({ length: SPANS_PER_REQUEST }, (_, index) =>
      llmSpan({ output: `Answer ${from + index}` }),
    );
    await client.post('/v1/traces', envelope(spans));
  }
});
afterAll(() => server.close());

deepIt('imports every request log once although the worker is killed in the middle', async () => {
  const sheet = await client.createSheet('Imported');
  const importOf = await startImport(sheet);
  let done = 0;
  for (let kill = 0; kill < atDepth(1, 2); kill++) {
    const current = await worker.running();
    done = await inTheMiddle(() => progress(importOf), done);
    await current.kill();
  }
  await worker.running();
  await until(async () => (await operation(importOf)).status !== 'running');

  expect(await operation(importOf)).toMatchObject({ status: 'completed', rows_added: LOGS, row_count: LOGS });
  const { rows } = await readSheet(client, sheet);
  const answers = rows.map((row) => String(row.values.output)).toSorted();
  expect(answers).toEqual(Array.from({ length: LOGS }, (_, index) => `Answer ${index}`).toSorted());
});

it('imports every row of a file once although the worker is killed in the middle', async () => {
  const sheet = await client.createSheet('From a file');
  const lines = linesOfFile();
  const importOf = await startImportOfFile(sheet, lines);
  let done = 0;
  for (let kill = 0; kill < atDepth(1, 2); kill++) {
    const current = await worker.running();
    done = await inTheMiddle(() => progress(importOf), done);
    await current.kill();
  }
  await worker.running();
  await until(async () => (await operation(importOf)).status !== 'running');

  expect(await operation(importOf)).toMatchObject({ status: 'completed', rows_added: ROWS, row_count: ROWS });
  const file = await (await client.send('GET', `${sheet.path}/export?format=csv`)).text();
  expect(file).toBe(`n,text\r\n${lines.join('\r\n')}\r\n`);
});

it('is given back by a worker that is asked to stop, for another to go on with', async () => {
  const sheet = await client.createSheet('Handed over');
  const importOf = await startImportOfFile(sheet, linesOfFile());
  const first = await worker.running();
  const done = await inTheMiddle(() => progress(importOf));
  await first.stop();
  expect(await operation(importOf)).toMatchObject({ status: 'running', progress: expect.toSatisfy((n) => n >= done) });
  expect(await claimOf(sheet)).toEqual({ attempts: 0, lease_until: null });
  await worker.running();
  await until(async () => (await operation(importOf)).status !== 'running');

  expect(await operation(importOf)).toMatchObject({ status: 'completed', rows_added: ROWS, row_count: ROWS });
});

it('leaves the sheet as it was when the import fails in the middle', async () => {
  const sheet = await client.createSheet('Changed meanwhile');
  const importOf = await startImport(sheet);
  const first = await worker.running();
  await inTheMiddle(() => progress(importOf));
  await first.kill();
  const cellId = await firstCell(sheet);
  await client.patch(`${sheet.path}/cells/${cellId}`, { value: 'written meanwhile' });
  const before = await snapshot(sheet);

  await worker.running();
  await until(async () => (await operation(importOf)).status === 'failed');

  expect(await snapshot(sheet)).toEqual(before);
  expect(before.content).toMatchObject({
    titles: ['Column A'],
    rows: [{ values: { 'Column A': 'written meanwhile' } }],
  });
  await client.post(`${sheet.path}/rows`, { count: 1 });
  const { rows } = await readSheet(client, sheet);
  expect(rows.map((row) => row.values)).toEqual([{ 'Column A': 'written meanwhile' }, { 'Column A': null }]);
});

interface ImportOperation {
  status: string;
  progress: number;
  rows_added: number | null;
  row_count: number | null;
}

/** Gives the path of its operation. */
async function startImport(sheet: SheetRef): Promise<string> {
  const started = await client.post<{ status_url: string }>(`${sheet.path}/imports/request-logs`, {
    filter_group: { filters: [] },
  });
  return started.status_url;
}

function linesOfFile(): string[] {
  return Array.from({ length: ROWS }, (_, row) => `${row},"text of\n${row}"`);
}

/** Gives the path of its operation. */
async function startImportOfFile(sheet: SheetRef, lines: string[]): Promise<string> {
  const started = await client.post<{ status_url: string }>(`${sheet.path}/imports/file`, {
    file_name: 'data.csv',
    file_content_base64: Buffer.from(`n,text\n${lines.join('\n')}\n`).toString('base64'),
  });
  return started.status_url;
}

/** Reads the claim of an import from the database, because no route returns it. */
async function claimOf(sheet: SheetRef): Promise<unknown> {
  const db = new pg.Client(server.databaseUrl);
  await db.connect();
  const { rows } = await db.query('SELECT attempts, lease_until FROM import_operations WHERE sheet_id = $1', [
    sheet.id,
  ]);
  await db.end();
  return rows[0];
}

async function operation(path: string): Promise<ImportOperation> {
  return (await client.get<{ operation: ImportOperation }>(path)).operation;
}

async function progress(path: string): Promise<{ completed: number; total: number }> {
  return { completed: (await operation(path)).progress, total: 100 };
}

async function snapshot(sheet: SheetRef) {
  const { sheet: document } = await client.get<{ sheet: { row_count: number; version_count: number } }>(sheet.path);
  return { document, content: await readSheet(client, sheet) };
}

async function firstCell(sheet: SheetRef): Promise<string> {
  const { data } = await client.get<{ data: { cells: Record<string, { id: string }> }[] }>(`${sheet.path}/rows`);
  return Object.values(data[0]!.cells)[0]!.id;
}
