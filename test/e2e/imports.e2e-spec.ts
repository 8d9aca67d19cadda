import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import {
  addColumn,
  addCount,
  cellsOf,
  importLogs,
  type ImportOperation,
  newSheet,
  readRows,
  settled,
  type TestSheet,
  valuesOf,
  versionOf,
} from '../support/factories.js';
import { logCall } from '../support/otlp.js';
import { TestApp } from '../support/test-app.js';

let app: TestApp;
/** Has three logs: a is the oldest and dearest, c the newest and cheapest. */
let me: Client;
let a: number;
let b: number;
let c: number;

beforeAll(async () => {
  app = await TestApp.start();
  me = app.client;
  const from = (second: number, ms: number) => ({
    startTimeUnixNano: `${1_780_000_000 + second}000000000`,
    endTimeUnixNano: `${1_780_000_000 + second}${ms}000000`,
  });
  a = await logCall(
    me,
    {
      input: 'Question a',
      output: 'Answer a',
      inputTokens: 300,
      more: { 'promptlayer.prompt.variables': '{"city":"Paris"}' },
    },
    from(1, 300),
  );
  b = await logCall(me, { input: 'Question b', output: 'Answer b', inputTokens: 200, model: 'gpt-4o' }, from(2, 200));
  c = await logCall(
    me,
    { input: 'Question c', output: 'Answer c', inputTokens: 100, provider: 'anthropic', model: 'claude-sonnet-4-5' },
    from(3, 100),
  );
});
afterAll(() => app.stop());

const ALL = { filter_group: { filters: [] } };
const outputs = async (sheet: TestSheet): Promise<unknown[]> => {
  const { columns, data } = await readRows(me, sheet);
  const { id } = columns.find(({ title }) => title === 'output')!;
  return data.map(({ cells }) => cells[id]!.value);
};

async function imported(body: object): Promise<TestSheet> {
  const sheet = await newSheet(me);
  expect(await importLogs(me, sheet, body)).toMatchObject({ status: 'completed', error_message: null });
  return sheet;
}

const start = (sheet: TestSheet, body: object, status = 202) =>
  me.post(`${sheet.path}/imports/request-logs`, body, status);

describe('an import of request logs', () => {
  it('is accepted at once and found under its status URL until it is completed', async () => {
    const sheet = await newSheet(me);
    const before = await versionOf(me, sheet);
    const started = (await start(sheet, ALL)) as {
      operation_id: string;
      operation: ImportOperation;
      status_url: string;
    };
    expect(started).toMatchObject({
      success: true,
      operation: {
        operation_id: started.operation_id,
        source: 'request_logs',
        status: 'queued',
        progress: 0,
        rows_added: null,
        error_message: null,
      },
    });
    expect(started.status_url).toBe(`/api/public/v2/tables/${sheet.tableId}/sheets/operations/${started.operation_id}`);
    const operation = await importLogs(me, sheet, { ...ALL, operation_id: started.operation_id });
    expect(operation).toMatchObject({
      status: 'completed',
      progress: 100,
      rows_added: 3,
      row_count: 3,
      error_message: null,
    });
    expect(await versionOf(me, sheet)).toBe(before + 1);
  });

  it('brings the newest first, with the prompt and the answer as texts', async () => {
    const sheet = await imported(ALL);
    const { columns } = await readRows(me, sheet);
    expect(columns.map(({ title, type }) => [title, type])).toEqual(
      expect.arrayContaining([
        ['input', 'TEXT'],
        ['output', 'TEXT'],
      ]),
    );
    expect(await outputs(sheet)).toEqual(['Answer c', 'Answer b', 'Answer a']);
    expect(JSON.stringify(await valuesOf(me, sheet))).toContain('Question a');
  });

  it('brings exactly the ids it was given, in their order, and leaves out unknown and repeated ones', async () => {
    const sheet = await imported({
      request_log_ids: [b, 999_999_999, a, b],
      filter_group: { filters: [{ field: 'engine', operator: 'is', value: 'nothing' }] },
    });
    expect(await outputs(sheet)).toEqual(['Answer b', 'Answer a']);
  });

  it('leaves out an id beyond every possible one', async () => {
    expect(await outputs(await imported({ request_log_ids: [Number.MAX_SAFE_INTEGER, c] }))).toEqual(['Answer c']);
  });

  it.each([
    [
      { filter_group: { filters: [{ field: 'provider_type', operator: 'is', value: 'openai' }] } },
      ['Answer b', 'Answer a'],
    ],
    [{ ...ALL, q: 'question b' }, ['Answer b']],
    [
      {
        filter_group: {
          logic: 'OR',
          filters: [
            { field: 'engine', operator: 'is', value: 'gpt-4o' },
            { field: 'input_tokens', operator: 'lt', value: 150 },
          ],
        },
      },
      ['Answer c', 'Answer b'],
    ],
    [{ ...ALL, sort_by: 'input_tokens', sort_order: 'desc' }, ['Answer a', 'Answer b', 'Answer c']],
    [{ ...ALL, sort_by: 'latency_ms', sort_order: 'asc' }, ['Answer c', 'Answer b', 'Answer a']],
    [{ ...ALL, limit: 2 }, ['Answer c', 'Answer b']],
    [{ ...ALL, sort_by: 'request_start_time', sort_order: 'asc', limit: 1 }, ['Answer a']],
    [
      {
        ...ALL,
        metadata_cost_breakdown_key: 'anything',
        q: null,
        sort_by: null,
        sort_order: null,
        operation_id: null,
        include_fields: null,
        limit: null,
      },
      ['Answer c', 'Answer b', 'Answer a'],
    ],
  ])('with %j imports %j', async (body, expected) => {
    expect(await outputs(await imported(body))).toEqual(expected);
  });

  it('makes a column of every variable asked for and of every further fact', async () => {
    const sheet = await imported({
      request_log_ids: [a, c],
      variables_to_parse: ['city', 'absent'],
      include_fields: ['engine', 'input_tokens', 'metadata.nothing', 'status'],
    });
    const { columns } = await readRows(me, sheet);
    expect(columns.map(({ title }) => title)).toEqual([
      'city',
      'absent',
      'input',
      'output',
      'engine',
      'input_tokens',
      'metadata.nothing',
      'status',
    ]);
    const [first, second] = await valuesOf(me, sheet);
    expect([first![1], ...first!.slice(4)]).toEqual([null, 'gpt-4o-mini', 300, null, 'SUCCESS']);
    expect(second!.slice(4, 6)).toEqual(['claude-sonnet-4-5', 100]);
  });

  it('has the errors next to the outputs when one of the calls has one, and once', async () => {
    const client = await app.stranger();
    const status = { code: 2, message: '429 Rate limit reached' };
    const failed = await logCall(client, { input: 'Question d' }, { status });
    const other = await logCall(client, { input: 'Question e', output: 'Answer e' });
    const titlesAfter = async (body: object) => {
      const sheet = await newSheet(client);
      await importLogs(client, sheet, body);
      const { columns } = await readRows(client, sheet);
      const titles = columns.map(({ title }) => title).slice(columns.findIndex(({ title }) => title === 'output'));
      return { titles, values: (await valuesOf(client, sheet)).map((row) => row.slice(-titles.length)) };
    };
    const both = { request_log_ids: [failed, other], include_fields: ['engine'] };
    const { titles, values } = await titlesAfter(both);
    expect(titles).toEqual(['output', 'error', 'engine']);
    expect(values.map(([, error]) => error)).toEqual(['429 Rate limit reached', null]);
    expect((await titlesAfter({ ...both, include_fields: ['engine', 'error'] })).titles).toEqual([
      'output',
      'engine',
      'error',
    ]);
    expect((await titlesAfter({ request_log_ids: [other] })).titles).toEqual(['output']);
  });

  it('keeps numbers as numbers, without what calculating with doubles has left', async () => {
    const client = await app.stranger();
    const id = await logCall(client, { inputTokens: 199, outputTokens: 3 }, { endTimeUnixNano: '1780000000250000000' });
    const include_fields = ['request_id', 'cost', 'latency_ms', 'input_tokens', 'output_tokens', 'prompt_id'];
    const sheet = await newSheet(client);
    await importLogs(client, sheet, { request_log_ids: [id], variables_to_parse: ['none'], include_fields });
    const [row] = await valuesOf(client, sheet);
    const price = (199 * 0.15 + 3 * 0.6) / 1e6;
    expect(row!.slice(3)).toEqual([id, Number(price.toPrecision(12)), 250, 199, 3, null]);
    const jsonl = (await client.request('GET', `${sheet.path}/export?format=jsonl`)).bytes.toString();
    expect(jsonl).toContain(`"cost":${Number(price.toPrecision(12))},"latency_ms":250,"input_tokens":199,`);
    const csv = (await client.request('GET', `${sheet.path}/export?format=csv`)).bytes.toString();
    expect(csv).toContain(`,${Number(price.toPrecision(12))},250,199,3,`);
  });

  it('replaces the blank column and row of a new sheet', async () => {
    const sheet = await imported(ALL);
    const { columns, data } = await readRows(me, sheet);
    expect(columns.map(({ title }) => title)).not.toContain('Column A');
    expect(data.map(({ row_index }) => row_index)).toEqual([0, 1, 2]);
  });

  it('goes below the rows of a sheet in use, into the columns of the same title, and leaves the rest blank', async () => {
    const sheet = await newSheet(me, ['mine']);
    const output = await addColumn(me, sheet, { title: 'output', type: 'TEXT' });
    await importLogs(me, sheet, { request_log_ids: [a] });
    const { columns, data } = await readRows(me, sheet);
    expect(columns.filter(({ title }) => title === 'output')).toEqual([output]);
    expect(data.map((row) => [row.row_index, row.cells[sheet.columnId]!.value, row.cells[output.id]!.value])).toEqual([
      [0, 'mine', null],
      [1, null, 'Answer a'],
    ]);
  });

  it('leaves computed cells of its rows stale and computes nothing', async () => {
    const sheet = await newSheet(me, ['mine']);
    await addColumn(me, sheet, { title: 'output', type: 'TEXT' });
    const length = await addCount(me, sheet, 'Length', 'output');
    await settled(me, sheet);
    await importLogs(me, sheet, { request_log_ids: [a] });
    expect((await cellsOf(me, sheet, length.id)).map(({ status }) => status)).toEqual(['completed', 'stale']);
  });

  it('can be repeated: the rows are then there twice', async () => {
    const sheet = await imported({ request_log_ids: [a] });
    expect(await importLogs(me, sheet, { request_log_ids: [a] })).toMatchObject({ rows_added: 1, row_count: 2 });
    expect(await outputs(sheet)).toEqual(['Answer a', 'Answer a']);
  });
});

describe('an import that cannot succeed', () => {
  it.each([
    [{ request_log_ids: [999_999_999] }],
    [{ filter_group: { filters: [{ field: 'engine', operator: 'is', value: 'nothing' }] } }],
    [{ ...ALL, q: 'words nobody wrote' }],
  ])('because nothing matches (%j) fails with a reason and leaves the sheet as it was', async (body) => {
    const sheet = await newSheet(me);
    const before = await readRows(me, sheet);
    expect(await importLogs(me, sheet, body)).toMatchObject({
      status: 'failed',
      rows_added: null,
      error_message: expect.stringMatching(/no requests/i),
    });
    expect(await readRows(me, sheet)).toEqual(before);
  });

  it('because a column of that title is computed fails and leaves the sheet as it was', async () => {
    const sheet = await newSheet(me, ['mine']);
    await addCount(me, sheet, 'output');
    await settled(me, sheet);
    const before = await readRows(me, sheet);
    expect(await importLogs(me, sheet, ALL)).toMatchObject({
      status: 'failed',
      error_message: expect.stringContaining('"output"'),
    });
    expect(await readRows(me, sheet)).toEqual(before);
  });

  it('does not see the logs of another workspace', async () => {
    const stranger = await app.stranger();
    const sheet = await newSheet(stranger);
    expect(await importLogs(stranger, sheet, { request_log_ids: [a, b, c] })).toMatchObject({ status: 'failed' });
  });

  it.each([
    [{}, 'import_selection_missing'],
    [{ filter_group: null, request_log_ids: null }, 'import_selection_missing'],
    [{ ...ALL, sort_by: 'cost' }, 'import_sort_incomplete'],
    [{ ...ALL, sort_order: 'asc' }, 'import_sort_incomplete'],
    [{ ...ALL, include_fields: ['engine', 'nonsense'] }, 'import_field_unknown'],
    [{ ...ALL, include_fields: ['metadata.'] }, 'import_field_unknown'],
    [{ ...ALL, include_fields: ['constructor'] }, 'import_field_unknown'],
    [{ ...ALL, unknown_key: 1 }, 'validation_error'],
    [{ ...ALL, sort_by: 'nonsense', sort_order: 'asc' }, 'validation_error'],
    [{ request_log_ids: [] }, 'validation_error'],
    [{ request_log_ids: [0] }, 'validation_error'],
    [{ request_log_ids: [-1] }, 'validation_error'],
    [{ request_log_ids: [1e300] }, 'validation_error'],
    [{ request_log_ids: ['1'] }, 'validation_error'],
    [{ ...ALL, limit: 0 }, 'validation_error'],
    [{ ...ALL, limit: 50_001 }, 'validation_error'],
    [{ ...ALL, variables_to_parse: [1] }, 'validation_error'],
    [{ filter_group: [] }, 'validation_error'],
    [{ filter_group: { filters: 'x' } }, expect.any(String)],
    [{ filter_group: { filters: [{ field: 'nonsense', operator: 'is', value: 1 }] } }, expect.any(String)],
    [{ filter_group: { filters: [{ field: 'engine', operator: 'gt', value: 1 }] } }, expect.any(String)],
  ])('because of its body is refused with 400: %j', async (body, error) => {
    const sheet = await newSheet(me);
    expect(await start(sheet, body, 400)).toMatchObject({
      success: false,
      message: expect.stringMatching(/\w/),
      error,
    });
  });

  it('is refused with 404 below a sheet or table that does not exist', async () => {
    const [sheet, other] = [await newSheet(me), await newSheet(me)];
    await start({ ...sheet, path: sheet.path.replace(sheet.id, randomUUID()) }, ALL, 404);
    await start({ ...sheet, path: sheet.path.replace(sheet.id, other.id) }, ALL, 404);
  });
});

describe('the name of an operation', () => {
  it('may be any text, and finds the operation in its table only', async () => {
    const [sheet, other] = [await newSheet(me), await newSheet(me)];
    const name = `my import/№ 1?&# ${randomUUID()}`;
    const started = (await start(sheet, { ...ALL, operation_id: name })) as {
      operation_id: string;
      status_url: string;
    };
    expect(started.operation_id).toBe(name);
    expect(await me.get(started.status_url)).toMatchObject({ operation: { operation_id: name } });
    expect(await me.get(started.status_url.replace(sheet.tableId, other.tableId), 404)).toMatchObject({
      error: 'import_operation_not_found',
    });
    expect(await me.get(`${sheet.path.replace(/[^/]+$/, '')}operations/unknown`, 404)).toMatchObject({
      error: 'import_operation_not_found',
    });
  });

  it('starts an import once: used again for the sheet it gives the same operation, whatever became of it', async () => {
    const sheet = await newSheet(me);
    const operation_id = randomUUID();
    const first = await importLogs(me, sheet, { ...ALL, operation_id });
    expect(await importLogs(me, sheet, { ...ALL, operation_id })).toEqual(first);
    expect((await readRows(me, sheet)).row_count).toBe(3);
  });

  it('starts one import when it is used several times at once', async () => {
    const sheet = await newSheet(me);
    const body = { ...ALL, operation_id: randomUUID() };
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => me.request('POST', `${sheet.path}/imports/request-logs`, body)),
    );
    expect(answers.every(({ status }) => status === 202)).toBe(true);
    await importLogs(me, sheet, body);
    expect((await readRows(me, sheet)).row_count).toBe(3);
  });

  it('cannot be used for another sheet', async () => {
    const [sheet, other] = [await newSheet(me), await newSheet(me)];
    const operation_id = randomUUID();
    await start(sheet, { ...ALL, operation_id });
    expect(await start(other, { ...ALL, operation_id }, 400)).toMatchObject({ error: 'import_operation_id_taken' });
  });
});

describe('two imports into one sheet', () => {
  it('do not run at once: the second is rejected with 400 until the first has ended', async () => {
    const idle = await TestApp.start({ works: false });
    try {
      const sheet = await newSheet(idle.client);
      const url = `${sheet.path}/imports/request-logs`;
      await idle.client.post(url, ALL, 202);
      expect(await idle.client.post(url, ALL, 400)).toMatchObject({ error: 'import_running' });
      expect(
        await idle.client.post(`${(await newSheet(idle.client)).path}/imports/request-logs`, ALL, 202),
      ).toMatchObject({ success: true });
    } finally {
      await idle.stop();
    }
  });
});

describe('an edit of a blank sheet while an import replaces it', () => {
  it('is either refused or kept', async () => {
    for (let times = 0; times < 5; times++) {
      const sheet = await newSheet(me);
      const [cell] = await cellsOf(me, sheet, sheet.columnId);
      const edit = me.request('PATCH', `${sheet.path}/cells/${cell!.id}`, { value: 'mine' });
      const [{ status }] = await Promise.all([edit, importLogs(me, sheet, ALL)]);
      expect([200, 404]).toContain(status);
      if (status === 200) expect((await cellsOf(me, sheet, sheet.columnId))[0]).toMatchObject({ value: 'mine' });
    }
  });
});
