import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, it } from 'vitest';
import { ApiClient, type SheetRef } from '../support/api-client.js';
import { builtExtension } from '../support/built-extension.js';
import type { Installation, ProductProcess } from '../support/server-processes.js';
import { until } from '../support/until.js';
import { benchNodeOptions, startBenchInstallation } from './bench-installation.js';
import { machine, median, printTable } from './report.js';

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3);
const CELLS = Number(process.env.BENCH_CELLS ?? 10_000);
const TIMEOUT_MS = 600_000;

/** Limit for all code: external cells whose type answers at once. */
const LIMIT = { type: 'AT_ONCE', config: { source: 'Column A' } };
const COLUMNS = {
  JavaScript: code('JAVASCRIPT', 'return data["Column A"].toUpperCase().split(" ").length'),
  Python: code('PYTHON', 'return len(data["Column A"].upper().split(" "))'),
  'Python that imports': code('PYTHON', 'import re\nreturn re.findall(r"\\w+", data["Column A"])'),
};

const folder = mkdtempSync(path.join(os.tmpdir(), 'tracesheet-extension-'));
let server: Installation;
let worker: ProductProcess;
let db: pg.Client;
let client: ApiClient;

beforeAll(async () => {
  server = await startBenchInstallation({ EXTENSIONS: builtExtension('test/support/at-once.extension.ts', folder) });
  await server.start('api');
  worker = await server.start('worker', benchNodeOptions);
  client = new ApiClient(server.url, server.apiKey);
  db = new pg.Client(server.databaseUrl);
  await db.connect();
});
afterAll(async () => {
  await db.end();
  await server.close();
  rmSync(folder, { recursive: true });
});

it('runs code over many rows', async () => {
  const sheet = await sheetOf(CELLS);
  const first: Record<string, number> = {};
  for (const [name, column] of Object.entries(COLUMNS)) first[name] = await timeOf(await sheetOf(1), column);
  const limits: number[] = [];
  const times: Record<string, number[]> = {};
  for (let round = 0; round < ROUNDS; round++) {
    limits.push(await timeOf(sheet, LIMIT));
    for (const [name, column] of Object.entries(COLUMNS)) (times[name] ??= []).push(await timeOf(sheet, column));
  }
  const perSecond = (ms: number) => ((CELLS / ms) * 1000).toFixed(0);
  printTable(
    `Code over ${CELLS} rows, one worker (pid ${worker.pid}), ${ROUNDS} rounds\n${await machine(server.databaseUrl)}\n` +
      'Limit: cells from outside whose type answers at once.',
    [
      ['column', 'cells/s, median', 'best', 'of the limit', 'first cell, ms'],
      ['limit', perSecond(median(limits)), perSecond(Math.min(...limits)), '1', ''],
      ...Object.entries(times).map(([name, ms]) => [
        name,
        perSecond(median(ms)),
        perSecond(Math.min(...ms)),
        (median(limits) / median(ms)).toFixed(2),
        first[name]!.toFixed(0),
      ]),
    ],
  );
});

function code(language: string, text: string) {
  return { type: 'CODE_EXECUTION', config: { language, code: text } };
}

let sheets = 0;
let columns = 0;

/** A sheet with a text in each row. The rows only have to be there, so they do not go through the API. */
async function sheetOf(rows: number): Promise<SheetRef> {
  const sheet = await client.createSheet(`Bench ${++sheets}`);
  await db.query('UPDATE sheets SET rows = int4multirange(int4range(0, $2)) WHERE id = $1', [sheet.id, rows]);
  await db.query(
    `INSERT INTO cells (workspace_id, column_key, row_index, version, value)
     SELECT c.workspace_id, c.key, i, c.version, to_jsonb('Question ' || i || ': may I get a refund within thirty days?')
       FROM sheet_columns c, generate_series(0, $2::int - 1) i WHERE c.sheet_id = $1`,
    [sheet.id, rows],
  );
  await db.query('VACUUM ANALYZE cells');
  return sheet;
}

/** Milliseconds from the request for a column until every cell is stored. The column is deleted afterwards. */
async function timeOf(sheet: SheetRef, column: object): Promise<number> {
  const start = performance.now();
  const body = { title: `C${++columns}`, ...column };
  const { column: added } = await client.post<{ column: { id: string } }>(`${sheet.path}/columns`, body);
  await until(async () => (await countTasks(sheet)) === 0, TIMEOUT_MS);
  const ms = performance.now() - start;
  await client.send('DELETE', `${sheet.path}/columns/${added.id}`);
  return ms;
}

async function countTasks(sheet: SheetRef): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    'SELECT count(*)::int AS count FROM computation_tasks WHERE sheet_id = $1',
    [sheet.id],
  );
  return rows[0]!.count;
}
