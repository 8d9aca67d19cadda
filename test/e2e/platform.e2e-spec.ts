import { isDeepStrictEqual } from 'node:util';
import { Controller, Get, Module } from '@nestjs/common';
import { ApiOkResponse, ApiProperty } from '@nestjs/swagger';
import { DataSource } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadConfig } from '../../src/composition.js';
import { Public } from '../../src/platform/http/request.js';
import { RateLimit } from '../../src/platform/http/rate-limit.js';
import { ColumnType } from '../../src/grid/column-type/column-type.js';
import { VERSION } from '../../src/platform/version.js';
import type { Client } from '../support/client.js';
import { newSheet, type Page, TABLES, valuesOf } from '../support/factories.js';
import { TestApp } from '../support/test-app.js';
import { until } from '../support/until.js';

class Pong {
  @ApiProperty({ example: true })
  pong: true;
}

@Controller('api/test/v1')
class LimitedController {
  @Get('limited')
  @RateLimit({ name: 'test', perMinute: 3, noun: 'visits' })
  @ApiOkResponse({ type: Pong })
  limited(): Pong {
    return { pong: true };
  }

  @Get('open')
  @Public()
  @RateLimit({ name: 'open', perMinute: 2, noun: 'visits' })
  @ApiOkResponse({ type: Pong })
  open(): Pong {
    return { pong: true };
  }
}

@Module({ controllers: [LimitedController] })
class LimitedModule {}

let app: TestApp;
let me: Client;
beforeAll(async () => {
  app = await TestApp.start({ works: false, extensions: [LimitedModule] });
  me = app.client;
});
afterAll(() => app.stop());

describe('every answer', () => {
  it('carries the id of its request: one of its own, or that of the client when it is short and plain', async () => {
    const idOf = async (client: Client, url = TABLES) => (await client.request('GET', url)).headers['x-request-id'];
    expect(await idOf(me)).toMatch(/^[0-9a-f-]{36}$/);
    expect(await idOf(me)).not.toBe(await idOf(me));
    expect(await idOf(me.with({ 'x-request-id': 'mine_1.2-3' }))).toBe('mine_1.2-3');
    for (const odd of ['', 'a b', 'x'.repeat(65), '<script>', 'é']) {
      expect(await idOf(me.with({ 'x-request-id': odd }))).toMatch(/^[0-9a-f-]{36}$/);
    }
  });

  it('carries it also when the request is refused', async () => {
    for (const url of ['/nowhere', TABLES, `${TABLES}/x`]) {
      const answer = await app.clientWith(null).with({ 'x-request-id': 'refused' }).request('GET', url);
      expect([url, answer.headers['x-request-id']]).toEqual([url, 'refused']);
    }
  });

  it('to an unknown route is a 404 of the standard shape', async () => {
    for (const method of ['GET', 'POST', 'DELETE', 'PUT'] as const) {
      const answer = await me.request(method, '/api/public/v2/nowhere?secret=1', method === 'POST' ? {} : undefined);
      expect(answer).toMatchObject({
        status: 404,
        body: { success: false, message: expect.stringContaining('/api/public/v2/nowhere'), error: 'route_not_found' },
      });
      expect(JSON.stringify(answer.body)).not.toContain('secret');
    }
  });
});

describe('the operation of the server', () => {
  it('is reported by health endpoints without a key', async () => {
    const anybody = app.clientWith(null);
    expect(await anybody.get('/health/live')).toEqual({ status: 'up', version: VERSION });
    const ready = { status: 'up', database: 'up', storage: 'up', redis: 'up' };
    expect(await anybody.get('/health/ready')).toEqual({ ...ready, workers: 0 });
  });

  it('is measured by route, not by URL', async () => {
    await me.get(`${TABLES}?name=measured`);
    const metrics = (await app.clientWith(null).get('/metrics')) as string;
    expect(metrics).toMatch(
      /^http_request_duration_seconds_count\{method="GET",route="\/api\/public\/v2\/tables",status="200"\} [1-9]/m,
    );
    expect(metrics).toContain('# TYPE tracesheet_spans_ingested_total counter');
    expect(metrics).not.toContain('measured');
  });

  it('shows its documentation to everybody', async () => {
    expect(await app.clientWith(null).get('/docs')).toContain('swagger');
  });
});

describe('an Idempotency-Key', () => {
  let number = 0;
  const keyed = (client: Client, key = `key-${++number}`): Client => client.with({ 'idempotency-key': key });
  const count = async (client: Client, title: string) =>
    ((await client.get(`${TABLES}?name=${title}`)) as Page<unknown>).count;

  it('gives a retry the first answer, without a second effect', async () => {
    const client = keyed(me);
    const first = await client.request('POST', TABLES, { title: 'once' });
    const again = await client.request('POST', TABLES, { title: 'once' });
    expect([first.status, again.status, again.body]).toEqual([201, 201, first.body]);
    expect([first.headers['idempotent-replay'], again.headers['idempotent-replay']]).toEqual([undefined, 'true']);
    expect(await count(me, 'once')).toBe(1);
  });

  it('belongs to one request: another body or another route is refused', async () => {
    const client = keyed(me);
    await client.post(TABLES, { title: 'original' }, 201);
    expect(await client.post(TABLES, { title: 'other' }, 400)).toMatchObject({ error: 'idempotency_key_reused' });
    expect(await client.post(`${TABLES}?x=1`, { title: 'original' }, 400)).toMatchObject({
      error: 'idempotency_key_reused',
    });
    expect(await count(me, 'other')).toBe(0);
  });

  it('lets only one of several requests at once have an effect', async () => {
    const client = keyed(me);
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => client.request('POST', TABLES, { title: 'racing' })),
    );
    expect(answers.filter(({ status }) => status === 201).length).toBeGreaterThan(0);
    for (const { status, headers } of answers.filter(({ status }) => status !== 201)) {
      expect([status, headers['retry-after']]).toEqual([503, expect.stringMatching(/^\d+$/)]);
    }
    expect(await count(me, 'racing')).toBe(1);
    expect(await client.post(TABLES, { title: 'racing' }, 201)).toMatchObject({ table: { title: 'racing' } });
  });

  it('is free again after a refusal', async () => {
    const client = keyed(me);
    await client.post(TABLES, { title: '' }, 422);
    await client.post(TABLES, { title: 'folder', folder_id: 5 }, 404);
    expect(await client.post(TABLES, { title: 'corrected' }, 201)).toMatchObject({ table: { title: 'corrected' } });
  });

  it('belongs to one workspace', async () => {
    const [mine, theirs] = [keyed(me, 'shared'), keyed(await app.stranger(), 'shared')];
    const first = (await mine.post(TABLES, { title: 'same' }, 201)) as { table: { id: string } };
    const second = (await theirs.post(TABLES, { title: 'same' }, 201)) as { table: { id: string } };
    expect(second.table.id).not.toBe(first.table.id);
  });

  it.each(['', ' ', 'a b', 'x'.repeat(256), 'é'])('is refused when it is none: %j', async (key) => {
    expect(await keyed(me, key).post(TABLES, {}, 400)).toMatchObject({ error: 'idempotency_key_invalid' });
  });

  type AddRow = (text?: string) => ReturnType<Client['request']>;

  /** The status of the repeated request, whether it is a replay, and the number of rows: one is there from the start. */
  const ADDED_ONCE = [201, 'true', 2];

  /** Repeats a request after it waited for the lock of its sheet during `work`. */
  async function whileRunning(work: (add: AddRow, first: ReturnType<AddRow>) => Promise<void>, leaseMs = 120_000) {
    const sheet = await newSheet(me);
    const client = keyed(me, `running-${++number}`);
    const add: AddRow = (text = 'once') =>
      client.request('POST', `${sheet.path}/rows`, { count: 1, values: [{ [sheet.columnId]: text }] });
    const running: ReturnType<AddRow>[] = [];
    await app.inTransaction(async (sql) => {
      await sql('SELECT FROM sheets WHERE id = $1 FOR UPDATE', [sheet.id]);
      await app.withSettings({ leaseMs }, async () => {
        running.push(add());
        await until(async () => (await waiting()).length === 1);
      });
      await work(add, running[0]!);
    });
    await Promise.all(running);
    let again = await add();
    await until(async () => again.status !== 503 || (again = await add()).status !== 503);
    return [again.status, again.headers['idempotent-replay'], (await valuesOf(me, sheet)).length];
  }

  /** Processes of the database that wait for a lock, in the order in which they began. */
  async function waiting(): Promise<unknown[]> {
    const processes = await app.sql(
      `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' ORDER BY query_start`,
    );
    return processes.map((row) => (row as { pid: number }).pid);
  }

  const endLease = () =>
    app.sql(`UPDATE idempotency_keys SET created_at = now() - interval '1 hour' WHERE status IS NULL`);

  const leases = () =>
    app.sql(`SELECT created_at > now() - interval '30 minutes' AS holds FROM idempotency_keys WHERE status IS NULL`);

  const IN_PROGRESS = { status: 503, body: { error: 'idempotency_in_progress' } };

  it('is held by a request for as long as it runs', async () => {
    const outcome = await whileRunning(async (add) => {
      await endLease();
      await until(async () => isDeepStrictEqual(await leases(), [{ holds: true }]));
      expect(await add()).toMatchObject(IN_PROGRESS);
    }, 300);
    expect(outcome).toEqual(ADDED_ONCE);
  });

  it('is not released by a request that has lost it', async () => {
    const outcome = await whileRunning(async (add, first) => {
      await endLease();
      const [pid] = await waiting();
      void add();
      await until(async () => (await waiting()).length === 2);
      await app.sql('SELECT pg_terminate_backend($1)', [pid]);
      expect(await first).toMatchObject({ status: 503 });
      expect(await leases()).toEqual([{ holds: true }]);
      expect(await add()).toMatchObject(IN_PROGRESS);
    });
    expect(outcome).toEqual(ADDED_ONCE);
  });

  it('is not taken over by another request when its lease ends', async () => {
    const outcome = await whileRunning(async (add) => {
      await endLease();
      expect(await add('another')).toMatchObject({ status: 400, body: { error: 'idempotency_key_reused' } });
    });
    expect(outcome).toEqual(ADDED_ONCE);
  });

  /** Refuses to store answers, with a code of PostgreSQL, until the returned function is called. */
  async function refuseAnswers(code: string): Promise<() => Promise<unknown>> {
    await app.sql(`
      CREATE OR REPLACE FUNCTION refuse_answer() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN RAISE EXCEPTION 'refused' USING ERRCODE = '${code}'; END $$`);
    await app.sql(`
      CREATE TRIGGER refuse_answer BEFORE UPDATE ON idempotency_keys FOR EACH ROW
        WHEN (NEW.status IS NOT NULL) EXECUTE FUNCTION refuse_answer()`);
    return () => app.sql('DROP TRIGGER refuse_answer ON idempotency_keys');
  }

  it('is held after the effect until the answer can be stored', async () => {
    const client = keyed(me, 'stored-later');
    const add = () => client.request('POST', TABLES, { title: 'stored-later' });
    const allow = await refuseAnswers('53100');
    const first = add();
    try {
      await until(async () => (await count(me, 'stored-later')) === 1);
      expect(await add()).toMatchObject(IN_PROGRESS);
    } finally {
      await allow();
    }
    expect(await first).toMatchObject({ status: 201 });
    expect(await add()).toMatchObject({ status: 201, headers: { 'idempotent-replay': 'true' } });
    expect(await count(me, 'stored-later')).toBe(1);
  });

  it('is not released when the answer can never be stored, and the client gets the answer', async () => {
    const client = keyed(me, 'never-stored');
    const allow = await refuseAnswers('22000');
    try {
      expect(await client.request('POST', TABLES, { title: 'never-stored' })).toMatchObject({ status: 201 });
    } finally {
      await allow();
    }
    expect(await client.request('POST', TABLES, { title: 'never-stored' })).toMatchObject(IN_PROGRESS);
    expect(await count(me, 'never-stored')).toBe(1);
  });

  it('does not matter to reading', async () => {
    await keyed(me, 'not valid at all').get(TABLES);
  });

  it('does nothing where the answer holds a secret, which must not be kept', async () => {
    const operator = keyed(app.operator());
    const url = '/api/admin/v1/workspaces/1/api-keys';
    const [first, second] = [await operator.post(url, {}, 201), await operator.post(url, {}, 201)];
    expect(first).not.toEqual(second);
    const kept = await app.app.get(DataSource).query<object[]>('SELECT response FROM idempotency_keys');
    expect(JSON.stringify(kept)).not.toContain((first as { secret: string }).secret);
  });
});

describe('a limit on requests', () => {
  it('counts each caller, reports the remaining requests, and says when to retry', async () => {
    const left = [];
    for (let times = 0; times < 3; times++) {
      const { status, headers } = await me.request('GET', '/api/test/v1/limited');
      left.push([status, headers['x-ratelimit-limit'], headers['x-ratelimit-remaining']].map(String));
    }
    expect(left).toEqual([2, 1, 0].map((remaining) => ['200', '3', String(remaining)]));
    const refused = await me.request('GET', '/api/test/v1/limited');
    expect(refused).toMatchObject({ status: 429, body: { success: false, error: 'rate_limited' } });
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    expect(Number(refused.headers['retry-after'])).toBeLessThanOrEqual(60);
    await (await app.stranger()).get('/api/test/v1/limited');
    await me.get(TABLES);
  });

  it('counts callers without a key by their address', async () => {
    const anybody = app.clientWith(null);
    for (let times = 0; times < 2; times++) await anybody.get('/api/test/v1/open');
    await anybody.get('/api/test/v1/open', 429);
  });
});

describe('an extension', () => {
  const typeNamed = (name: string, aliases: string[] = []) => {
    @ColumnType({
      name,
      title: 'Twin',
      description: 'A twin.',
      kind: 'input',
      output: 'text',
      config: class {},
      aliases,
    })
    class TwinColumnType {}
    @Module({ providers: [TwinColumnType] })
    class TwinModule {}
    return TwinModule;
  };

  it('is closed to callers without a key unless it says otherwise', async () => {
    await app.clientWith(null).get('/api/test/v1/limited', 401);
  });

  it.each([
    ['the name', 'COUNT', [], /COUNT.*CountColumnType and TwinColumnType/],
    ['an alias', 'TWIN', ['count'], /COUNT and TWIN both answer to COUNT/],
  ])(
    'that takes %s of another plugin keeps the server from starting and says so',
    async (_, name, aliases, message) => {
      await expect(TestApp.start({ works: false, extensions: [typeNamed(name, aliases)] })).rejects.toThrow(message);
    },
  );
});

describe('the configuration', () => {
  it('is refused with everything that is wrong, and without repeating secrets', () => {
    const wrong = {
      REDIS_URL: 'http://user:hunter2@x',
      PORT: '70000',
      LOG_LEVEL: 'loud',
      ADMIN_TOKEN: 'hunter2',
      LEASE_MS: '1.5',
    };
    const message = thrownBy(() => loadConfig(wrong));
    for (const name of ['DATABASE_URL', 'REDIS_URL', 'PORT', 'LOG_LEVEL', 'ADMIN_TOKEN', 'LEASE_MS'])
      expect(message).toContain(`- ${name} `);
    expect(message).toContain('6 problem');
    expect(message).not.toContain('hunter2');
  });

  it('takes an empty variable for one that is not set', () => {
    const config = loadConfig({ DATABASE_URL: 'postgres://x/y', REDIS_URL: 'redis://x', PORT: '', ADMIN_TOKEN: '' });
    expect(config).toMatchObject({ port: 3000, adminToken: null });
  });
});

function thrownBy(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error('Nothing was thrown.');
}
