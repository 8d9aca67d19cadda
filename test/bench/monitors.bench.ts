import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { MONITORS } from '../support/monitors.js';
import type { Installation, ProductProcess } from '../support/server-processes.js';
import { until } from '../support/until.js';
import { ADMIN_TOKEN } from '../support/workspaces.js';
import { benchNodeOptions, startBenchInstallation } from './bench-installation.js';
import { cpuSeconds, parentOf } from './cpu-time.js';
import { machine, median, printTable } from './report.js';
import { type LoadedWorkspace, loadRequestLogs } from './search-load.js';

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3);
/** A quarter of a million request logs over 90 days, four in five of them in one workspace. */
const SCALE = Number(process.env.BENCH_SCALE ?? 0.25);
const MOST = 1000;
/** The lightest monitors are evaluated every five minutes, the others every hour. */
const FINE_ROUNDS_PER_HOUR = 11;

let server: Installation;
let worker: ProductProcess;
let db: pg.Client;
let workspace: LoadedWorkspace;

beforeAll(async () => {
  server = await startBenchInstallation({ ADMIN_TOKEN });
  await server.start('api', benchNodeOptions);
  worker = await server.start('worker', benchNodeOptions);
  db = new pg.Client(server.databaseUrl);
  await db.connect();
  ({ large: workspace } = await loadRequestLogs(server, db, SCALE));
  await db.query(
    `INSERT INTO request_scores (workspace_id, log_id, name, score)
     SELECT workspace_id, id, 'score-' || id % 4, (id / 4 % 3) * 50 FROM request_logs WHERE workspace_id = $1 AND id % 8 < 4`,
    [workspace.id],
  );
  const open = `SELECT count(*) AS n FROM request_hour_changes WHERE hour < date_trunc('hour', now(), 'UTC')`;
  await until(async () => (await numberOf(open)) === 0, 900_000);
  await db.query('VACUUM ANALYZE request_hours, request_scores');
}, 1_800_000);
afterAll(async () => {
  await db.end();
  await server.close();
});

const numberOf = async (sql: string): Promise<number> => Number((await db.query<{ n: string }>(sql)).rows[0]!.n);

type Fields = Record<string, unknown>;
const where = (field: string, operator: string, value: unknown) => ({
  filter_group: { filters: [{ field, operator, value }] },
});
const pick = <T>(list: readonly T[], at: number): T => list[at % list.length]!;

const MODELS = ['gpt-4o-mini', 'gpt-4o', 'claude-3-5-sonnet-20241022', 'gemini-1.5-pro', 'mistral-large-latest'];
const SUMMED: Fields[] = [
  { measure: 'failed_share', limit: 0.2 },
  { measure: 'latency_percentile', percentile: 95, limit: 60_000 },
  { measure: 'count', limit: 1e6 },
  { measure: 'cost', limit: 1e6 },
  { measure: 'tokens', limit: 1e9 },
];
/** No filter, or one condition that hourly sums answer. */
const FILTERS: ((at: number) => Fields)[] = [
  () => ({}),
  (at) => where('engine', 'is', pick(MODELS, at)),
  (at) => where('tags', 'contains', `tag-${at % 20}`),
  (at) => where('user_id', 'is', `user-${at % 1000}`),
];
const USUAL: Fields = { rule: 'usual', direction: 'higher', weeks: 4 };
const LIMIT: Fields = { rule: 'limit' };

/** Shares of the kinds of monitors, like those of many teams: most watch one model, tag or user. */
const MIX: [name: string, share: number, fields: (at: number) => Fields][] = [
  [
    'limits over an hour',
    0.3,
    (at) => ({ ...LIMIT, window_minutes: 60, ...pick(SUMMED, at), ...pick(FILTERS, at >> 1)(at) }),
  ],
  [
    'limits over 5 to 30 minutes',
    0.15,
    (at) => ({ ...LIMIT, window_minutes: pick([5, 15, 30], at), ...pick(SUMMED, at), ...pick(FILTERS, at)(at) }),
  ],
  [
    'limits over a day',
    0.1,
    (at) => ({ ...LIMIT, window_minutes: 1440, ...pick(SUMMED, at), ...pick(FILTERS, at)(at) }),
  ],
  [
    'against earlier weeks',
    0.25,
    (at) => ({ ...pick(SUMMED, at), ...USUAL, limit: undefined, ...pick(FILTERS, at >> 1)(at) }),
  ],
  [
    'by model, prompt, tag or user',
    0.1,
    (at) => ({ ...LIMIT, ...pick(SUMMED, at >> 2), by: pick(['model', 'prompt', 'tag', 'user'], at) }),
  ],
  [
    'of a score',
    0.06,
    (at) => ({
      ...LIMIT,
      measure: pick(['score_mean', 'score_false_share', 'unscored_share'], at),
      score: `score-${Math.floor(at / 3) % 4}`,
      limit: 100,
      ...where('engine', 'is', pick(MODELS, Math.floor(at / 12))),
    }),
  ],
  [
    'with a filter that reads rows',
    0.04,
    (at) => ({ ...LIMIT, ...pick(SUMMED, at), ...where('input_tokens', 'gt', 100 + at) }),
  ],
];

async function createMonitors(): Promise<string[][]> {
  const rows = [['kind', 'monitors']];
  for (const [name, share, fieldsOf] of MIX) {
    const count = Math.round(share * MOST);
    for (let at = 0; at < count; at++)
      await workspace.client.post(MONITORS, { name: `${name} ${at}`, ...fieldsOf(at) });
    rows.push([name, String(count)]);
  }
  return rows;
}

interface Cost {
  monitors: number;
  seconds: number;
  worker: number;
  postgres: number;
}

const FINE = `definition #>> '{rule,kind}' = 'limit' AND (definition ->> 'windowMinutes')::int < 360`;

/** Evaluates the monitors for which a condition holds once. */
async function evaluate(condition: string): Promise<Cost> {
  await quiet();
  const postgres = parentOf((await db.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')).rows[0]!.pid);
  const before = [cpuSeconds(worker.pid), cpuSeconds(postgres), performance.now()] as const;
  const { rowCount } = await db.query(
    `UPDATE monitors SET evaluated_to = NULL, due_at = now() WHERE ${condition} RETURNING id`,
  );
  await quiet();
  return {
    monitors: rowCount!,
    seconds: (performance.now() - before[2]) / 1000,
    worker: cpuSeconds(worker.pid) - before[0],
    postgres: cpuSeconds(postgres) - before[1],
  };
}

const quiet = () =>
  until(async () => (await numberOf('SELECT count(*) AS n FROM monitors WHERE evaluated_to IS NULL')) === 0);

it(`evaluates ${MOST} monitors of a workspace for little of a core`, async () => {
  const kinds = await createMonitors();
  await quiet();
  expect(await numberOf('SELECT count(*) AS n FROM monitors WHERE problem IS NOT NULL')).toBe(0);
  const [fine, all]: [Cost[], Cost[]] = [[], []];
  for (let round = 0; round < ROUNDS; round++) {
    fine.push(await evaluate(FINE));
    all.push(await evaluate('true'));
  }
  const costOf = (costs: Cost[]) => median(costs.map(({ worker: ours, postgres }) => ours + postgres));
  const perHour = FINE_ROUNDS_PER_HOUR * costOf(fine) + costOf(all);
  printTable(
    `${MOST} monitors, ${workspace.logs} request logs in 90 days\n${await machine(server.databaseUrl)}`,
    kinds,
  );
  const row = (name: string, costs: Cost[]) => [
    name,
    String(costs[0]!.monitors),
    ...(['worker', 'postgres', 'seconds'] as const).map((key) => median(costs.map((cost) => cost[key])).toFixed(2)),
  ];
  printTable(`A round, median of ${ROUNDS}; ${((perHour / 3600) * 100).toFixed(2)} % of a core in an hour`, [
    ['round', 'monitors', 'worker s', 'PostgreSQL s', 'elapsed s'],
    row('every five minutes', fine),
    row('at a full hour', all),
  ]);
  for (const [name] of MIX) {
    const cost = await evaluate(`name LIKE '${name} %'`);
    const each = (1000 * (cost.worker + cost.postgres)) / cost.monitors;
    printTable(name, [
      ['monitors', 'worker s', 'PostgreSQL s', 'ms each'],
      [String(cost.monitors), cost.worker.toFixed(2), cost.postgres.toFixed(2), each.toFixed(1)],
    ]);
  }
});
