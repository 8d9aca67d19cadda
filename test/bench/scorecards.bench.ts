import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ApiClient, type SheetRef } from '../support/api-client.js';
import type { Installation, ProductProcess } from '../support/server-processes.js';
import { until } from '../support/until.js';
import { benchNodeOptions, startBenchInstallation } from './bench-installation.js';
import { machine, median, memoryOf, printTable, quantile } from './report.js';

const ROWS = 50_000;
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3);
const TIMES = 30;
const VERSIONS = 10_000;
const TIMEOUT_MS = 600_000;

const STEPS = [
  ['CONTAINS', { source: 'Answer', value: 'refund' }],
  ['REGEX', { source: 'Answer', regex_pattern: 'refund \\d+' }],
  ['COUNT', { source: 'Answer', type: 'words', max_count: 6 }],
  ['COMPARE', { sources: ['Answer', 'Expected'], comparison_type: { type: 'STRING' } }],
  ['ASSERT_VALID', { source: 'Answer', type: 'number' }],
].map(([primitive_type, primitive_config], at) => ({ title: `Step ${at}`, primitive_type, primitive_config }));

const AGGREGATION = {
  method: 'weighted_mean',
  required_step_failure_behavior: 'fail',
  pass_threshold: 0.8,
  warn_threshold: 0.6,
};

let server: Installation;
let worker: ProductProcess;
let db: pg.Client;
let client: ApiClient;

beforeAll(async () => {
  server = await startBenchInstallation();
  await server.start('api', benchNodeOptions);
  worker = await server.start('worker');
  client = new ApiClient(server.url, server.apiKey);
  db = new pg.Client(server.databaseUrl);
  await db.connect();
});
afterAll(async () => {
  await db.end();
  await server.close();
});

it(
  'judges 50,000 rows by five criteria',
  async () => {
    const sheet = await filledSheet();
    const scorecard = `${sheet.path}/scorecard`;
    await client.patch(scorecard, { name: 'Bench', aggregation: AGGREGATION, steps: STEPS });
    const times: number[] = [];
    for (let round = 0; round < ROUNDS; round++) await timed(times, () => calculate(scorecard));
    const perSecond = (ms: number) => Math.round((ROWS * STEPS.length * 1000) / ms).toLocaleString('en');
    const pages = await timesOf(() => client.get(`${scorecard}/rows?limit=100`));
    const failed = await timesOf(() => client.get(`${scorecard}/rows?limit=100&verdict=fail`));
    const rows = await timesOf((at) => client.get(`${scorecard}/rows/${(at * 1597) % ROWS}`));
    printTable(
      `A scorecard of ${STEPS.length} criteria over ${ROWS} rows, from the request until it is completed, ${ROUNDS} rounds\n` +
        (await machine(server.databaseUrl)),
      [
        ['first', 'median', 'row-criteria/s', 'page p95 ms', 'failed rows p95 ms', 'row p95 ms', 'worker MiB'],
        [
          `${(times[0]! / 1000).toFixed(1)} s`,
          `${(median(times) / 1000).toFixed(1)} s`,
          perSecond(median(times)),
          ...[pages, failed, rows].map((of) => quantile(of, 0.95).toFixed(0)),
          String(memoryOf(worker.pid).most),
        ],
      ],
    );
  },
  TIMEOUT_MS,
);

it('reads the history of a score', async () => {
  const sheet = await client.createSheet('Versions');
  await db.query(
    `INSERT INTO sheet_versions (workspace_id, sheet_id, number, id, rows, deltas)
     SELECT s.workspace_id, s.id, n, gen_random_uuid(), s.rows, '[{"type": "cell.update"}]'
       FROM sheets s, generate_series(1, $2::int) n WHERE s.id = $1`,
    [sheet.id, VERSIONS],
  );
  await db.query(
    `INSERT INTO version_scores (workspace_id, sheet_id, version, score, score_type, source, calculated_at)
     SELECT s.workspace_id, s.id, n, random(), 'single_column', 'score', now()
       FROM sheets s, generate_series(1, $2::int) n WHERE s.id = $1`,
    [sheet.id, VERSIONS],
  );
  await db.query('UPDATE sheets SET version = $2 WHERE id = $1', [sheet.id, VERSIONS]);
  await db.query('VACUUM ANALYZE sheet_versions, version_scores');
  const times = await timesOf(() => client.get(`${sheet.path}/versions/score-history`));
  printTable(`The history of a score over ${VERSIONS} versions as 1,200 points, ${TIMES} times`, [
    ['p50 ms', 'p95 ms'],
    [quantile(times, 0.5).toFixed(0), quantile(times, 0.95).toFixed(0)],
  ]);
});

async function calculate(scorecard: string): Promise<void> {
  const { calculation_id: id } = await client.post<{ calculation_id: string }>(`${scorecard}/recalculate`, {});
  await until(async () => {
    const { latest_calculation: latest } = await client.get<{ latest_calculation: { id: string; status: string } }>(
      scorecard,
    );
    expect(latest.id).toBe(id);
    expect(latest.status).not.toBe('failed');
    return latest.status === 'completed';
  }, TIMEOUT_MS);
}

async function timesOf(work: (at: number) => Promise<unknown>): Promise<number[]> {
  const times: number[] = [];
  for (let at = 0; at < TIMES; at++) await timed(times, () => work(at));
  return times;
}

async function timed(times: number[], work: () => Promise<unknown>): Promise<void> {
  const start = performance.now();
  await work();
  times.push(performance.now() - start);
}

async function filledSheet(): Promise<SheetRef> {
  const created = await client.createSheet('Bench');
  for (const title of ['Answer', 'Expected']) await client.post(`${created.path}/columns`, { title, type: 'TEXT' });
  await db.query(`UPDATE sheets SET rows = int4multirange(int4range(0, ${ROWS})) WHERE id = $1`, [created.id]);
  await db.query(
    `INSERT INTO cells (workspace_id, column_key, row_index, version, value)
     SELECT c.workspace_id, c.key, i, c.version, to_jsonb('You get a refund ' || i - CASE c.title WHEN 'Expected' THEN i % 2 ELSE 0 END)
       FROM sheet_columns c, generate_series(0, ${ROWS - 1}) i
      WHERE c.sheet_id = $1 AND c.title IN ('Answer', 'Expected')
      ORDER BY c.key, i`,
    [created.id],
  );
  await db.query('VACUUM ANALYZE cells');
  return created;
}
