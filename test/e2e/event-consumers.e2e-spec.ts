import { type INestApplicationContext, Module, type Type } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createApp } from '../../src/app.js';
import { emit, EventConsumer, type EventConsumerPlugin, type OccurredEvent } from '../../src/events/index.js';
import { arrive, lockPosition, readNext } from '../../src/events/consumers/event-positions.queries.js';
import { Metrics } from '../../src/platform/telemetry/metrics.js';
import { untilQueuesAnswer, sweeperOf } from '../support/sweeps.js';
import { TestApp } from '../support/test-app.js';
import { until } from '../support/until.js';

/** Stores the received events in the same transaction, so a rollback removes them. */
async function keep(tx: EntityManager, consumer: string, workspaceId: number, events: OccurredEvent[]): Promise<void> {
  await tx.query(
    `INSERT INTO consumed (consumer, workspace_id, event) SELECT $1, $2, e.name
       FROM unnest($3::text[]) WITH ORDINALITY AS e (name, place) ORDER BY place`,
    [consumer, workspaceId, events.map(nameOf)],
  );
}

const nameOf = ({ details }: OccurredEvent): string => details.name as string;

@EventConsumer({ name: 'ledger' })
class Ledger implements EventConsumerPlugin {
  async consume(tx: EntityManager, workspaceId: number, events: OccurredEvent[]): Promise<void> {
    await keep(tx, 'ledger', workspaceId, events);
  }
}

@EventConsumer({ name: 'picky', types: ['picked', 'break', 'poison'] })
class Picky implements EventConsumerPlugin {
  /** The names of events by the order in which they were given, also where that failed. */
  readonly given: string[] = [];
  readonly committed: string[] = [];

  async consume(tx: EntityManager, workspaceId: number, events: OccurredEvent[]): Promise<() => void> {
    const names = events.map(nameOf);
    const before = new Set(this.given);
    this.given.push(...names);
    await keep(tx, 'picky', workspaceId, events);
    if (events.some((event) => event.type === 'break' && !before.has(nameOf(event)))) throw new Error('not at once');
    // The database ends the transaction by itself then.
    if (events.some(({ type }) => type === 'poison')) await tx.query('SELECT 1 / 0');
    return () => this.committed.push(...names);
  }
}

/** Answers an event with another one. */
@EventConsumer({ name: 'echo', types: ['call'] })
class Echo implements EventConsumerPlugin {
  async consume(tx: EntityManager, workspaceId: number, events: OccurredEvent[]): Promise<void> {
    const caller = { workspaceId, keyId: null, requestId: 'echo' };
    await emit(tx, caller, ...events.map((event) => ({ type: 'answer', details: { name: `${nameOf(event)}!` } })));
  }
}

@EventConsumer({ name: 'stuck', types: ['stick'] })
class Stuck implements EventConsumerPlugin {
  private free: () => void = () => undefined;
  private readonly freed = new Promise<void>((resolve) => (this.free = resolve));
  readonly in = new Set<number>();

  async consume(_: EntityManager, workspaceId: number): Promise<void> {
    this.in.add(workspaceId);
    await this.freed;
  }

  release(): void {
    this.free();
  }
}

@EventConsumer({ name: 'late' })
class Late implements EventConsumerPlugin {
  async consume(tx: EntityManager, workspaceId: number, events: OccurredEvent[]): Promise<void> {
    await keep(tx, 'late', workspaceId, events);
  }
}

@Module({ providers: [Ledger, Picky, Echo, Stuck] })
class ConsumersModule {}

@Module({ providers: [Late] })
class LateModule {}

const ENV = { EVENT_BACKOFF_MS: '1' };

/** An api process: the tests start the workers. */
let api: TestApp;
let nextWorkspace = 1000;
let workspace: number;
let workers: INestApplicationContext[] = [];

beforeAll(async () => {
  api = await TestApp.start({ works: false, env: ENV });
  await api.sql(`CREATE TABLE consumed (
    place bigint GENERATED ALWAYS AS IDENTITY, consumer text, workspace_id integer, event text)`);
});
afterAll(() => api.stop());
beforeEach(() => {
  workspace = nextWorkspace++;
});
afterEach(async () => {
  await Promise.all(workers.map((worker) => worker.close()));
  workers = [];
  // Events that a test left would be given to the workers of the next one.
  await api.sql('DELETE FROM outbox_events');
});

async function startWorker(module: Type = ConsumersModule, config = api.config): Promise<INestApplicationContext> {
  const worker = await createApp({ config, works: true, extensions: [module] });
  workers.push(worker);
  await worker.init();
  await untilQueuesAnswer(worker);
  return worker;
}

async function announce(names: string[], type = 'picked', workspaceId = workspace): Promise<void> {
  const caller = { workspaceId, keyId: null, requestId: 'test' };
  const events = names.map((name) => ({ type, details: { name } }));
  await api.app.get(DataSource).transaction((tx) => emit(tx, caller, ...events));
}

async function consumed(consumer: string, workspaceId = workspace): Promise<string[]> {
  const rows = await api.sql('SELECT event FROM consumed WHERE consumer = $1 AND workspace_id = $2 ORDER BY place', [
    consumer,
    workspaceId,
  ]);
  return rows.map((row) => (row as { event: string }).event);
}

const untilConsumed = (consumer: string, last: string, workspaceId = workspace) =>
  until(async () => (await consumed(consumer, workspaceId)).includes(last));

/** The same without notifications: every worker sweeps until the events are consumed. */
const sweptFor = (consumer: string, last: string) =>
  until(async () => {
    for (const worker of workers) await sweeperOf(worker).sweep('events');
    return (await consumed(consumer)).includes(last);
  });

const numbered = (count: number, first = 0) => Array.from({ length: count }, (_, index) => `event ${first + index}`);

describe('events', () => {
  it('reach every consumer once and in order, without waiting for a sweep', async () => {
    await startWorker();
    await announce(numbered(450));
    await announce(['for one only'], 'other');
    await announce(['last']);
    for (const consumer of ['ledger', 'picky']) await untilConsumed(consumer, 'last');
    expect(await consumed('ledger')).toEqual([...numbered(450), 'for one only', 'last']);
    expect(await consumed('picky')).toEqual([...numbered(450), 'last']);
  });

  it('that a consumer announces itself are consumed, too', async () => {
    await startWorker();
    await announce(['one', 'two'], 'call');
    await untilConsumed('ledger', 'two!');
    expect(await consumed('ledger')).toEqual(['one', 'two', 'one!', 'two!']);
  });

  it('that a consumer announces itself are not taken for seen though transactions that began later have ended', async () => {
    await startWorker();
    const key = { workspaceId: workspace, consumer: 'ledger' };
    const db = api.app.get(DataSource);
    await announce(['call']);
    await untilConsumed('ledger', 'call');
    await Promise.all(workers.splice(0).map((worker) => worker.close()));
    await announce(['next']);
    await db.transaction(async (tx) => {
      await lockPosition(tx, key);
      await api.sql('SELECT txid_current()');
      expect(await readNext(tx, key, 10)).toMatchObject([{ details: { name: 'next' } }]);
      await emit(
        tx,
        { workspaceId: workspace, keyId: null, requestId: 'test' },
        { type: 'answer', details: { name: 'own' } },
      );
      await arrive(tx, key);
    });
    const left = await db.transaction((tx) => readNext(tx, key, 10));
    expect(left).toMatchObject([{ details: { name: 'own' } }]);
  });

  it('that are committed late, by a transaction that began earlier, are not skipped and hold up no others', async () => {
    await startWorker();
    await announce(['first']);
    await untilConsumed('ledger', 'first');
    await api.inTransaction(async (sql) => {
      await sql(
        `INSERT INTO outbox_events (workspace_id, request_id, type, details)
         SELECT $1, 'late', 'picked', jsonb_build_object('name', 'late ' || n) FROM generate_series(1, 2) n`,
        [workspace],
      );
      await announce(['early']);
      await sweptFor('ledger', 'early');
    });
    await announce(['last']);
    await sweptFor('ledger', 'last');
    expect(await consumed('ledger')).toEqual(['first', 'early', 'late 1', 'late 2', 'last']);
  });

  it('reach a new consumer from its first start on, and then wait for it', async () => {
    await startWorker();
    await announce(['before']);
    await sweptFor('ledger', 'before');
    const worker = await startWorker(LateModule);
    await announce(['after']);
    await sweptFor('late', 'after');
    await worker.close();
    workers.pop();
    await announce(['meanwhile']);
    await sweptFor('ledger', 'meanwhile');
    await startWorker(LateModule);
    await sweptFor('late', 'meanwhile');
    expect(await consumed('late')).toEqual(['after', 'meanwhile']);
    expect(await consumed('ledger')).toEqual(['before', 'after', 'meanwhile']);
  });

  it('are consumed once between several workers, in order', async () => {
    await Promise.all([startWorker(), startWorker(), startWorker()]);
    for (let from = 0; from < 60; from++) await announce(numbered(7, from * 7));
    await sweptFor('ledger', 'event 419');
    await sweptFor('picky', 'event 419');
    for (const consumer of ['ledger', 'picky']) expect(await consumed(consumer)).toEqual(numbered(420));
  });

  it('are neither lost nor repeated when the database moves to a server that counts its transactions from less', async () => {
    const worker = await startWorker();
    await announce(['old']);
    await untilConsumed('ledger', 'old');
    await worker.close();
    workers.pop();
    await announce(['waiting']);
    const far = '1000000000000';
    await api.sql(`UPDATE outbox_events SET xid = xid + ${far}`);
    for (const table of ['event_positions', 'event_consumers']) {
      await api.sql(`UPDATE ${table} SET seen_xmax = seen_xmax + ${far},
        seen_open = ARRAY(SELECT xid + ${far} FROM unnest(seen_open) AS xid)`);
    }
    await api.sql('UPDATE event_consumers SET server = 1');
    await startWorker();
    await announce(['new']);
    await sweptFor('ledger', 'new');
    expect(await consumed('ledger')).toEqual(['old', 'waiting', 'new']);
  });
});

describe('a consumer', () => {
  it('that fails gets the event again, and its writes are rolled back', async () => {
    const worker = await startWorker();
    await announce(['steady']);
    await announce(['breaking'], 'break');
    await announce(['next']);
    await sweptFor('picky', 'next');
    await sweptFor('ledger', 'next');
    expect(await consumed('picky')).toEqual(['steady', 'breaking', 'next']);
    expect(worker.get(Picky).committed).toEqual(['steady', 'breaking', 'next']);
    expect(await consumed('ledger')).toEqual(['steady', 'breaking', 'next']);
  });

  it('skips an event after eight failures', async () => {
    const worker = await startWorker();
    const name = 'poisonous';
    await api.inTransaction(async (sql) => {
      for (const [type, event] of [
        ['picked', 'a'],
        ['poison', name],
        ['picked', 'b'],
        ['picked', 'c'],
      ]) {
        await sql(
          `INSERT INTO outbox_events (workspace_id, request_id, type, details)
           VALUES ($1, 'test', $2, jsonb_build_object('name', $3::text))`,
          [workspace, type, event],
        );
      }
    });
    await sweptFor('picky', 'c');
    expect(await consumed('picky')).toEqual(['a', 'b', 'c']);
    // Once with the others and eight times alone.
    expect(worker.get(Picky).given.filter((given) => given === name)).toHaveLength(9);
    const { values } = await worker.get(Metrics).counters.eventsConsumed.get();
    const outcomes = values.filter(({ labels }) => labels.consumer === 'picky');
    expect(Object.fromEntries(outcomes.map(({ labels, value }) => [labels.outcome, value]))).toEqual({
      consumed: 3,
      failed: 7,
      passed_over: 1,
    });
  });

  it('that fails or does not come back holds up neither others nor, where it only fails, other workspaces', async () => {
    const worker = await startWorker(ConsumersModule, { ...api.config, eventBackoffMs: 60_000 });
    const places = [workspace, nextWorkspace++, nextWorkspace++, nextWorkspace++];
    for (const each of places) await announce(['sticking'], 'stick', each);
    await until(() => Promise.resolve(worker.get(Stuck).in.size === 2));
    await announce(['poisonous'], 'poison');
    await announce(['after']);
    await announce(['elsewhere'], 'picked', places[1]);
    await untilConsumed('picky', 'elsewhere', places[1]);
    await sweptFor('ledger', 'after');
    expect(await consumed('ledger')).toEqual(['sticking', 'poisonous', 'after']);
    expect(await consumed('picky')).toEqual([]);
    worker.get(Stuck).release();
    await until(() => Promise.resolve(worker.get(Stuck).in.size === places.length));
  });

  it('shares no name with another one', async () => {
    @EventConsumer({ name: 'webhooks' })
    class Impostor {}
    @Module({ providers: [Impostor] })
    class ImpostorModule {}
    const refused = createApp({ config: api.config, works: true, extensions: [ImpostorModule] });
    await expect(refused.then((app) => app.init())).rejects.toThrow('Two event consumer plugins are named webhooks');
  });
});
