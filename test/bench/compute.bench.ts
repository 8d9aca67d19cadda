import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ApiClient, type SheetRef } from '../support/api-client.js';
import type { Installation, ProductProcess } from '../support/server-processes.js';
import { until } from '../support/until.js';
import { benchNodeOptions, startBenchInstallation } from './bench-installation.js';
import { CopyLimit } from './copy-limit.js';
import { DirectEngine } from './direct-engine.js';
import { machine, median, printTable, quantile } from './report.js';

const ROWS = 50_000;
const CHAIN = 5;
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);
/** Two ways that differ by a few percent need more rounds than that. */
const PAIRS = 3 * ROUNDS;

const COLUMNS = [
  { type: 'CONTAINS', config: { source: 'Question', value: 'refund' } },
  { type: 'COUNT', config: { source: 'Answer', type: 'words' } },
];

let server: Installation;
let worker: ProductProcess;
let db: pg.Client;
let client: ApiClient;
let sheet: SheetRef;

beforeAll(async () => {
  server = await startBenchInstallation();
  await server.start('api');
  worker = await server.start('worker', benchNodeOptions);
  client = new ApiClient(server.url, server.apiKey);
  db = new pg.Client(server.databaseUrl);
  await db.connect();
  sheet = await filledSheet();
});
afterAll(async () => {
  await db.end();
  await server.close();
});

it('computes a column of 50,000 cells', async () => {
  await createAndCompute(COLUMNS[0]!, 'Warm-up');
  const rows = [['column', 'cells/s', 'of COPY', 'commit ms', 'answer ms', 'p50 ms', 'p99 ms']];
  for (const column of COLUMNS) rows.push(await measure(column));
  printTable(
    `Computation: a column over ${ROWS} rows, from the request that creates it until every cell is stored, ` +
      `one worker, median of ${ROUNDS} rounds\n${await machine(server.databaseUrl)}\n` +
      `Limit: COPY of the same ${ROWS} cells without an index. p50 and p99: of the whole column, request to last cell.`,
    rows,
  );
});

it('computes a chain of five columns, and again after the first has changed', async () => {
  const created: number[] = [];
  const again: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const start = performance.now();
    const ids: string[] = [];
    let source = 'Question';
    for (let link = 0; link < CHAIN; link++) {
      const title = `Link ${round}.${link}`;
      const { column } = await client.post<CreatedColumn>(`${sheet.path}/columns`, { title, ...linkTo(source) });
      ids.push(column.id);
      source = title;
    }
    await client.untilComputed(sheet);
    created.push(performance.now() - start);
    await client.patch(`${sheet.path}/columns/${ids[0]}`, { config: { source: 'Question', type: 'words' } });
    again.push(await recalculate(ids));
  }
  const row = (name: string, times: number[]) => [
    name,
    Math.round((ROWS * CHAIN) / (median(times) / 1000)).toString(),
    median(times).toFixed(0),
    quantile(times, 0.99).toFixed(0),
  ];
  printTable(`A chain of ${CHAIN} columns over ${ROWS} rows, from the first request until every cell is stored`, [
    ['', 'cells/s', 'p50 ms', 'p99 ms'],
    row('created one after the other', created),
    row('recalculated, every value replaced', again),
  ]);
});

it('computes a column of 50,000 cells again and keeps their values', async () => {
  const { column } = await client.post<CreatedColumn>(`${sheet.path}/columns`, {
    title: 'Again',
    type: 'COUNT',
    config: { source: 'Question', type: 'chars' },
  });
  await client.untilComputed(sheet);
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const config = { source: 'Question', type: round % 2 ? 'chars' : 'words' };
    await client.patch(`${sheet.path}/columns/${column.id}`, { config });
    times.push(await recalculate([column.id]));
  }
  printTable(`A column of ${ROWS} cells recalculated, every old value kept in the history`, [
    ['cells/s', 'p50 ms', 'p99 ms'],
    [Math.round(ROWS / (median(times) / 1000)).toString(), median(times).toFixed(0), quantile(times, 0.99).toFixed(0)],
  ]);
});

it('computes a column through the queue and in a plain loop', async () => {
  const engine = await DirectEngine.start(server);
  const loop = () => engine.compute();
  const ways = { queued: () => process.kill(worker.pid, 'SIGCONT'), direct: loop };
  const times: Record<keyof typeof ways, number[]> = { queued: [], direct: [] };
  // The first rounds warm up the engine of this process as the tests before have done for the worker.
  for (let round = -2; round < PAIRS; round++) {
    const order = round % 2 ? (['queued', 'direct'] as const) : (['direct', 'queued'] as const);
    for (const way of order) {
      const elapsed = await computeAgain(`${way} ${round}`, ways[way]);
      if (round >= 0) times[way].push(elapsed);
    }
  }
  await engine.close();
  const more = times.queued.map((ms, round) => (100 * ms) / times.direct[round]! - 100);
  const row = (name: string, way: keyof typeof ways) => [
    name,
    Math.round(ROWS / (median(times[way]) / 1000)).toString(),
    median(times[way]).toFixed(0),
  ];
  printTable(
    `What the queue costs: a ${COLUMNS[1]!.type} column of ${ROWS} cells, until every cell is stored, ` +
      `median of ${PAIRS} rounds in turn\nThe queue takes ${median(more).toFixed(1)} % more time than four plain ` +
      `loops over the engine (rounds: ${more.map((percent) => percent.toFixed(1)).join(', ')}).`,
    [['', 'cells/s', 'p50 ms'], row('by the queue', 'queued'), row('by plain loops', 'direct')],
  );
});

/**
 * Creates a column while the worker is paused, and returns the milliseconds from `begin` until every cell is stored.
 * The notifications wait in Redis: sending them is not part of the comparison.
 */
async function computeAgain(title: string, begin: () => unknown): Promise<number> {
  process.kill(worker.pid, 'SIGSTOP');
  try {
    await client.post(`${sheet.path}/columns`, { title, ...COLUMNS[1] });
    const start = performance.now();
    await Promise.all([begin(), until(async () => (await countTasks()) === 0)]);
    return performance.now() - start;
  } finally {
    process.kill(worker.pid, 'SIGCONT');
  }
}

async function countTasks(): Promise<number> {
  const { rows } = await db.query<{ count: number }>('SELECT count(*)::int AS count FROM computation_tasks');
  return rows[0]!.count;
}

/** The first column counts, the others copy their source: a change of the first one changes every cell of the chain. */
function linkTo(source: string) {
  return source === 'Question'
    ? { type: 'COUNT', config: { source, type: 'chars' } }
    : { type: 'PARSE_VALUE', config: { source, type: 'number' } };
}

interface CreatedColumn {
  column: { id: string };
}

/** Milliseconds from the request until every stale cell of the columns is computed. */
async function recalculate(columnIds: string[]): Promise<number> {
  const body = { operation: 'recalculate', column_ids: columnIds };
  const { confirmation_token } = await client.post<{ confirmation_token?: string }>(`${sheet.path}/operations`, body);
  const start = performance.now();
  await client.post(`${sheet.path}/operations`, { ...body, confirmation_token });
  await client.untilComputed(sheet);
  return performance.now() - start;
}

/** Two text columns and 50,000 rows. The rows and their values only have to be there, so they do not go through the API. */
async function filledSheet(): Promise<SheetRef> {
  const created = await client.createSheet('Bench');
  await client.post(`${created.path}/columns`, { title: 'Question', type: 'TEXT' });
  await client.post(`${created.path}/columns`, { title: 'Answer', type: 'TEXT' });
  await db.query(`UPDATE sheets SET rows = int4multirange(int4range(0, ${ROWS})) WHERE id = $1`, [created.id]);
  await db.query(
    `INSERT INTO cells (workspace_id, column_key, row_index, version, value)
     SELECT c.workspace_id, c.key, i, c.version,
            to_jsonb(c.title || ' ' || i || repeat(' May I get a refund within thirty days of the order?', 1 + i % 3))
       FROM sheet_columns c, generate_series(0, ${ROWS - 1}) i
      WHERE c.sheet_id = $1 AND c.title IN ('Question', 'Answer')
      ORDER BY c.key, i`,
    [created.id],
  );
  await db.query('VACUUM ANALYZE cells');
  return created;
}

async function measure(column: (typeof COLUMNS)[number]): Promise<string[]> {
  const commitMs: number[] = [];
  const createMs: number[] = [];
  const totalMs: number[] = [];
  const ratios: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const { commit, create, total, limit } = await createAndCompute(column, `${column.type} ${round}`);
    commitMs.push(commit);
    createMs.push(create);
    totalMs.push(total);
    ratios.push(limit / total);
  }
  return [
    column.type,
    Math.round(ROWS / (median(totalMs) / 1000)).toString(),
    median(ratios).toFixed(2),
    median(commitMs).toFixed(1),
    median(createMs).toFixed(1),
    quantile(totalMs, 0.5).toFixed(0),
    quantile(totalMs, 0.99).toFixed(0),
  ];
}

/** Milliseconds until the column is answered and until it is computed, and what COPY takes for the same cells. */
async function createAndCompute(column: (typeof COLUMNS)[number], title: string) {
  const start = performance.now();
  const response = await client.send('POST', `${sheet.path}/columns`, { title, ...column });
  // The answer starts after the commit.
  const commit = performance.now() - start;
  await response.arrayBuffer();
  const create = performance.now() - start;
  await client.untilComputed(sheet);
  const total = performance.now() - start;
  const { rows } = await db.query<{ key: string; filled: number }>(
    `SELECT c.key, (SELECT count(*)::int FROM cells WHERE workspace_id = c.workspace_id AND column_key = c.key) AS filled
       FROM sheet_columns c WHERE c.sheet_id = $1 AND c.title = $2`,
    [sheet.id, title],
  );
  expect(rows[0]!.filled).toBe(ROWS);
  const copy = await CopyLimit.of(server.databaseUrl, [{ table: 'cells', where: `column_key = ${rows[0]!.key}` }]);
  await copy.run();
  const limit = await copy.run();
  await copy.close();
  return { commit, create, total, limit };
}
