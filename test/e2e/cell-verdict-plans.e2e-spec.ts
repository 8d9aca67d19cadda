import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addColumn, newSheet, type TestSheet } from '../support/factories.js';
import { sentWhile } from '../support/sent-statements.js';
import { TestApp } from '../support/test-app.js';

const PLACES = 50_000;
/** Rows per deleted row. Deletions split the rows into runs. */
const GAP = 100;
const ROWS = PLACES - PLACES / GAP;
/** Number of boolean columns besides the judge. */
const BOOLEANS = 4;
/** The planner takes the table for so many times larger: as of forty columns, whose cells it would not hash for a condition below NOT or OR. */
const OVERESTIMATED = 8;
const NO_EVERY = 10;

interface PlanNode {
  'Node Type': string;
  'Relation Name'?: string;
  'Index Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  'Rows Removed by Join Filter'?: number;
  Plans?: PlanNode[];
}

let app: TestApp;
let sheet: TestSheet;
beforeAll(async () => {
  app = await TestApp.own({ works: false });
  sheet = await newSheet(app.client, ['x']);
  const add = (title: string, type: string, config: object) =>
    addColumn(app.client, sheet, { title, type, config: { source: 'Column A', ...config } });
  await add('Judged', 'LLM_ASSERTION', { prompt: JSON.stringify(['Is it polite?']) });
  for (let index = 0; index < BOOLEANS; index++) await add(`Has ${index}`, 'CONTAINS', { value: 'x' });
  // Cells only have to be there. Nothing is left to compute.
  for (const table of ['computation_tasks', 'column_chunks', 'cells']) await app.sql(`DELETE FROM ${table}`);
  await app.sql(
    `UPDATE sheets SET rows = (SELECT range_agg(int4range(i, i + $2::int - 1)) FROM generate_series(0, $3::int - 1, $2::int) i) WHERE id = $1`,
    [sheet.id, GAP, PLACES],
  );
  await app.sql(
    `INSERT INTO cells (workspace_id, column_key, row_index, version, value)
     SELECT c.workspace_id, c.key, i, c.version,
            CASE c.type WHEN 'LLM_ASSERTION' THEN jsonb_build_object('q', jsonb_build_object('value', i % $3::int > 0, 'reasoning', 'So.'))
                        WHEN 'CONTAINS' THEN to_jsonb(i % 2 = 0) ELSE to_jsonb('Row ' || i) END
       FROM sheet_columns c, generate_series(0, $2::int - 1) i WHERE c.sheet_id = $1 ORDER BY c.key, i`,
    [sheet.id, PLACES, NO_EVERY],
  );
  await app.sql('ANALYZE cells');
  await app.sql(`UPDATE pg_class SET reltuples = reltuples * $1::int WHERE oid = 'cells'::regclass`, [OVERESTIMATED]);
});
afterAll(() => app.stop());

const search = (filter: object, more: object) =>
  app.client.post(`${sheet.path}/rows/search`, { filter, view: 'grid', ...more }) as Promise<{
    matching_row_count: number;
  }>;
const saysNo = (operator: string, nested_key?: string) => ({
  field: 'cell_verdict',
  operator,
  value: 'no',
  ...(nested_key !== undefined && { nested_key }),
});
const JUDGED = saysNo('is', 'Judged');
/** Booleans say no to the odd rows, so that some column says no to these and to each tenth row. */
const judgedNo = PLACES / NO_EVERY;

function* nodesOf(node: PlanNode): Generator<PlanNode> {
  yield node;
  for (const inner of node.Plans ?? []) yield* nodesOf(inner);
}

/** Plan of PostgreSQL for the rows of a page, and the number of statements about cells. */
async function planOf(filter: object, more: object): Promise<{ nodes: PlanNode[]; statements: number }> {
  const sent = await sentWhile(app, () => search(filter, more));
  const { text, values } = sent.find((each) => each.text.includes('matching AS MATERIALIZED'))!;
  const explained = (await app.sql(`EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) ${text}`, values)) as [
    { 'QUERY PLAN': [{ Plan: PlanNode }] },
  ];
  return {
    nodes: [...nodesOf(explained[0]['QUERY PLAN'][0].Plan)],
    statements: sent.filter((each) => /\bcells\b/.test(each.text)).length,
  };
}

describe(`rows among ${PLACES} that a judge said no to`, () => {
  it.each<[string, number, object, object, number]>([
    ['in a column', 1, { filters: [JUDGED] }, {}, judgedNo],
    ['in none of its cells', 1, { filters: [saysNo('is_not', 'Judged')] }, {}, ROWS - judgedNo],
    [
      'or of the first ten',
      1,
      { logic: 'OR', filters: [JUDGED, { field: 'row_index', operator: 'lt', value: 10 }] },
      {},
      judgedNo + 9,
    ],
    ['in order of another column', 2, { filters: [JUDGED] }, { sort: 'Column A', order: 'desc' }, judgedNo],
    ['in any column', BOOLEANS + 1, { filters: [saysNo('is')] }, {}, ROWS - 20_000],
    ['in no column', BOOLEANS + 1, { filters: [saysNo('is_not')] }, {}, 20_000],
    ['in no column, by judgement', BOOLEANS + 2, { filters: [saysNo('is_not')] }, { sort: 'Judged' }, 20_000],
  ])('%s are found by one scan of its cells', async (_, columns, filter, more, count) => {
    expect(await search(filter, more)).toMatchObject({ matching_row_count: count });
    const { nodes, statements } = await planOf(filter, { ...more, limit: 100 });
    const cells = nodes.filter((node) => node['Relation Name'] === 'cells');
    expect(cells.length).toBeGreaterThan(0);
    for (const node of cells) expect(node['Actual Loops']).toBe(1);
    const read = cells.map((node) => node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0));
    // A sheet that has the table for itself is read as a whole where most of it is asked for.
    const whole = columns > 2 ? (BOOLEANS + 2) * PLACES : 0;
    expect(read.reduce((sum, rows) => sum + rows)).toBeLessThanOrEqual(columns * PLACES + whole);
    if (columns === 1) expect(nodes.map((node) => node['Index Name'])).toContain('cells_pkey');
    // No list is searched for every row.
    for (const node of nodes) expect(node['Rows Removed by Join Filter'] ?? 0).toBe(0);
    expect(nodes.filter((node) => node['Actual Loops'] > PLACES / GAP)).toEqual([]);
    expect(statements).toBe((await planOf(filter, { ...more, limit: 1 })).statements);
  });
});
