import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { addCount, newSheet } from '../support/factories.js';
import { logCall } from '../support/otlp.js';
import {
  base64,
  contentOf,
  createFrom,
  createSheet,
  ended,
  newTable,
  type Sheet,
  sheetsOf,
} from '../support/sheets.js';
import { TestApp } from '../support/test-app.js';

let app: TestApp;
let me: Client;

beforeAll(async () => {
  app = await TestApp.own();
  me = app.client;
});
afterAll(() => app.stop());

const file = (content: string, name = 'Answers.csv') => ({
  type: 'file',
  file_name: name,
  file_content_base64: base64(content),
});
const order = async (sheets: string) => (await sheetsOf(me, sheets)).map(({ title, index }) => [index, title]);

describe('a blank sheet', () => {
  it('has one text column and one empty row, and no version yet', async () => {
    const { sheets, id } = await newTable(me);
    const sheet = await createSheet(me, sheets);
    expect(sheet).toMatchObject({ table_id: id, title: 'Sheet 1', index: 0, row_count: 1, version_count: 0 });
    expect(await contentOf(me, `${sheets}/${sheet.id}`)).toEqual({
      titles: ['Column A'],
      rows: [[null]],
      indexes: [0],
    });
  });

  it('is called by the number of sheets the table ever had, but never like another one', async () => {
    const { sheets } = await newTable(me, true);
    const second = await createSheet(me, sheets);
    await me.delete(`${sheets}/${second.id}`);
    const third = await createSheet(me, sheets);
    await createSheet(me, sheets, { title: 'Sheet 5' });
    const last = await createSheet(me, sheets);
    expect([second.title, third.title, last.title]).toEqual(['Sheet 2', 'Sheet 3', 'Sheet 6']);
  });

  it('may have the title of another one, and keys nobody knows are ignored', async () => {
    const { sheets } = await newTable(me);
    const body = { title: 'Same', unknown: { a: 1 }, source: null, index: null, operation_id: null };
    expect([await createSheet(me, sheets, body), await createSheet(me, sheets, body)]).toMatchObject([
      { title: 'Same', index: 0 },
      { title: 'Same', index: 1 },
    ]);
  });

  it('goes where it is wanted, and the others move on without a version', async () => {
    const { sheets } = await newTable(me);
    for (const title of ['a', 'b', 'c']) await createSheet(me, sheets, { title });
    expect(await createSheet(me, sheets, { title: 'x', index: 1 })).toMatchObject({ index: 1 });
    expect(await createSheet(me, sheets, { title: 'y', index: 99 })).toMatchObject({ index: 4 });
    expect(await order(sheets)).toEqual([
      [0, 'a'],
      [1, 'x'],
      [2, 'b'],
      [3, 'c'],
      [4, 'y'],
    ]);
    expect((await sheetsOf(me, sheets)).map(({ version_count }) => version_count)).toEqual([0, 0, 0, 0, 0]);
  });

  it('gets a position of its own when many are created at once', async () => {
    const { sheets } = await newTable(me);
    await Promise.all(Array.from({ length: 8 }, () => createSheet(me, sheets, { index: 0 })));
    expect((await sheetsOf(me, sheets)).map(({ index }) => index)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    expect(new Set((await sheetsOf(me, sheets)).map(({ title }) => title)).size).toBe(8);
  });

  it.each([
    [{ title: '  ' }, 422],
    [{ title: 'x'.repeat(256) }, 422],
    [{ title: 7 }, 422],
    [{ index: -1 }, 422],
    [{ index: 1.5 }, 422],
    [{ index: 1e300 }, 422],
    [{ operation_id: '' }, 422],
    [{ source: 'file' }, 422],
    [{ source: {} }, 422],
    [{ source: { type: 'nonsense' } }, 422],
    [{ source: { type: 'file' } }, 422],
    [{ source: { type: 'file', file_name: 1, file_content_base64: 'aW5wdXQK' } }, 422],
    [{ source: { type: 'file', file_name: 'a.csv', file_content_base64: [] } }, 422],
    [{ source: { type: 'request_logs', request_log_ids: ['1'] } }, 422],
    [{ source: { type: 'request_logs', start_time: 'yesterday' } }, 422],
    [{ source: { type: 'request_logs', limit: 50_001 } }, 422],
    [{ source: { type: 'request_logs', include_fields: ['nonsense'] } }, 400],
    [{ source: { type: 'request_logs', variables_to_parse: ['x'.repeat(256)] } }, 400],
    [{ source: { type: 'request_logs', sort_by: 'cost' } }, 400],
    [{ source: { type: 'file', file_name: 'a.xlsx', file_content_base64: 'aW5wdXQK' } }, 400],
    [{ operation_id: 'mine' }, 400],
  ])('is not created for %j: %i', async (body, status) => {
    const { sheets } = await newTable(me);
    await me.post(sheets, body, status);
    expect(await sheetsOf(me, sheets)).toEqual([]);
  });

  it('is not created in a table that does not exist', async () => {
    await me.post(`/api/public/v2/tables/${randomUUID()}/sheets`, {}, 404);
    await me.post(`/api/public/v2/tables/${randomUUID()}/sheets`, { source: file('a\n', 'a.txt') }, 404);
  });
});

describe('a sheet from a file', () => {
  it('has its columns and nothing else when it is answered, and the operation is queued', async () => {
    const { sheets } = await newTable(me);
    const created = await createFrom(me, sheets, { title: 'My evaluation', source: file('input\n', 'x #2.csv') });
    expect(created).toMatchObject({
      success: true,
      sheet: { title: 'My evaluation', index: 0 },
      operation: { operation_id: created.operation_id, status: 'queued', source: 'file', file_name: 'x #2.csv' },
    });
    expect(await contentOf(me, `${sheets}/${created.sheet.id}`)).toEqual({ titles: ['input'], rows: [], indexes: [] });
    expect(await ended(me, sheets, created.operation_id)).toMatchObject({
      status: 'completed',
      progress: 100,
      rows_added: 0,
      row_count: 0,
    });
  });

  it('is called like the file unless it has a title', async () => {
    const { sheets } = await newTable(me);
    const titleOf = async (name: string) =>
      (await createFrom(me, sheets, { source: file('a\n1\n', name) })).sheet.title;
    expect(await titleOf('Answers of May.csv')).toBe('Answers of May');
    expect(await titleOf(`${'x'.repeat(400)}.CSV`)).toBe('x'.repeat(255));
    expect(await titleOf('.csv')).toBe('Sheet 3');
  });

  it('takes its place among the others and has one version once it is filled', async () => {
    const { sheets } = await newTable(me, true);
    const created = await createFrom(me, sheets, { index: 0, source: file('a,b\n1,2\n3,4\n') });
    await ended(me, sheets, created.operation_id);
    const [first] = await sheetsOf(me, sheets);
    expect(first).toMatchObject({ id: created.sheet.id, index: 0, row_count: 2, version_count: 1 });
  });

  it('is created once under one name, and the name cannot be used for something else', async () => {
    const [{ sheets }, other] = [await newTable(me), await newTable(me)];
    const body = { operation_id: randomUUID(), source: file('a\n1\n') };
    const answers = await Promise.all(Array.from({ length: 4 }, () => createFrom(me, sheets, body)));
    expect(new Set(answers.map(({ sheet }) => sheet.id)).size).toBe(1);
    expect(await sheetsOf(me, sheets)).toHaveLength(1);
    expect(await me.post(other.sheets, body, 400)).toMatchObject({ error: 'import_operation_id_taken' });
    const sheet = await newSheet(me);
    const logs = { filter_group: { filters: [] }, operation_id: body.operation_id };
    expect(await me.post(`${sheet.path}/imports/request-logs`, logs, 400)).toMatchObject({
      error: 'import_operation_id_taken',
    });
  });

  it('stays without rows when a row of the file does not fit', async () => {
    const { sheets } = await newTable(me);
    const created = await createFrom(me, sheets, { source: file('a,b\n1,2\n3\n') });
    expect(await ended(me, sheets, created.operation_id)).toMatchObject({
      status: 'failed',
      error_message: expect.stringMatching(/Row 2 .*1 field.* 2 columns/),
    });
    expect(await contentOf(me, `${sheets}/${created.sheet.id}`)).toMatchObject({ titles: ['a', 'b'], rows: [] });
  });
});

describe('a sheet from request logs', () => {
  it('holds those that were asked for, in both ways to ask', async () => {
    const [early, late] = [await logCall(me, { output: 'early' }), await logCall(me, { output: 'late' })];
    const { sheets } = await newTable(me);
    const outputs = async (source: object) => {
      const created = await createFrom(me, sheets, { source: { type: 'request_logs', ...source } });
      expect(created.operation).toMatchObject({ status: 'queued', source: 'request_logs', file_name: null });
      await ended(me, sheets, created.operation_id);
      const { titles, rows } = await contentOf(me, `${sheets}/${created.sheet.id}`);
      return rows.map((row) => row[titles.indexOf('output')]);
    };
    expect(await outputs({ request_log_ids: [late, early] })).toEqual(['late', 'early']);
    expect(await outputs({ q: 'late' })).toEqual(['late']);
    expect(await outputs({ q: 'late', prompt_id: 999_999 })).toEqual([]);
    expect(await outputs({ prompt_version_id: 999_999, prompt_label_id: 999_999 })).toEqual([]);
    expect((await outputs({ start_time: '2020-01-01T00:00:00Z' })).toSorted()).toEqual(['early', 'late']);
    expect(await outputs({ end_time: '2020-01-01T00:00:00Z' })).toEqual([]);
    expect(await sheetsOf(me, sheets)).toMatchObject([{ title: 'Request Logs' }, {}, {}, {}, {}, {}]);
  });
});

describe('a change of a sheet', () => {
  const change = (sheets: string, { id }: Sheet, body: object) =>
    me.patch(`${sheets}/${id}`, body) as Promise<{ sheet: Sheet; version: number }>;

  it('renames and moves it, as one version', async () => {
    const { sheets } = await newTable(me);
    const [a, , c] = [
      await createSheet(me, sheets, { title: 'a' }),
      await createSheet(me, sheets, { title: 'b' }),
      await createSheet(me, sheets, { title: 'c' }),
    ];
    expect(await change(sheets, c, { title: 'first', index: 0 })).toMatchObject({
      sheet: { title: 'first', index: 0, version_count: 1 },
      version: 1,
    });
    expect(await order(sheets)).toEqual([
      [0, 'first'],
      [1, 'a'],
      [2, 'b'],
    ]);
    expect(await change(sheets, a, { index: 99 })).toMatchObject({ sheet: { index: 2 }, version: 1 });
    expect((await sheetsOf(me, sheets)).map(({ title, version_count }) => [title, version_count])).toEqual([
      ['first', 1],
      ['b', 0],
      ['a', 1],
    ]);
  });

  it('that changes nothing is no version', async () => {
    const { sheets } = await newTable(me);
    const sheet = await createSheet(me, sheets, { title: 'a' });
    for (const body of [{}, { title: 'a' }, { index: 0 }, { index: 7 }, { title: null, index: null }, { unknown: 1 }]) {
      expect(await change(sheets, sheet, body)).toMatchObject({ version: 0, sheet: { title: 'a', index: 0 } });
    }
  });

  it.each([{ title: '' }, { title: 'x'.repeat(256) }, { title: 1 }, { index: -1 }, { index: 'x' }])(
    'to %j is refused with 422',
    async (body) => {
      const { sheets } = await newTable(me);
      const sheet = await createSheet(me, sheets);
      await me.patch(`${sheets}/${sheet.id}`, body, 422);
    },
  );

  it('by many at once leaves the positions without gaps', async () => {
    const { sheets } = await newTable(me);
    const all: Sheet[] = [];
    for (let count = 0; count < 6; count++) all.push(await createSheet(me, sheets));
    await Promise.all(all.map((sheet, index) => change(sheets, sheet, { index: 5 - index })));
    expect((await sheetsOf(me, sheets)).map(({ index }) => index)).toEqual([0, 1, 2, 3, 4, 5]);
  });
});

describe('a deleted sheet', () => {
  it('is gone with everything in it, the others close up, and the deed is on record', async () => {
    const { sheets } = await newTable(me);
    const [a, b, c] = [await createSheet(me, sheets), await createSheet(me, sheets), await createSheet(me, sheets)];
    expect(await me.delete(`${sheets}/${b.id}`)).toMatchObject({ success: true });
    for (const path of ['', '/rows', '/columns', '/operations']) await me.get(`${sheets}/${b.id}${path}`, 404);
    await me.delete(`${sheets}/${b.id}`, 404);
    expect((await sheetsOf(me, sheets)).map(({ id, index }) => [id, index])).toEqual([
      [a.id, 0],
      [c.id, 1],
    ]);
    const entries = await app.sql(`SELECT action FROM audit_entries WHERE entity_id = $1`, [b.id]);
    expect(entries).toEqual([{ action: 'sheet.delete' }]);
  });

  it('needs the permission to delete', async () => {
    const { sheets } = await newTable(me);
    const sheet = await createSheet(me, sheets);
    const { workspaces } = (await app.operator().get('/api/admin/v1/workspaces')) as { workspaces: { id: number }[] };
    const keys = `/api/admin/v1/workspaces/${workspaces[0]!.id}/api-keys`;
    const { secret } = (await app.operator().post(keys, { role: 'viewer' }, 201)) as { secret: string };
    const viewer = app.clientWith(secret);
    await viewer.delete(`${sheets}/${sheet.id}`, 403);
    await viewer.patch(`${sheets}/${sheet.id}`, { title: 'x' }, 403);
    await viewer.post(sheets, {}, 403);
  });

  it('takes along what was being computed and imported', async () => {
    const idle = await TestApp.own({ works: false });
    try {
      const client = idle.client;
      const sheet = await newSheet(client, ['text']);
      await addCount(client, sheet, 'Length');
      await client.post(
        `${sheet.path}/imports/request-logs`,
        { filter_group: { filters: [] }, operation_id: 'x' },
        202,
      );
      await client.delete(sheet.path);
      expect(await idle.sql('SELECT status FROM executions')).toEqual([{ status: 'cancelled' }]);
      expect(await idle.sql('SELECT count(*)::int FROM computation_tasks')).toEqual([{ count: 0 }]);
      const operation = await client.get(`/api/public/v2/tables/${sheet.tableId}/sheets/operations/x`);
      expect(operation).toMatchObject({ operation: { status: 'failed', error_message: 'The sheet was deleted.' } });
    } finally {
      await idle.stop();
    }
  });
});
