import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import path from 'node:path';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { freePort } from '../../src/embedded/ports.js';
import { ApiClient } from '../support/api-client.js';
import { emptyDatabase } from '../support/database.js';
import type { Installation } from '../support/server-processes.js';
import { testFolder } from '../support/services.js';
import { until } from '../support/until.js';
import { startFaultInstallation } from './fault-installation.js';
import { CALLS_PER_TRACE, OTLP, RequestLoad, SPANS_PER_TRACE } from './request-load.js';

const COMMAND = path.resolve(import.meta.dirname, '../../dist/src/embedded/admin.js');

let server: Installation;
let load: RequestLoad;
const folder = testFolder();

beforeAll(async () => {
  ({ server } = await startFaultInstallation());
  await server.start('worker');
});
afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});
afterEach(() => load.abandon());

/** The command as it is typed, in a process of its own. It does not answer before it has ended. */
function admin(databaseUrl: string, command: string): { status: number | null; output: string } {
  const env = { PATH: process.env.PATH, DATABASE_URL: databaseUrl };
  const args = [COMMAND, command, path.join(folder, 'backup')];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { env, encoding: 'utf8' });
  return { status, output: stdout + stderr };
}

it('makes a backup while traces arrive, which a new installation goes on from with everything acknowledged before', async () => {
  load = new RequestLoad(server, OTLP);
  await until(async () => load.acknowledged.length > 50);
  const before = [...load.acknowledged];
  expect(admin(server.databaseUrl, 'backup')).toMatchObject({ status: 0 });
  await until(async () => load.acknowledged.length > before.length + 20);
  await load.finish();

  const copy = await emptyDatabase(server.databaseUrl);
  expect(admin(copy.url, 'restore')).toMatchObject({ status: 0 });
  expect(admin(copy.url, 'verify')).toEqual({ status: 0, output: 'The database has exactly what the backup has.\n' });

  const database = new pg.Client(copy.url);
  await database.connect();
  const whole = await database.query<{ spans: number; calls: number }>(
    `SELECT count(*)::int AS spans, count(request_log_id)::int AS calls FROM spans WHERE trace_id = ANY($1) GROUP BY trace_id`,
    [before],
  );
  expect(whole.rows).toEqual(before.map(() => ({ spans: SPANS_PER_TRACE, calls: CALLS_PER_TRACE })));
  // A moment, not a mixture: what a trace says it has is there.
  const torn = await database.query(
    `SELECT t.trace_id FROM traces t LEFT JOIN spans s USING (workspace_id, trace_id) GROUP BY t.workspace_id, t.trace_id HAVING count(s.span_id) <> t.span_count`,
  );
  expect(torn.rows).toEqual([]);

  await database.query(`UPDATE request_logs SET status = 'WARNING' WHERE id = (SELECT min(id) FROM request_logs)`);
  const verified = admin(copy.url, 'verify');
  expect(verified.status).toBe(1);
  expect(verified.output).toContain('request_logs of workspace 1');
  await database.end();

  const port = String(await freePort());
  const api = await server.start('api', [], { DATABASE_URL: copy.url, PORT: port, REDIS_URL: `${server.redisUrl}/7` });
  const client = new ApiClient(`http://127.0.0.1:${port}`, server.apiKey);
  await client.get(`/api/public/v2/traces/${before[0]}`);
  const more = new RequestLoad({ url: `http://127.0.0.1:${port}`, apiKey: server.apiKey }, OTLP);
  await until(async () => more.acknowledged.length > 10);
  await more.finish();
  // Ids go on where they were, so nothing that is new takes the place of something that is there.
  expect([...more.statuses.keys()]).toEqual([200]);
  await api.stop();
  await copy.close();
});
