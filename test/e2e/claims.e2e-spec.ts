import { DataSource, type EntityManager, type QueryRunner } from 'typeorm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { claimCells } from '../../src/grid/computing/claim-cells.js';
import { renewLeases } from '../../src/grid/computing/tasks.queries.js';
import type { Step } from '../../src/platform/database/statement.js';
import type { Client } from '../support/client.js';
import { addCount, newSheet, type TestSheet } from '../support/factories.js';
import { TestApp } from '../support/test-app.js';
import { until } from '../support/until.js';

const ROWS = 10;

let app: TestApp;
let me: Client;
beforeAll(async () => {
  app = await TestApp.own({ works: false });
  me = app.client;
});
afterAll(() => app.stop());

const claimThree = (db: EntityManager) =>
  claimCells(db, { after: 0, full: [], held: [] }, 60_000, { isExternal: false, rows: 3, rowsOfSuspects: 1 });

const tasksOf = (sheet: TestSheet) =>
  app.sql('SELECT rows, rank FROM computation_tasks WHERE sheet_id = $1 ORDER BY lower(rows)', [sheet.id]);

/** A sheet with a computed column, and a change of it that arrives while some of its cells are being claimed. */
async function changedDuringClaim(
  change: (sheet: TestSheet, operationId: string, columnId: string) => Promise<unknown>,
) {
  const sheet = await newSheet(
    me,
    Array.from({ length: ROWS }, (_, row) => `text ${row}`),
  );
  const column = await addCount(me, sheet, 'Length');
  const { active_operations: active } = (await me.get(`${sheet.path}/operations`)) as {
    active_operations: { operation_id: string }[];
  };
  let changed: Promise<unknown>;
  await app.app.get(DataSource).transaction(async (tx) => {
    expect(await claimThree(tx)).toMatchObject({ attempts: 1 });
    changed = change(sheet, active[0]!.operation_id, column.id);
    await until(async () => (await app.sql('SELECT 1 FROM pg_locks WHERE NOT granted')).length > 0);
  });
  await changed!;
  return sheet;
}

it('leaves nothing of an operation that is cancelled while some of its cells are being claimed', async () => {
  const sheet = await changedDuringClaim((at, operationId) => me.delete(`${at.path}/operations/${operationId}`));
  expect(await tasksOf(sheet)).toEqual([]);
});

it('leaves nothing of rows that are deleted while other rows of the same column are being claimed', async () => {
  const sheet = await changedDuringClaim((at) => me.delete(`${at.path}/rows`, 200, { row_indices: [5, 6, 7, 8, 9] }));
  expect(await tasksOf(sheet)).toMatchObject([{ rows: '{[0,3)}' }, { rows: '{[3,5)}' }]);
  await me.delete(sheet.path);
});

it('puts off all cells of a column that reads another computed one while some of them are being claimed', async () => {
  const sheet = await changedDuringClaim(async (at, _, columnId) => {
    await addCount(me, at, 'First');
    await me.patch(`${at.path}/columns/${columnId}`, { config: { source: 'First', type: 'chars' } });
  });
  const ranks = (await tasksOf(sheet)) as { rank: number }[];
  expect(ranks.filter(({ rank }) => rank === 2)).toHaveLength(2);
  await me.delete(sheet.path);
});

it('finds cells that somebody has locked for a moment', async () => {
  const sheet = await newSheet(me, ['a']);
  await addCount(me, sheet, 'Length');
  const [locking, claiming] = [0, 1].map(() => app.app.get(DataSource).createQueryRunner()) as [
    QueryRunner,
    QueryRunner,
  ];
  try {
    await locking.startTransaction();
    expect(await locking.query('SELECT FROM computation_tasks FOR UPDATE')).toHaveLength(1);
    const client = (await claiming.connect()) as { query: (statement: Step) => Promise<unknown> };
    const { query } = client;
    let claims = 0;
    // The lock ends right after a claim that it prevented, however busy the machine is.
    client.query = async (statement) => {
      const answer = await query.call(client, statement);
      if (statement.text.includes('SKIP LOCKED') && ++claims === 1) await locking.commitTransaction();
      return answer;
    };
    try {
      expect(await claimThree(claiming.manager)).toMatchObject({ attempts: 1 });
    } finally {
      Reflect.deleteProperty(client, 'query');
    }
    expect(claims).toBe(2);
  } finally {
    await Promise.all([locking.release(), claiming.release()]);
  }
});

it('renews a claim without waiting for a change of the sheet, which holds it until it is committed', async () => {
  const sheet = await newSheet(me, ['a', 'b', 'c', 'd']);
  await addCount(me, sheet, 'Length');
  const { manager } = app.app.get(DataSource);
  const claim = (await claimThree(manager))!;
  const leases = () =>
    app.sql('SELECT lease_until FROM computation_tasks WHERE claim = $1 AND workspace_id = $2', [
      claim.claim,
      claim.workspaceId,
    ]);
  const before = await leases();
  await app.inTransaction(async (sql) => {
    await sql('SELECT FROM computation_tasks WHERE sheet_id = $1 FOR UPDATE', [sheet.id]);
    const held = await renewLeases(manager, [claim], 120_000);
    expect([...held.get(claim.claim)!.values()].map(String)).toEqual(['{[0,3)}']);
    expect(await leases()).toEqual(before);
    await sql('DELETE FROM computation_tasks WHERE sheet_id = $1', [sheet.id]);
    expect([...(await renewLeases(manager, [claim], 120_000)).keys()]).toEqual([claim.claim]);
  });
  expect(await renewLeases(manager, [claim], 120_000)).toEqual(new Map());
  await me.delete(sheet.path);
});
