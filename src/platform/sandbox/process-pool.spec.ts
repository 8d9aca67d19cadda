import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { ProcessPool } from './process-pool.js';

const PROGRAM = { file: fileURLToPath(new URL('owner.process.fixture.mjs', import.meta.url)), flags: [], args: [] };
const TIME_MS = 60_000;

const pools: ProcessPool[] = [];
afterEach(() => pools.splice(0).forEach((pool) => pool.close()));

function poolOf(size: number): ProcessPool {
  const pool = new ProcessPool(PROGRAM, size);
  pools.push(pool);
  return pool;
}

const ownerOf = (workspaceId: number, keyId: number | null = null) => ({ workspaceId, keyId });
const pidFor = (pool: ProcessPool, workspaceId: number, keyId: number | null = null) =>
  pool.inTurn(ownerOf(workspaceId, keyId), (send) => send<number>({ argument: 'pid', timeMs: TIME_MS }));

/** A call that lasts until the pool is closed; resolves when it has its slot. */
function hang(pool: ProcessPool, workspaceId: number): Promise<void> {
  return new Promise((hasSlot) => {
    const work = (send: Parameters<Parameters<ProcessPool['inTurn']>[1]>[0]) => {
      hasSlot();
      return send({ argument: 'hang', timeMs: TIME_MS });
    };
    pool.inTurn(ownerOf(workspaceId), work).catch(() => undefined);
  });
}

describe('ProcessPool', () => {
  it('never gives a process to a second workspace, in any order of calls', async () => {
    const calls = fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 2, maxLength: 8 });
    const ownersOf = new Map<number, number>();
    await fc.assert(
      fc.asyncProperty(
        fc.array(calls, { minLength: 1, maxLength: 3 }),
        fc.integer({ min: 1, max: 3 }),
        async (rounds, size) => {
          const pool = poolOf(size);
          for (const owners of rounds) {
            const pids = await Promise.all(owners.map((workspaceId) => pidFor(pool, workspaceId)));
            pids.forEach((pid, index) => {
              const key = pid + pools.length * 1e9; // the system may use a number again once a pool is closed
              expect(ownersOf.get(key) ?? owners[index]).toBe(owners[index]);
              ownersOf.set(key, owners[index]!);
            });
          }
          pool.close();
        },
      ),
      { numRuns: 6 },
    );
  });

  it('keeps the process of a workspace for its later calls', async () => {
    const pool = poolOf(2);
    const first = await pidFor(pool, 1);
    await pidFor(pool, 2);
    expect(await pidFor(pool, 1)).toBe(first);
  });

  it('serves a workspace while two others have more endless calls than there are slots', async () => {
    const pool = poolOf(3);
    await Promise.all([hang(pool, 1), hang(pool, 1), hang(pool, 2)]);
    void hang(pool, 1);
    void hang(pool, 2);
    expect(await pidFor(pool, 3)).toEqual(expect.any(Number));
  });

  it('gives one workspace all slots but one', async () => {
    const pool = poolOf(3);
    await Promise.all([hang(pool, 1), hang(pool, 1)]);
    const third = hang(pool, 1).then(() => 'has a slot');
    const other = pidFor(pool, 2).then(() => 'other is served');
    expect(await Promise.race([third, other])).toBe('other is served');
  });

  it('takes keys of a workspace in turn', async () => {
    const pool = poolOf(1);
    const served: string[] = [];
    const many = Array.from({ length: 5 }, () => pidFor(pool, 1, 1).then(() => served.push('many')));
    const one = pidFor(pool, 1, 2).then(() => served.push('one'));
    await Promise.all([...many, one]);
    // One call had its slot already, and one was before it in turn.
    expect(served.indexOf('one')).toBeLessThanOrEqual(2);
  });
});
