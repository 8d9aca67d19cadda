import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { addColumn, type Cell, cellsOf, editCell, newSheet, settled, type TestSheet } from '../support/factories.js';
import { TestApp } from '../support/test-app.js';

let app: TestApp;
let me: Client;
beforeAll(async () => {
  app = await TestApp.start();
  me = app.client;
});
afterAll(() => app.stop());

const SOURCE = 'Column A';

async function computed(sheet: TestSheet, body: object): Promise<Cell[]> {
  const column = await addColumn(me, sheet, { title: 'Result', ...body });
  await settled(me, sheet);
  return cellsOf(me, sheet, column.id);
}

/** Text columns of one row beside the first. */
async function sheetOf(values: Record<string, unknown>): Promise<TestSheet> {
  const [first, ...others] = Object.entries(values);
  const sheet = await newSheet(me, [first![1]]);
  for (const [title, value] of others) {
    const { id } = await addColumn(me, sheet, { title, type: 'TEXT' });
    const [cell] = await cellsOf(me, sheet, id);
    await editCell(me, sheet, cell!, { value });
  }
  return sheet;
}

const trace = JSON.stringify({ name: 'agent', start: '0', children: [{ name: 'Tool: search', start: '1' }] });

it.concurrent.each<[string, object, Record<string, unknown>, unknown]>([
  ['COMPARE', { sources: [SOURCE, 'B'] }, { A: '1.0', B: '1' }, true],
  ['comparison', { sources: [SOURCE], target: 'yes', comparison_type: 'STRING' }, { A: 'yes' }, true],
  [
    'COMPARE',
    { source1: SOURCE, source2: 'B', comparison_type: { type: 'JSON', json_path: '$.a' } },
    { A: '{"a":1}', B: '{"a":1,"b":2}' },
    true,
  ],
  ['CONTAINS', { source: SOURCE, value: 'FUND' }, { A: 'a refund' }, true],
  ['REGEX', { source: SOURCE, pattern: '^a\\s' }, { A: 'a refund' }, true],
  ['ABSOLUTE_NUMERIC_DISTANCE', { sources: [SOURCE, 'B'] }, { A: '1', B: '3.5' }, 2.5],
  ['MATH_OPERATOR', { sources: [SOURCE], operator: 'ge', value: 1 }, { A: '1' }, true],
  ['ASSERT_VALID', { source: SOURCE, type: 'sql' }, { A: 'SELECT 1' }, true],
  ['ASSERT_VALID', { source: SOURCE, type: 'json' }, { A: 'no' }, false],
  ['JSON_PATH', { source: SOURCE, json_path: '$.a[1]' }, { A: '{"a":[1,{"b":2}]}' }, { b: 2 }],
  ['XML_PATH', { source: SOURCE, xml_path: '//b', type: 'findall' }, { A: '<a><b>1</b><b>2</b></a>' }, ['1', '2']],
  ['REGEX_EXTRACTION', { source: SOURCE, regex_pattern: '#(\\d+)' }, { A: '#1 #22' }, ['1', '22']],
  ['PARSE_VALUE', { source: SOURCE, type: 'number' }, { A: ' 7 ' }, 7],
  ['COUNT', { source: SOURCE, type: 'words', min_count: 2 }, { A: 'two words' }, true],
  ['COUNT', { source: SOURCE, type: 'chars' }, { A: { value: 12345 } }, 5],
  ['MIN_MAX', { source: SOURCE, type: 'max' }, { A: '[3, 9, 1]' }, 9],
  ['COALESCE', { sources: [SOURCE, 'B'] }, { A: '', B: 'b' }, 'b'],
  ['COMBINE_COLUMNS', { sources: [SOURCE, 'B'] }, { A: 'a', B: 'b' }, { [SOURCE]: 'a', B: 'b' }],
  [
    'APPLY_DIFF',
    { original_source: SOURCE, diff_source: 'B' },
    { A: 'a\nb\n', B: '--- a\n+++ b\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n' },
    'a\nc\n',
  ],
  ['TRAJECTORY', { trace_source: SOURCE, accepted_scenarios: [['search']] }, { A: trace }, true],
  ['VARIABLE', { value: { type: 'json', value: { a: 1 } } }, { A: 'x' }, { a: 1 }],
])('computes %s with %j', async (type, config, values, expected) => {
  const sheet = await sheetOf(values);
  const [cell] = await computed(sheet, { type, config });
  expect(cell).toMatchObject({ status: 'completed', value: expected, error: null });
});

it.concurrent.each<[string, object, string]>([
  ['REGEX', { source: SOURCE, regex_pattern: '(?=a)' }, 'lookahead'],
  ['JSON_PATH', { source: SOURCE, json_path: '$[' }, 'not a valid JSONPath'],
  ['XML_PATH', { source: SOURCE, xml_path: '//[' }, 'not a valid XPath'],
  ['HUMAN', { data_type: 'date', ui_element: { type: 'text' } }, 'data_type'],
  ['COMBINE_COLUMNS', { sources: [] }, 'at least 1'],
  ['MATH_OPERATOR', { sources: [SOURCE], operator: 'gt', value: '5' }, 'value'],
  ['TRAJECTORY', { trace_source: SOURCE }, 'accepted_scenarios'],
  ['VARIABLE', { value: null }, 'value'],
])('refuses %s with %j', async (type, config, problem) => {
  const sheet = await newSheet(me, ['x']);
  const answer = await me.request('POST', `${sheet.path}/columns`, { title: 'Bad', type, config });
  expect(answer.status).toBe(400);
  expect(JSON.stringify(answer.body)).toContain(problem);
});

it('computes the other rows when an expression does not end in one', async () => {
  const hostile = 'a'.repeat(200_000);
  const sheet = await newSheet(me, ['ab', hostile, 'b', 'aab']);
  const config = { source: SOURCE, regex_pattern: 'a.*b|a' };
  const cells = await computed(sheet, { type: 'REGEX_EXTRACTION', config });
  expect(cells.map(({ status, value }) => [status, value])).toEqual([
    ['completed', ['ab']],
    ['error', null],
    ['completed', []],
    ['completed', ['aab']],
  ]);
  expect(cells[1]!.error_message).toContain('took longer than');
});

it('computes columns with the new title of a source only where titles count', async () => {
  const sheet = await newSheet(me, ['a']);
  const combined = await addColumn(me, sheet, { title: 'All', type: 'COMBINE_COLUMNS', config: { sources: [SOURCE] } });
  const counted = await addColumn(me, sheet, { title: 'N', type: 'COUNT', config: { source: SOURCE, type: 'chars' } });
  await settled(me, sheet);
  const [before] = await cellsOf(me, sheet, counted.id);
  await me.patch(`${sheet.path}/columns/${sheet.columnId}`, { title: 'Renamed' });
  await me.post(`${sheet.path}/operations`, { operation: 'recalculate', statuses: [] }, 202);
  await settled(me, sheet);
  expect((await cellsOf(me, sheet, combined.id))[0]!.value).toEqual({ Renamed: 'a' });
  expect((await cellsOf(me, sheet, counted.id))[0]!.input_hash).toBe(before!.input_hash);
});

it('lets a person answer a HUMAN column within its limits', async () => {
  const sheet = await newSheet(me, ['x']);
  const config = { data_type: 'number', ui_element: { type: 'slider', min: 1, max: 5 } };
  const column = await addColumn(me, sheet, { title: 'Rating', type: 'HUMAN', config });
  const [cell] = await cellsOf(me, sheet, column.id);
  const refused = await me.request('PATCH', `${sheet.path}/cells/${cell!.id}`, { value: 9 });
  expect(refused.status).toBe(400);
  const { cell: answered } = await editCell(me, sheet, cell!, { value: 4 });
  expect(answered).toMatchObject({ value: 4 });
});

it('fails cells that read a deleted column', async () => {
  const sheet = await sheetOf({ A: 'a', B: 'b' });
  const column = await addColumn(me, sheet, {
    title: 'Both',
    type: 'COMBINE_COLUMNS',
    config: { sources: [SOURCE, 'B'] },
  });
  await settled(me, sheet);
  const b = column.dependencies[1]!.column_id;
  await me.request('DELETE', `${sheet.path}/columns/${b}`);
  await me.post(`${sheet.path}/operations`, { operation: 'recalculate', statuses: [] }, 202);
  await settled(me, sheet);
  const [cell] = await cellsOf(me, sheet, column.id);
  expect(cell).toMatchObject({ status: 'error' });
  expect(cell!.error_message).toContain('was deleted');
});

it('lists examples that can be sent unchanged', async () => {
  const { column_types: types } = (await me.get('/api/public/v2/column-types')) as {
    column_types: { example: object | null }[];
  };
  const examples = types.flatMap(({ example }) => example ?? []);
  expect(examples.length).toBeGreaterThan(5);
  const sheet = await newSheet(me);
  for (const example of examples) await me.post(`${sheet.path}/columns`, example, 201);
});

it('says of every type where forms offer it and of every key whether many columns need it', async () => {
  interface Field {
    'x-order': number;
    'x-advanced'?: boolean;
    'x-picker'?: string;
  }
  const { column_types: types } = (await me.get('/api/public/v2/column-types')) as {
    column_types: {
      type: string;
      group: string;
      creatable: boolean;
      verdicts: boolean;
      source_keys: string[];
      config_schema: { properties: Record<string, Field>; required: string[] };
    }[];
  };
  const MOST_FIELDS = 5;
  for (const { type, creatable, source_keys, config_schema } of types) {
    const fields = Object.entries(config_schema.properties);
    const main = fields.filter(([, field]) => !field['x-advanced']).map(([key]) => key);
    if (creatable) expect([type, main.length <= MOST_FIELDS]).toEqual([type, true]);
    expect([type, config_schema.required.filter((key) => !main.includes(key))]).toEqual([type, []]);
    expect([type, new Set(fields.map(([, field]) => field['x-order'])).size]).toEqual([type, fields.length]);
    expect([
      type,
      fields
        .filter(([, field]) => field['x-picker'] === 'columns')
        .map(([key]) => key)
        .toSorted(),
    ]).toEqual([type, source_keys.toSorted()]);
  }
  const typeOf = (name: string) => types.find(({ type }) => type === name)!;
  const groups = ['LLM_ASSERTION', 'CONTAINS', 'COUNT', 'ENDPOINT', 'HUMAN'].map((name) => typeOf(name).group);
  expect(groups).toEqual(['ask', 'check', 'compute', 'outside', 'people']);
  expect(typeOf('LLM_ASSERTION').config_schema.properties.engine).toMatchObject({ 'x-picker': 'models' });
  expect(types.filter(({ verdicts }) => verdicts).map(({ type }) => type)).toEqual(
    expect.arrayContaining(['LLM_ASSERTION', 'CONTAINS', 'REGEX']),
  );
});
