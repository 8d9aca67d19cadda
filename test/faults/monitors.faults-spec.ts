import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { randomNumbers } from '../../src/monitors/replay.fixture.js';
import type { ApiClient } from '../support/api-client.js';
import { atDepth } from '../support/depth.js';
import { callOf, FAILURES, MONITORS } from '../support/monitors.js';
import type { Installation } from '../support/server-processes.js';
import { until } from '../support/until.js';
import { Receiver, webhooksUrl } from '../support/webhooks.js';
import { OneWorker, SHORT_LEASES, startFaultInstallation } from './fault-installation.js';

/** Number of times that the watched figure fails and recovers. */
const TIMES = atDepth(1, 6);
/** Kills each time, while alerts are opened and while they are closed. More in a row would make the monitors wait. */
const KILLS = atDepth({ opening: 1, closing: 0 }, { opening: 2, closing: 2 });
/** More than one claim takes in a deep run. */
const COPIES = atDepth(10, 70);
const MODELS = ['claude', 'gpt-4o', 'gemini'];
/** Questions to the database before a kill, at most; an evaluation takes about as long. */
const MOMENTS = 60;

let server: Installation;
let client: ApiClient;
let db: pg.Client;
let receiver: Receiver;
const worker = new OneWorker(() => server);
const random = randomNumbers(Number(process.env.TEST_SEED ?? 55));

beforeAll(async () => {
  receiver = await Receiver.start();
  ({ server, client } = await startFaultInstallation({
    ...SHORT_LEASES,
    OUTBOUND_ALLOW_PRIVATE: 'on',
    SECRETS_KEY: Buffer.alloc(32, 1).toString('base64'),
    MONITOR_DELAY_SECONDS: '0',
    WEBHOOK_BACKOFF_MS: '1',
  }));
  db = new pg.Client(server.databaseUrl);
  await db.connect();
});
afterAll(async () => {
  await db?.end();
  await server?.close();
  await receiver.stop();
});

const numberOf = async (sql: string): Promise<number> => Number((await db.query<{ n: string }>(sql)).rows[0]!.n);

/** Their windows are evaluated again, as if they had moved. */
const makeDue = () => db.query('UPDATE monitors SET evaluated_to = NULL, due_at = now()');

const logCalls = async (count: number, body: object) => {
  for (let n = 0; n < count; n++) await client.post('/log-request', callOf(0.5, body));
};

/** Kills the worker at a random moment after it has begun to evaluate. Returns the number of claims that are left. */
async function killAtRandom(): Promise<number> {
  const running = await worker.running();
  await until(() => numberOf(`SELECT count(*) AS n FROM monitors WHERE claim IS NOT NULL`).then((n) => n > 0));
  for (let left = Math.floor(random() * MOMENTS); left > 0; left--) await db.query('SELECT 1');
  await running.kill();
  return numberOf('SELECT count(DISTINCT claim) AS n FROM monitors');
}

/** Evaluates everything, with kills, until nothing is due. */
async function evaluateWithKills(kills: number): Promise<number> {
  let interrupted = 0;
  for (let kill = 0; kill < kills; kill++) {
    await makeDue();
    interrupted += await killAtRandom();
  }
  await makeDue();
  await worker.running();
  await until(async () => (await numberOf('SELECT count(*) AS n FROM monitors WHERE evaluated_to IS NULL')) === 0);
  return interrupted;
}

it('opens and closes one alert for each cause, and sends each event under one id, however often its worker is killed', async () => {
  const types = ['monitor_opened', 'monitor_closed'];
  await client.post(webhooksUrl(1), { url: receiver.url, event_types: types });
  for (const model of MODELS) await logCalls(6, { model, status: 'ERROR' });
  for (let copy = 0; copy < COPIES; copy++) {
    for (const fields of [{ by: 'model' }, {}, { limit: 2 }])
      await client.post(MONITORS, { name: `Failures ${copy}`, ...FAILURES, ...fields });
  }
  const causes = COPIES * (MODELS.length + 1);
  let interrupted = 0;
  for (let time = 1; time <= TIMES; time++) {
    await db.query(`DELETE FROM request_logs WHERE status <> 'ERROR'`);
    interrupted += await evaluateWithKills(KILLS.opening);
    expect(await numberOf(`SELECT count(*) AS n FROM monitor_alerts WHERE state = 'open'`)).toBe(causes);
    for (const model of MODELS) await logCalls(30, { model });
    interrupted += await evaluateWithKills(KILLS.closing);
    expect(await numberOf(`SELECT count(*) AS n FROM monitor_alerts WHERE state = 'open'`)).toBe(0);
  }
  const { rows: alerts } = await db.query<{ id: string; closing: string }>('SELECT id, closing FROM monitor_alerts');
  expect(alerts).toHaveLength(causes * TIMES);
  expect(new Set(alerts.map(({ closing }) => closing))).toEqual(new Set(['recovered']));
  if (KILLS.closing > 0) expect(interrupted).toBeGreaterThan(0);

  const { rows: events } = await db.query<{ id: string; alert: string; type: string }>(
    `SELECT id, details->>'alert_id' AS alert, type FROM outbox_events WHERE type LIKE 'monitor%' ORDER BY id`,
  );
  const wanted = alerts.flatMap(({ id }) => types.map((type) => `${id} ${type}`));
  expect(events.map(({ alert, type }) => `${alert} ${type}`).toSorted()).toEqual(wanted.toSorted());
  for (const { id } of alerts) {
    expect(events.filter(({ alert }) => alert === id).map(({ type }) => type)).toEqual(types);
  }

  await until(async () => {
    const left = `SELECT count(*) AS n FROM outbox_events e WHERE type LIKE 'monitor%' AND NOT EXISTS (
      SELECT FROM webhook_deliveries d WHERE d.event_id = e.id AND d.status = 'delivered')`;
    return (await numberOf(left)) === 0;
  });
  expect(await numberOf('SELECT count(*) AS n FROM webhook_deliveries')).toBe(events.length);
  const bodies = new Map(receiver.requests.map(({ headers, body }) => [headers['webhook-id'], body]));
  expect(bodies.size).toBe(events.length);
  for (const { headers, body } of receiver.requests) expect(body).toBe(bodies.get(headers['webhook-id']));
  const received = [...bodies.values()].map((body) => {
    const { event_type: type, details } = JSON.parse(body) as { event_type: string; details: { alert_id: string } };
    return `${details.alert_id} ${type}`;
  });
  expect(received.toSorted()).toEqual(wanted.toSorted());
});
