import { describe, expect, it } from 'vitest';
import { addColumn, cellsOf, newSheet, readRows, settled, type TestSheet, versionOf } from '../support/factories.js';
import type { VendorReply } from '../support/fake-vendors.js';
import { fresh, useModelApp } from '../support/model-app.js';
import { until } from '../support/until.js';

const used = useModelApp();

interface Preview {
  rows: {
    row_index: number;
    status: string;
    value: unknown;
    text: string | null;
    error_message: string | null;
    cost: number | null;
    reused: boolean;
    request_ids: number[];
    trace_ids: string[];
  }[];
  plan: { cell_count: number; cost: number | null; columns: { estimated_from: string | null }[] };
}

const preview = async (sheet: TestSheet, body: object, status = 200) =>
  (await used.app.client.post(`${sheet.path}/columns/preview`, body, status)) as Preview;
const verdict = (value: boolean): VendorReply => ({
  text: JSON.stringify({ reasoning: 'Because.', citation: '', value }),
});
/** A preview with a short time limit. */
const hastyPreview = (sheet: TestSheet, body: object, externalTimeLimitMs = 3000) =>
  used.app.withSettings({ externalTimeLimitMs }, () => preview(sheet, body));
const JUDGE = { type: 'LLM_ASSERTION', config: { source: 'Column A', prompt: 'Is it polite?' } };
const CONTAINS = { type: 'CONTAINS', config: { source: 'Column A', value: 'refund' } };

describe('a preview of a column', () => {
  it('computes the first three rows and plans all, and leaves the sheet as it was', async () => {
    const sheet = await newSheet(used.app.client, ['a refund', 'an order', null, 'refund', 'x']);
    const [version, before] = [await versionOf(used.app.client, sheet), await readRows(used.app.client, sheet)];
    const { rows, plan } = await preview(sheet, { title: 'Refund', ...CONTAINS });
    expect(rows.map(({ row_index, status, value }) => [row_index, status, value])).toEqual([
      [0, 'completed', true],
      [1, 'completed', false],
      [2, 'completed', null],
    ]);
    expect(plan).toMatchObject({ cell_count: 5, cost: 0, columns: [{ estimated_from: null }] });
    expect(await versionOf(used.app.client, sheet)).toBe(version);
    expect(await readRows(used.app.client, sheet)).toEqual(before);
    const added = await addColumn(used.app.client, sheet, { title: 'Refund', ...CONTAINS });
    await settled(used.app.client, sheet);
    const values = (await cellsOf(used.app.client, sheet, added.id)).map(({ value }) => value);
    expect(values.slice(0, 3)).toEqual(rows.map(({ value }) => value));
  });

  it('computes the rows that are named, in order, whatever else their types need', async () => {
    const sheet = await newSheet(used.app.client, ['{"a":1}', '{"a":2}', 'x', '{"a":4}']);
    const path = { type: 'JSON_PATH', config: { source: sheet.columnId, json_path: '$.a' } };
    const { rows } = await preview(sheet, { ...path, row_indices: [3, 0, 2] });
    expect(rows.map(({ row_index, status, value }) => [row_index, status, value])).toEqual([
      [0, 'completed', 1],
      [2, 'error', null],
      [3, 'completed', 4],
    ]);
    expect(rows[1]!.error_message).not.toBeNull();
    const code = { type: 'CODE_EXECUTION', config: { language: 'JAVASCRIPT', code: 'return data["Column A"].length' } };
    expect((await preview(sheet, { ...code, row_indices: [2] })).rows[0]).toMatchObject({
      value: 1,
      status: 'completed',
    });
  });

  it('calls the model as a trial, and adding the column reuses these results at no cost', async () => {
    const sheet = await newSheet(used.app.client, [fresh('kind'), fresh('rude')]);
    used.vendors.reply = ({ text }) => verdict(text.includes('kind'));
    used.vendors.calls.length = 0;
    const estimate = await preview(sheet, { ...JUDGE, compute: false });
    expect(estimate.rows).toEqual([]);
    expect(estimate.plan).toMatchObject({ cell_count: 2, columns: [{ estimated_from: 'template' }] });
    expect(estimate.plan.cost).toBeGreaterThan(0);
    expect(used.vendors.calls).toHaveLength(0);
    const { rows } = await preview(sheet, JUDGE);
    expect(rows.map(({ value }) => value)).toMatchObject([
      { 'Is it polite?': { value: true } },
      { 'Is it polite?': { value: false } },
    ]);
    expect(rows[0]!.cost).toBeGreaterThan(0);
    for (const { request_ids, trace_ids } of rows) {
      const log = await used.app.client.get(`/api/public/v2/requests/${request_ids[0]}`);
      expect(JSON.stringify(log)).toContain('"origin":"trial"');
      expect(trace_ids).toHaveLength(1);
    }
    expect(used.vendors.calls).toHaveLength(2);
    const again = await preview(sheet, JUDGE);
    expect(again.rows.map(({ reused }) => reused)).toEqual([true, true]);
    const forced = await preview(sheet, { ...JUDGE, force: true });
    expect(forced.rows.map(({ reused }) => reused)).toEqual([false, false]);
    expect(used.vendors.calls).toHaveLength(4);
    await addColumn(used.app.client, sheet, { title: 'Polite', ...JUDGE });
    await settled(used.app.client, sheet);
    expect(used.vendors.calls).toHaveLength(4);
  });

  it('contains the failure of one cell and the values of the others', async () => {
    const sheet = await newSheet(used.app.client, [fresh('good'), fresh('bad')]);
    used.vendors.reply = ({ text }) => (text.includes('bad') ? { status: 400, message: 'No.' } : verdict(true));
    const { rows } = await preview(sheet, JUDGE);
    expect(rows.map(({ status }) => status)).toEqual(['completed', 'error']);
    expect(rows[1]!.error_message).toContain('No.');
  });

  it.each([
    ['JAVASCRIPT', 'while (true) {}'],
    ['PYTHON', 'while True: pass'],
  ])('ends %s code that never ends', async (language, code) => {
    const sheet = await newSheet(used.app.client, ['a']);
    const { rows } = await hastyPreview(sheet, { type: 'CODE_EXECUTION', config: { language, code } });
    expect(rows[0]).toMatchObject({ status: 'error', value: null });
  });

  it('ends a call without an answer, and keeps the cells that were finished', async () => {
    const sheet = await newSheet(used.app.client, [fresh('quick'), fresh('hanging')]);
    used.vendors.reply = ({ text }) => (text.includes('hanging') ? 'hang' : verdict(true));
    const { rows } = await hastyPreview(sheet, JUDGE, 6000);
    expect(rows.map(({ status }) => status)).toEqual(['completed', 'error']);
    expect(rows[1]!.error_message).toContain('6 seconds');
    await until(() => Promise.resolve(used.vendors.open === 0));
  });

  it('does not compute from stale cells', async () => {
    const sheet = await newSheet(used.app.client, ['a', 'b']);
    const count = { type: 'COUNT', config: { source: 'Column A', type: 'chars' } };
    await addColumn(used.app.client, sheet, { title: 'Length', ...count, compute: false });
    const math = { type: 'MATH_OPERATOR', config: { sources: ['Length'], operator: 'gt', value: 0 } };
    expect((await preview(sheet, math)).rows.map(({ status, value }) => [status, value])).toEqual([
      ['stale', null],
      ['stale', null],
    ]);
  });

  it('answers with the beginning of a long value', async () => {
    const sheet = await newSheet(used.app.client, ['🙂'.repeat(200_000)]);
    const combine = { type: 'COMBINE_COLUMNS', config: { sources: ['Column A'], separator: ', ' } };
    const [row] = (await preview(sheet, combine)).rows;
    expect([row!.value, row!.text]).toEqual([null, '🙂'.repeat(2000)]);
  });

  it('is only a plan when the sheet has no rows', async () => {
    const sheet = await newSheet(used.app.client, ['x']);
    await used.app.client.delete(`${sheet.path}/rows`, 200, { row_indices: [0] });
    expect(await preview(sheet, CONTAINS)).toMatchObject({ rows: [], plan: { cell_count: 0 } });
  });
});

describe('a preview of a column is refused', () => {
  it.each<[string, object, number]>([
    ['for more than three rows', { ...CONTAINS, row_indices: [0, 1, 2, 3] }, 422],
    ['for no row', { ...CONTAINS, row_indices: [] }, 422],
    ['for a row that is not there', { ...CONTAINS, row_indices: [7] }, 404],
    ['for a row that is no number', { ...CONTAINS, row_indices: ['0'] }, 422],
    ['for a row beyond all numbers', { ...CONTAINS, row_indices: [1e300] }, 422],
    ['of text', { type: 'TEXT' }, 400],
    [
      'of a column that people answer',
      { type: 'HUMAN', config: { data_type: 'number', ui_element: { type: 'slider' } } },
      400,
    ],
    ['of an unknown type', { type: 'NOPE', config: {} }, 422],
    [
      'of a type of scorecards',
      { type: 'COLUMN_AGGREGATE', config: { source: 'Column A', aggregation: 'count' } },
      400,
    ],
    ['with a config that does not fit', { type: 'CONTAINS', config: { source: 'Column A' } }, 400],
    ['with an unknown column', { type: 'CONTAINS', config: { source: 'Nope', value: 'x' } }, 400],
    ['with a config that is no object', { type: 'CONTAINS', config: [] }, 422],
    ['with an unknown key', { ...CONTAINS, rows: 3 }, 422],
    ['with half a pair of surrogates for a type', { type: '\ud800', config: {} }, 422],
    ['with a dependency that is none', { ...CONTAINS, dependencies: [{ column_id: 'x' }] }, 422],
    ['with a switch that is none', { ...CONTAINS, compute: 'yes please' }, 422],
  ])('%s', async (_, body, status) => {
    const sheet = await newSheet(used.app.client, ['a', 'b', 'c', 'd']);
    await preview(sheet, body, status);
  });

  it('in a sheet of another workspace, and with its columns', async () => {
    const sheet = await newSheet(used.app.client, ['a']);
    const stranger = await used.app.stranger();
    await stranger.post(`${sheet.path}/columns/preview`, CONTAINS, 404);
    const theirs = await newSheet(stranger, ['x']);
    await preview(sheet, { type: 'CONTAINS', config: { source: theirs.columnId, value: 'x' } }, 400);
  });

  it('while too many others are under way, and taken again afterwards', async () => {
    const sheet = await newSheet(used.app.client, [fresh('x')]);
    const release = used.vendors.hold();
    const url = `${sheet.path}/columns/preview`;
    const statuses: number[] = [];
    const all = Promise.all(
      Array.from({ length: 6 }, async () => {
        const { status } = await used.app.client.request('POST', url, { ...JUDGE, force: true });
        statuses.push(status);
      }),
    );
    await until(() => Promise.resolve(statuses.length === 2));
    release();
    await all;
    expect(statuses).toEqual([429, 429, 200, 200, 200, 200]);
    used.vendors.reply = () => verdict(true);
    expect((await preview(sheet, JUDGE)).rows[0]!.status).toBe('completed');
  });
});
