import { randomUUID } from 'node:crypto';
import { DataSource } from 'typeorm';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { ColumnTypes } from '../../src/grid/column-type/column-type.js';
import { claimCells } from '../../src/grid/computing/claim-cells.js';
import { noResults, storeResults, type WorkResults } from '../../src/grid/computing/store-results.js';
import { type ClaimedCells, giveBackRows, type HeldTask } from '../../src/grid/computing/tasks.queries.js';
import type { Client } from '../support/client.js';
import { TestApp } from '../support/test-app.js';
import { code, edge, saveWorkflow, startRun, type TestGraph, type TestNode, when } from '../support/workflow-runs.js';

let app: TestApp;
let me: Client;
let db: DataSource;
beforeAll(async () => {
  app = await TestApp.own({ works: false });
  me = app.client;
  db = app.app.get(DataSource);
});
beforeEach(() => app.sql('DELETE FROM computation_tasks'));
afterAll(() => app.stop());

const claim = async (limits: object = {}): Promise<ClaimedCells | null> =>
  claimCells(db.manager, { after: 0, full: [], held: [] }, 60_000, {
    isExternal: true,
    rows: 10,
    rowsOfSuspects: 1,
    ...limits,
  });

const next = (name: string, ...dependencies: string[]) => code(name, 'return 1', dependencies);
const words = (name: string, source: string): TestNode => ({
  name,
  node_type: 'COUNT',
  configuration: { source, type: 'words' },
  dependencies: [source],
});

async function titlesOf({ columnKeys }: ClaimedCells): Promise<string[]> {
  const columns = (await app.sql('SELECT key, title FROM sheet_columns')) as { key: string; title: string }[];
  const titles = new Map(columns.map(({ key, title }) => [String(key), title]));
  return columnKeys.map((key) => titles.get(key)!);
}

async function claimRun(graph: TestGraph): Promise<ClaimedCells> {
  await startRun(me, (await saveWorkflow(me, graph)).id);
  return (await claim())!;
}

/** Results for the claimed cells of a column. */
const resultsOf = ({ claim: of, executionId, rows }: ClaimedCells, columnKey: string): WorkResults => {
  const cells = [...rows].map((rowIndex) => ({ columnKey, rowIndex, value: 'new' }));
  return { ...noResults({ claim: of, executionId, columnKey, rows, readVersion: 1 }), cells };
};

const store = (claims: ClaimedCells[], results: WorkResults[]) => {
  const [{ workspaceId, sheetId }] = claims as [ClaimedCells];
  const rows = claims.map((each) => each.rows).reduce((all, each) => all.union(each));
  const work = { workspaceId, sheetId, claims: claims.map((each) => each.claim), rows };
  return db.transaction((tx) => storeResults(tx, app.app.get(ColumnTypes), work, results));
};

const tasksOf = async (columnKey: string): Promise<Pick<HeldTask, 'claim'>[]> =>
  (await app.sql('SELECT claim FROM computation_tasks WHERE column_key = $1', [columnKey])) as HeldTask[];

const GRAPHS: [what: string, graph: TestGraph, claimed: string[]][] = [
  ['all steps that follow each other', { nodes: [next('A'), next('B', 'A'), next('C', 'B')] }, ['A', 'B', 'C']],
  [
    'what is computed only on a condition',
    {
      nodes: [next('A'), next('B', 'A'), next('C', 'B')],
      edges: [edge('A', 'B', when('A', '=', 2))],
    },
    ['A', 'B', 'C'],
  ],
  [
    'no step after a fork, of which others may take the other way',
    {
      nodes: [next('A'), next('B', 'A'), next('C', 'B'), next('D', 'B'), next('E', 'C', 'D')],
    },
    ['A', 'B'],
  ],
  ['one of two steps that begin', { nodes: [next('A'), next('B'), next('C', 'A', 'B')] }, ['A']],
  [
    'no step that waits for what is computed in another lane',
    {
      nodes: [next('A'), next('B', 'A'), words('C', 'B'), next('D', 'C')],
    },
    ['A', 'B'],
  ],
];
it.each(GRAPHS)('a claim takes %s', async (_, graph, claimed) => {
  const claimedCells = await claimRun(graph);
  expect(await titlesOf(claimedCells)).toEqual(claimed);
  expect(claimedCells).toMatchObject({ attempts: 1 });
});

it('a claim goes no further than to a column of which enough cells wait', async () => {
  const first = await claimRun({ nodes: [next('A'), next('B', 'A'), next('C', 'B')] });
  await giveBackRows(db.manager, first, first.rows);
  const claimedCells = await claim({ fullColumns: [first.columnKeys[2]] });
  expect(await titlesOf(claimedCells!)).toEqual(['A', 'B']);
});

it('runs that do not fit into a claim wait for the next one, with all of their steps', async () => {
  const flow = await saveWorkflow(me, { nodes: [next('A'), next('B', 'A')] });
  await Promise.all([1, 2, 3].map(() => startRun(me, flow.id)));
  const claims = [await claim({ rows: 1 }), await claim({ rows: 1 }), await claim({ rows: 1 })];
  expect(await Promise.all(claims.map((each) => titlesOf(each!)))).toEqual(claims.map(() => ['A', 'B']));
  expect(await claim()).toBeNull();
});

it('given back, steps were not tried', async () => {
  const first = await claimRun({ nodes: [next('A'), next('B', 'A')] });
  await giveBackRows(db.manager, first, first.rows);
  expect(await claim()).toMatchObject({ attempts: 1, columnKeys: first.columnKeys });
});

it('when a worker dies, the step that its claim began with comes alone, and counts as tried', async () => {
  const first = await claimRun({ nodes: [next('A'), next('B', 'A'), next('C', 'B')] });
  await app.sql("UPDATE computation_tasks SET lease_until = now() - interval '1 second'");
  const again = await claim();
  expect(again).toMatchObject({ attempts: 2, columnKeys: first.columnKeys.slice(0, 1) });
  await store([again!], [resultsOf(again!, again!.columnKeys[0]!)]);
  expect(await claim()).toMatchObject({ attempts: 1, columnKeys: first.columnKeys.slice(1) });
});

it('counts cells once that a worker computed twice, because it lost a claim and claimed them again', async () => {
  const lost = await claimRun({ nodes: [next('A')] });
  await app.sql("UPDATE computation_tasks SET lease_until = now() - interval '1 second'");
  const held = (await claim())!;
  const [columnKey] = held.columnKeys as [string];
  const outcome = await store(
    [lost, held],
    [lost, held].map((each) => resultsOf(each, columnKey)),
  );
  expect([outcome.lost.get(lost.claim), outcome.lost.get(held.claim)].map((rows) => [...rows!])).toEqual([
    [...held.rows],
    [],
  ]);
  expect(
    await app.sql('SELECT status, cell_count, completed_count FROM executions WHERE id = $1', [held.executionId]),
  ).toEqual([{ status: 'completed', cell_count: 1, completed_count: 1 }]);
});

it('recomputes cells that depend on a result of another worker', async () => {
  const first = await claimRun({ nodes: [next('A'), next('B', 'A'), next('C', 'B')] });
  const [a, b, c] = first.columnKeys as [string, string, string];
  await app.sql('UPDATE computation_tasks SET claim = $2 WHERE column_key = $1', [a, randomUUID()]);
  const { lost } = await store([first], [resultsOf(first, b), resultsOf(first, a)]);
  expect([...lost.get(first.claim)!]).toEqual([...first.rows]);
  // The next transaction gets the lost rows.
  await store([first], [{ ...resultsOf(first, c), lost: first.rows }]);
  expect(await Promise.all([b, c].map(tasksOf))).toEqual([[{ claim: null }], [{ claim: null }]]);
  expect(await app.sql('SELECT FROM cells WHERE column_key = ANY ($1)', [[a, b, c]])).toEqual([]);
});

it('steps of several runs are stored as one version, which ends the runs that are complete', async () => {
  const flow = await saveWorkflow(me, { nodes: [next('A'), next('B', 'A')] });
  const ids = [await startRun(me, flow.id), await startRun(me, flow.id)];
  const [one, two] = [(await claim())!, (await claim())!];
  const [a, b] = one.columnKeys as [string, string];
  const versions = () =>
    app.sql('SELECT deltas FROM sheet_versions WHERE sheet_id = $1 ORDER BY number', [one.sheetId]);
  const before = (await versions()).length;
  await store([one, two], [resultsOf(one, a), resultsOf(one, b), resultsOf(two, a)]);
  const made = (await versions()).slice(before);
  expect(made).toEqual([
    { deltas: [one, two].map(({ executionId }) => ({ type: 'execution', operation_id: executionId })) },
  ]);
  const states = (await app.sql('SELECT status FROM workflow_runs WHERE id = ANY ($1) ORDER BY id', [ids])) as {
    status: string;
  }[];
  expect(states.map(({ status }) => status)).toEqual(['finished', 'running']);
  expect(await tasksOf(b)).toEqual([{ claim: two.claim }]);
});
