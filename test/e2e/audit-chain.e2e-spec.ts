import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { DataSource, type QueryRunner } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { canonicalJson } from '../../src/platform/canonical-json.js';
import type { JsonObject } from '../../src/platform/json.js';
import { deleteTable, download, type Line, newChain, untilSealed, verify, writeEntries } from '../support/audit.js';
import { erase, newWorkspace } from '../support/erasures.js';
import { TestApp } from '../support/test-app.js';
import { createWebhook, Customers, IMPATIENT } from '../support/webhooks.js';
import { until } from '../support/until.js';

let app: TestApp;
const customers = new Customers(() => app);
beforeAll(async () => {
  app = await TestApp.own({ env: { ...IMPATIENT, DATABASE_POOL: '12' } });
});
afterAll(async () => {
  await customers.stopReceivers();
  await app.stop();
});

describe('a chain of audit entries', () => {
  it('is intact and complete after entries were written', async () => {
    const { where, ids, head } = await newChain(app, 5);
    expect(ids.length).toBeGreaterThanOrEqual(6);
    expect(await verify(where)).toEqual({
      success: true,
      is_intact: true,
      is_complete: true,
      head: { position: ids.length, entry_id: ids.at(-1), hash: head.hash, sealed_at: expect.any(String) },
      verified: { position: ids.length, entry_id: ids.at(-1), hash: head.hash },
      verified_count: ids.length,
      erased_count: 0,
      unsealed_count: 0,
      break: null,
    });
  });

  it('has hashes that anybody can compute from a download', async () => {
    const { where } = await newChain(app, 3);
    const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
    let previous = '';
    for (const line of await download(where)) {
      const { workspace_id, id, occurred_at, action, entity_id, key_id, request_id, details_hash, position } = line;
      expect(details_hash).toBe(sha256(canonicalJson(line.details as JsonObject)));
      const hashed = { workspace_id, id, occurred_at, action, entity_id, key_id, request_id, details_hash, position };
      previous = sha256(canonicalJson({ ...hashed, previous_hash: previous } as JsonObject));
      expect(line.hash).toBe(previous);
    }
  });

  it('counts entries that are not sealed yet, and continues from a kept head', async () => {
    const { where, head } = await newChain(app, 2);
    await writeEntries(where, 3);
    expect(await verify(where)).toMatchObject({ is_intact: true, unsealed_count: 3, head: { hash: head.hash } });
    await untilSealed(app, where);
    expect(await verify(where, head)).toMatchObject({
      is_intact: true,
      is_complete: true,
      verified_count: 3,
      head: { position: head.position + 3 },
    });
  });

  it('does not exist before the first entry is sealed', async () => {
    const where = await newWorkspace(app);
    await app.sql('DELETE FROM audit_entries WHERE workspace_id = $1', [where.id]);
    await app.sql('DELETE FROM audit_seals WHERE workspace_id = $1', [where.id]);
    await app.sql('DELETE FROM audit_heads WHERE workspace_id = $1', [where.id]);
    expect(await verify(where)).toMatchObject({ is_intact: true, is_complete: true, head: null, verified: null });
  });
});

const ENTRY = 'workspace_id = $1 AND id = $2';
const SEAL = 'workspace_id = $1 AND entry_id = $2';

describe('a chain is broken', () => {
  it.each([
    ['the action', `action = 'x.y'`],
    ['the entity', `entity_id = '7'`],
    ['the time by a microsecond', `occurred_at = occurred_at + interval '1 microsecond'`],
    ['the key', 'key_id = NULL'],
    ['the request', `request_id = 'another'`],
    ['a detail', `details = '{"name": "another"}'`],
  ])('at an entry of which somebody altered %s', async (_, change) => {
    const { where, ids } = await newChain(app, 4);
    await app.sql(`UPDATE audit_entries SET ${change} WHERE ${ENTRY}`, [where.id, ids[2]]);
    expect(await verify(where)).toMatchObject({
      is_intact: false,
      verified: { position: 2, entry_id: ids[1] },
      verified_count: 2,
      break: { kind: 'altered', position: 3, entry_id: ids[2] },
    });
  });

  it.each<[string, (id: number, entry: number) => Promise<unknown>, object]>([
    [
      'its hash',
      (id, entry) => app.sql(`UPDATE audit_seals SET hash = '\\x00' WHERE ${SEAL}`, [id, entry]),
      { kind: 'altered' },
    ],
    [
      'the hash of its details',
      (id, entry) => app.sql(`UPDATE audit_seals SET details_hash = '\\x00' WHERE ${SEAL}`, [id, entry]),
      { kind: 'altered' },
    ],
    ['its seal', (id, entry) => app.sql(`DELETE FROM audit_seals WHERE ${SEAL}`, [id, entry]), { kind: 'inserted' }],
  ])('where somebody changed %s', async (_, change, expected) => {
    const { where, ids } = await newChain(app, 4);
    await change(where.id, ids[2]!);
    expect((await verify(where)).break).toMatchObject({ ...expected, position: 3 });
  });

  it('where an entry was removed, also together with its seal', async () => {
    const { where, ids } = await newChain(app, 4);
    await app.sql(`DELETE FROM audit_entries WHERE ${ENTRY}`, [where.id, ids[1]]);
    expect((await verify(where)).break).toEqual({ kind: 'removed', position: 2, entry_id: ids[1] });
    await app.sql(`DELETE FROM audit_seals WHERE ${SEAL}`, [where.id, ids[1]]);
    expect((await verify(where)).break).toEqual({ kind: 'removed', position: 2, entry_id: null });
  });

  it.each([
    ['between others', (ids: number[]) => ids[1]! + 1],
    ['before all others', () => -7],
  ])('where an entry was inserted %s', async (_, idOf) => {
    const { where, ids } = await newChain(app, 2);
    // The entries of other workspaces are between them.
    await app.sql(`DELETE FROM audit_entries WHERE ${ENTRY}`, [where.id, ids[2]]);
    await app.sql(`DELETE FROM audit_seals WHERE ${SEAL}`, [where.id, ids[2]]);
    const id = idOf(ids);
    await app.sql(
      `INSERT INTO audit_entries (workspace_id, id, action, entity_id, request_id) OVERRIDING SYSTEM VALUE
       VALUES ($1, $2, 'x.y', '1', 'r')`,
      [where.id, id],
    );
    await app.sweep('audit');
    expect((await verify(where)).break).toMatchObject(id < 0 ? { kind: 'inserted', entry_id: id } : { position: 3 });
  });

  it('where the end was removed', async () => {
    const { where, ids } = await newChain(app, 4);
    await app.sql('DELETE FROM audit_entries WHERE workspace_id = $1 AND id > $2', [where.id, ids[2]]);
    expect((await verify(where)).break).toEqual({ kind: 'removed', position: 4, entry_id: ids[3] });
    await app.sql('DELETE FROM audit_seals WHERE workspace_id = $1 AND entry_id > $2', [where.id, ids[2]]);
    expect((await verify(where)).break).toEqual({ kind: 'truncated', position: 4, entry_id: null });
  });

  it('where the head was moved back', async () => {
    const { where, ids } = await newChain(app, 4);
    await app.sql(
      `UPDATE audit_heads c SET position = s.position, entry_id = s.entry_id, hash = s.hash
         FROM audit_seals s WHERE c.workspace_id = $1 AND s.workspace_id = $1 AND s.entry_id = $2`,
      [where.id, ids[2]],
    );
    expect((await verify(where)).break).toMatchObject({ kind: 'head_altered', entry_id: ids.at(-1) });
    await app.sweep('audit');
    expect((await verify(where)).is_intact).toBe(false);
  });

  it('is detected by comparing with a saved head, after the chain was truncated or recomputed', async () => {
    const { where, ids, head } = await newChain(app, 4);
    await app.sql('DELETE FROM audit_entries WHERE workspace_id = $1 AND id = $2', [where.id, ids[1]]);
    await app.sql('DELETE FROM audit_seals WHERE workspace_id = $1', [where.id]);
    await app.sql('DELETE FROM audit_heads WHERE workspace_id = $1', [where.id]);
    await untilSealed(app, where);
    expect(await verify(where)).toMatchObject({ is_intact: true, verified_count: ids.length - 1 });
    expect(await verify(where, head)).toMatchObject({
      is_intact: false,
      break: { kind: 'head_unknown', entry_id: head.entry_id },
    });
  });
});

describe('after an erasure', () => {
  it('a chain is intact and says how many entries were erased', async () => {
    const where = await newWorkspace(app);
    for (const title of ['of jane.doe@example.com', 'user_id=u4711', 'another']) await deleteTable(where.me, title);
    await untilSealed(app, where);
    const before = await verify(where);
    await erase(where, { user_id: 'jane.doe@example.com' });
    await erase(where, { user_id: 'u4711' });
    await untilSealed(app, where);
    expect(JSON.stringify(await download(where))).not.toMatch(/jane\.doe|u4711/);
    expect(await verify(where)).toMatchObject({ is_intact: true, is_complete: true, erased_count: 2 });
    expect(await verify(where, before.head!)).toMatchObject({ is_intact: true, erased_count: 0 });
  });

  it('an entry that names no erased person still counts as altered', async () => {
    const { where, ids } = await newChain(app, 3);
    await erase(where, { user_id: 'somebody-else' });
    await app.sql(`UPDATE audit_entries SET details = $3 WHERE ${ENTRY}`, [where.id, ids[2], { name: 'f'.repeat(64) }]);
    expect((await verify(where)).break).toMatchObject({ kind: 'altered', entry_id: ids[2] });
  });
});

/** Transactions that write entries: in which order they insert and end, and whether they commit. */
const schedules = fc
  .array(fc.record({ entries: fc.integer({ min: 1, max: 3 }), commits: fc.boolean() }), { minLength: 2, maxLength: 5 })
  .chain((transactions) => {
    const steps = transactions.flatMap(({ entries }, at) => [...Array<number>(entries).fill(at), at]);
    return fc.record({
      transactions: fc.constant(transactions),
      steps: fc.shuffledSubarray(
        steps.map((transaction, order) => ({ transaction, order })),
        { minLength: steps.length },
      ),
      sweeps: fc.array(fc.nat(steps.length), { maxLength: 6 }),
    });
  });

async function newTransaction(): Promise<QueryRunner> {
  const runner = app.app.get(DataSource).createQueryRunner();
  await runner.startTransaction();
  return runner;
}

async function end(runner: QueryRunner, commits: boolean): Promise<void> {
  await (commits ? runner.commitTransaction() : runner.rollbackTransaction());
  await runner.release();
}

describe('whatever the order of commits', () => {
  it('the chain is complete and intact', async () => {
    await fc.assert(
      fc.asyncProperty(schedules, async ({ transactions, steps, sweeps }) => {
        const where = await newWorkspace(app);
        const runners = await Promise.all(transactions.map(newTransaction));
        const left = transactions.map(({ entries }) => entries);
        for (const [at, { transaction }] of steps.entries()) {
          const runner = runners[transaction]!;
          if (left[transaction]!-- > 0) {
            await runner.query(
              `INSERT INTO audit_entries (workspace_id, action, entity_id, request_id) VALUES ($1, 'x.y', $2, 'r')`,
              [where.id, String(at)],
            );
          } else await end(runner, transactions[transaction]!.commits);
          if (sweeps.includes(at)) await app.sweep('audit');
          expect((await verify(where)).is_intact).toBe(true);
        }
        await untilSealed(app, where);
        const written = transactions.filter(({ commits }) => commits).reduce((sum, { entries }) => sum + entries, 0);
        const lines = (await download(where)).filter(({ action }) => action === 'x.y');
        expect(lines).toHaveLength(written);
        expect(lines.every(({ position }) => position !== null)).toBe(true);
        expect(await verify(where)).toMatchObject({ is_intact: true, is_complete: true });
      }),
      { numRuns: 25 },
    );
  });

  it('two workers that seal at once make one chain', async () => {
    const where = await newWorkspace(app);
    const installation = { url: app.config.databaseUrl, apiKey: app.apiKey, close: () => Promise.resolve() };
    const other = await TestApp.own({ installation });
    try {
      let isWriting = true;
      const sealing = Promise.all(
        [app, other].map(async (worker) => {
          while (isWriting) await worker.sweep('audit');
        }),
      );
      await Promise.all(Array.from({ length: 6 }, () => writeEntries(where, 10)));
      isWriting = false;
      await sealing;
      await untilSealed(app, where);
      expect(await verify(where)).toMatchObject({ is_intact: true, is_complete: true, unsealed_count: 0 });
      expect((await verify(where)).verified_count).toBeGreaterThanOrEqual(61);
    } finally {
      await other.stop();
    }
  });
});

describe('a webhook', () => {
  it('gets sealed entries with their hashes if it names them', async () => {
    const { me, id } = await customers.newWorkspace();
    const receiver = await customers.receive();
    await createWebhook(me, id, { url: receiver.url, event_types: ['audit_entry'] });
    const where = { me, id, erasures: '' };
    await writeEntries(where, 2);
    await untilSealed(app, where);
    const { head } = await verify(where);
    const received = () => receiver.payloads.map(({ details }) => details as Line);
    await until(async () => {
      await app.sweep('events');
      await app.sweep('webhooks');
      return received().some(({ hash }) => hash === head!.hash);
    });
    const lines = await download(where, 'action=api_key.create');
    const created = received().filter(({ action }) => action === 'api_key.create');
    for (const line of lines.slice(-2)) {
      expect(created).toContainEqual(expect.objectContaining({ id: line.id, hash: line.hash, details: line.details }));
    }
  });

  it('for all events gets none, and nothing is emitted for it', async () => {
    const where = await newWorkspace(app);
    await createWebhook(where.me, where.id, { url: 'https://hooks.invalid/all' });
    await writeEntries(where, 2);
    await untilSealed(app, where);
    expect(
      await app.sql(`SELECT FROM outbox_events WHERE workspace_id = $1 AND type = 'audit_entry'`, [where.id]),
    ).toEqual([]);
  });
});
