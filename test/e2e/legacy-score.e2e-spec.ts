import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { addColumn, cellsOf, editCell, newSheet, settled, type TestSheet, versionOf } from '../support/factories.js';
import { calculated, calculateScore, configureScore, readScore, textSheet } from '../support/scores.js';
import { versionsOf } from '../support/versions.js';
import { TestApp } from '../support/test-app.js';

let app: TestApp;
let me: Client;
beforeAll(async () => {
  app = await TestApp.own();
  me = app.client;
});
afterAll(() => app.stop());

const contains = (client: Client, sheet: TestSheet, title: string, value: string, more: object = {}) =>
  addColumn(client, sheet, { title, type: 'CONTAINS', config: { source: 'Column A', value }, ...more });

describe('configuring a score', () => {
  it('stores the configuration, makes a version, and calculates nothing', async () => {
    const sheet = await textSheet(me, ['Verdict'], [['good']]);
    const before = await versionOf(me, sheet);
    const answer = await me.patch(`${sheet.path}/score`, {
      score_type: 'boolean',
      column_names: ['Verdict'],
      true_values: ['good'],
    });
    expect(answer).toEqual({
      success: true,
      message: expect.any(String),
      score_configuration_id: expect.any(String),
      status: null,
      requires_recalculation: true,
      version: before + 1,
    });
    expect(await readScore(me, sheet)).toMatchObject({
      scoring_type: 'boolean',
      status: null,
      aggregate_score: null,
      calculated_at: null,
      columns: [{ column_id: sheet.ids[0], score: null, included_count: 0, excluded_count: 1 }],
      score_configuration: {
        score_type: 'boolean',
        score_config: { column_ids: [sheet.ids[0]], true_values: ['good'] },
      },
    });
    const [version] = await versionsOf(me, sheet);
    expect(version!.deltas).toMatchObject([
      { type: 'score.configure', before: null, after: { score_type: 'boolean' } },
    ]);
  });

  it('replaces everything that was said before, with one version each', async () => {
    const sheet = await textSheet(me, ['A', 'B'], [['1', '2']]);
    await configureScore(me, sheet, { score_type: 'boolean', column_ids: [sheet.ids[0]], true_values: ['x'] });
    const { version } = await configureScore(me, sheet, { score_type: 'numeric', column_ids: [sheet.ids[1]] });
    expect(version).toBe(await versionOf(me, sheet));
    const { score_configuration: stored } = await readScore(me, sheet);
    expect(stored).toEqual({ score_type: 'numeric', score_config: { column_ids: [sheet.ids[1]] } });
    expect((await calculateScore(me, sheet)).aggregate_score).toBe(2);
  });

  it.each<[string, object, object]>([
    [
      'ids and names together, in order and each once',
      { column_ids: ['B'], column_names: ['A', 'B'] },
      { score_type: 'auto' },
    ],
    ['true_values without a type', { column_names: ['A'], true_values: ['x'] }, { score_type: 'boolean' }],
    ['an aggregation without a type', { column_names: ['A'], assertion_aggregation: 'all' }, { score_type: 'boolean' }],
    ['code without a type', { code: 'return {"score": 1}' }, { score_type: 'custom' }],
    ['code in score_config', { score_type: 'custom', score_config: { code: 'x' } }, { score_type: 'custom' }],
    [
      'columns in score_config',
      { score_type: 'numeric', score_config: { column_names: ['A'], other: 1 } },
      { score_type: 'numeric' },
    ],
    ['an empty score_config', { score_type: 'auto', score_config: {} }, { score_type: 'auto', score_config: {} }],
    [
      'null for all that may be left out',
      { score_type: null, score_config: null, column_names: ['A'], code: null, true_values: null },
      { score_type: 'auto' },
    ],
  ])('takes %s', async (_, body, stored) => {
    const sheet = await textSheet(me, ['A', 'B'], [['1', '2']]);
    const withIds = JSON.parse(
      JSON.stringify(body).replaceAll('"column_ids":["B"]', `"column_ids":["${sheet.ids[1]}"]`),
    ) as object;
    await configureScore(me, sheet, withIds);
    expect((await readScore(me, sheet)).score_configuration).toMatchObject(stored);
    if ('column_ids' in body) {
      expect((await readScore(me, sheet)).score_configuration!.score_config.column_ids).toEqual([
        sheet.ids[1],
        sheet.ids[0],
      ]);
    }
  });

  it.each<[string, object, number, string?]>([
    ['nothing', {}, 400, 'score_config_missing'],
    ['only a type', { score_type: 'auto' }, 400, 'score_config_missing'],
    ['no columns', { score_type: 'auto', column_ids: [] }, 400, 'score_config_missing'],
    ['score_config without a type', { score_config: { column_names: ['A'] } }, 400, 'score_type_missing'],
    ['custom without code', { score_type: 'custom', column_names: ['A'] }, 400, 'score_code_missing'],
    ['an unknown key', { column_names: ['A'], colums: [] }, 400],
    ['an unknown type', { score_type: 'magic', column_names: ['A'] }, 400],
    ['an unknown language', { code: 'x', code_language: 'RUBY' }, 400],
    ['code that is too long', { code: 'x'.repeat(50_001) }, 400],
    ['columns of the wrong type', { column_ids: 'A' }, 400],
    ['ids that are none', { column_ids: ['A'] }, 400],
    ['a score_config that is no object', { score_type: 'auto', score_config: [] }, 400],
    ['a score_config with wrong types', { score_type: 'auto', score_config: { column_ids: 'x' } }, 400],
    [
      'a text that passes and fails',
      { column_names: ['A'], true_values: ['x'], false_values: [' X '] },
      400,
      'score_values_ambiguous',
    ],
    ['a title of two columns', { column_names: ['Twice'] }, 400, 'column_reference_ambiguous'],
    ['a title of none', { column_names: ['None'] }, 404, 'column_not_found'],
    ['an id of no column', { column_ids: [randomUUID()] }, 404, 'column_not_found'],
    ['a name with NUL', { column_names: ['A\u0000'] }, 404, 'column_not_found'],
    ['a lone surrogate', { column_names: ['\ud800'] }, 404, 'column_not_found'],
  ])('refuses %s and leaves the sheet as it is', async (_, body, status, error) => {
    const sheet = await textSheet(me, ['A', 'Twice', 'Twice'], [['1', '2', '3']]);
    const before = await versionOf(me, sheet);
    const answer = await me.request('PATCH', `${sheet.path}/score`, body);
    expect(answer.status).toBe(status);
    expect(answer.body).toMatchObject({ success: false, message: expect.any(String), ...(error && { error }) });
    expect(await versionOf(me, sheet)).toBe(before);
    expect((await readScore(me, sheet)).score_configuration).toBeNull();
  });

  it('refuses the column of another sheet and a deleted one', async () => {
    const [sheet, other] = [await textSheet(me, ['A'], [['1']]), await textSheet(me, ['B'], [['1']])];
    await me.request('DELETE', `${sheet.path}/columns/${sheet.ids[0]}`);
    for (const id of [other.ids[0], sheet.ids[0]]) {
      expect((await me.request('PATCH', `${sheet.path}/score`, { column_ids: [id] })).status).toBe(404);
    }
  });

  it('is not possible for a sheet that does not exist', async () => {
    const sheet = await newSheet(me);
    const nowhere = sheet.path.replace(sheet.id, randomUUID());
    expect((await me.request('PATCH', `${nowhere}/score`, { column_names: ['Column A'] })).status).toBe(404);
    expect((await me.request('POST', `${nowhere}/score`, {})).status).toBe(404);
    expect((await me.request('GET', `${nowhere}/score`)).status).toBe(404);
  });
});

describe('a configured score', () => {
  it('over one boolean column has all forms that clients read', async () => {
    const sheet = await textSheet(me, ['Verdict'], [['yes'], ['no'], ['Pass'], [''], ['maybe'], ['1']]);
    const { score_configuration_id: id } = await configureScore(me, sheet, {
      score_type: 'boolean',
      column_ids: sheet.ids,
    });
    expect(await me.post(`${sheet.path}/score`, {}, 202)).toEqual({
      success: true,
      score_configuration_id: id,
      status: 'queued',
    });
    const score = await calculated(me, sheet);
    const column = {
      column_id: sheet.ids[0],
      title: 'Verdict',
      score: 0.75,
      included_count: 4,
      excluded_count: 2,
      resolved_scoring_type: 'boolean',
    };
    expect(score).toEqual({
      success: true,
      sheet_id: sheet.id,
      scoring_type: 'boolean',
      columns: [column],
      aggregate_score: 0.75,
      total_rows: 6,
      scored_rows: 4,
      excluded_rows: 2,
      calculated_at: expect.any(String),
      score_matrix: null,
      score_matrix_metrics: null,
      status: 'completed',
      score_calculation_error: null,
      has_custom_scoring: false,
      score_configuration: { score_type: 'boolean', score_config: { column_ids: sheet.ids } },
      score_type: 'single_column',
      overall_score: 0.75,
      details: { column_id: sheet.ids[0], column_name: 'Verdict', score: 0.75, score_type: 'boolean', num_skipped: 2 },
      aggregate: { value: 0.75, success_count: 3, total_count: 4 },
      per_column: { [sheet.ids[0]!]: column },
    });
  });

  it('over several columns is the mean of theirs, and counts rows where one of them has a score', async () => {
    const sheet = await textSheet(
      me,
      ['Verdict', 'Grade', 'Prose'],
      [
        ['yes', 4, 'one'],
        ['no', '', 'two'],
        ['', '8', 'three'],
        ['', '', 'four'],
      ],
    );
    await configureScore(me, sheet, { score_type: 'auto', column_ids: sheet.ids });
    const score = await calculateScore(me, sheet);
    expect(score).toMatchObject({
      aggregate_score: (0.5 + 6) / 2,
      score_type: 'multi_column',
      scored_rows: 3,
      excluded_rows: 1,
    });
    expect(score.columns.map((column) => [column.score, column.resolved_scoring_type, column.excluded_count])).toEqual([
      [0.5, 'boolean', 2],
      [6, 'numeric', 2],
      [null, null, 4],
    ]);
    expect(score.aggregate).toEqual({ value: 3.25 });
    expect((score.details as { columns: unknown[] }).columns).toHaveLength(3);
  });

  it('over columns without values to score is none', async () => {
    const sheet = await textSheet(me, ['Prose'], [['a'], ['b']]);
    await configureScore(me, sheet, { column_ids: sheet.ids });
    expect(await calculateScore(me, sheet)).toMatchObject({
      status: 'completed',
      score_type: 'none',
      aggregate_score: null,
      scored_rows: 0,
      details: { message: expect.any(String) },
    });
  });

  it('over a sheet without rows is none', async () => {
    const sheet = await newSheet(me);
    await me.request('DELETE', `${sheet.path}/rows`, { row_indices: [0] });
    await configureScore(me, sheet, { column_names: ['Column A'] });
    expect(await calculateScore(me, sheet)).toMatchObject({ status: 'completed', score_type: 'none', total_rows: 0 });
  });

  it('leaves out cells that failed although they keep an earlier value', async () => {
    const sheet = await textSheet(
      me,
      ['A', 'B'],
      [
        [6, 2],
        [9, 1],
      ],
    );
    const config = { sources: ['A', 'B'], operator: '/' };
    const { id } = await addColumn(me, sheet, { title: 'Quotient', type: 'MATH_OPERATOR', config });
    await settled(me, sheet);
    await configureScore(me, sheet, { column_ids: [id] });
    expect((await calculateScore(me, sheet)).aggregate_score).toBe(6);
    await editCell(me, sheet, (await cellsOf(me, sheet, sheet.ids[1]!))[1]!, { value: 0 });
    await me.post(`${sheet.path}/operations`, { operation: 'recalculate' }, 202);
    await settled(me, sheet);
    const { columns } = await calculateScore(me, sheet);
    expect(columns).toMatchObject([{ score: 3, included_count: 1, excluded_count: 1 }]);
  });

  it('that a worker left behind when it was killed is calculated by the next one', async () => {
    const sheet = await textSheet(me, ['Grade'], [[1], [3]]);
    const { score_configuration_id: id } = await configureScore(me, sheet, { column_ids: sheet.ids });
    await app.sql(
      `INSERT INTO score_calculations (workspace_id, id, sheet_id, configuration_id, status, attempts, claim, lease_until)
       SELECT workspace_id, gen_random_uuid(), id, $2, 'running', 1, gen_random_uuid(), now() - interval '1 second'
         FROM sheets WHERE id = $1`,
      [sheet.id, id],
    );
    expect((await readScore(me, sheet)).status).toBe('running');
    // A calculation of another sheet makes workers look for what there is.
    const other = await textSheet(me, ['Grade'], [[1]]);
    await configureScore(me, other, { column_ids: other.ids });
    await calculateScore(me, other);
    expect(await calculated(me, sheet)).toMatchObject({ status: 'completed', aggregate_score: 2 });
  });

  it('remains while another one is calculated, and is dropped when the configuration changes', async () => {
    const sheet = await textSheet(me, ['Grade'], [[1], [3]]);
    await configureScore(me, sheet, { column_ids: sheet.ids });
    expect((await calculateScore(me, sheet)).aggregate_score).toBe(2);
    await me.post(`${sheet.path}/score`, {}, 202);
    expect((await readScore(me, sheet)).aggregate_score).toBe(2);
    await calculated(me, sheet);
    await configureScore(me, sheet, { column_ids: sheet.ids });
    expect(await readScore(me, sheet)).toMatchObject({ status: null, aggregate_score: null, calculated_at: null });
  });

  it('is calculated once by many that ask for it at once', async () => {
    const sheet = await textSheet(me, ['Grade'], [[1], [3]]);
    await configureScore(me, sheet, { column_ids: sheet.ids });
    const answers = await Promise.all(Array.from({ length: 8 }, () => me.request('POST', `${sheet.path}/score`, {})));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([202]));
    expect(await calculated(me, sheet)).toMatchObject({ status: 'completed', aggregate_score: 2 });
  });

  it('sees rows that were deleted, and a score column that was', async () => {
    const sheet = await textSheet(
      me,
      ['A', 'B'],
      [
        [1, 10],
        [3, 20],
        [8, 60],
      ],
    );
    await configureScore(me, sheet, { score_type: 'numeric', column_ids: sheet.ids });
    await me.request('DELETE', `${sheet.path}/rows`, { row_indices: [2] });
    expect(await calculateScore(me, sheet)).toMatchObject({ aggregate_score: (2 + 15) / 2, total_rows: 2 });
    await me.request('DELETE', `${sheet.path}/columns/${sheet.ids[0]}`);
    expect(await calculateScore(me, sheet)).toMatchObject({ aggregate_score: 15, score_type: 'single_column' });
    await me.request('DELETE', `${sheet.path}/columns/${sheet.ids[1]}`);
    const answer = await me.request('POST', `${sheet.path}/score`, {});
    expect([answer.status, answer.body]).toMatchObject([400, { error: 'score_columns_deleted' }]);
    expect((await readScore(me, sheet)).aggregate_score).toBe(15);
  });

  it('is right while rows are deleted and columns renamed all the time', async () => {
    const sheet = await textSheet(
      me,
      ['Grade'],
      Array.from({ length: 40 }, () => [5]),
    );
    await configureScore(me, sheet, { column_ids: sheet.ids });
    const changes = Array.from({ length: 10 }, (_, at) => [
      me.request('POST', `${sheet.path}/score`, {}),
      me.request('DELETE', `${sheet.path}/rows`, { row_indices: [at, at + 20] }),
      me.request('PATCH', `${sheet.path}/columns/${sheet.ids[0]}`, { title: `Grade ${at}` }),
    ]).flat();
    const statuses = (await Promise.all(changes)).map(({ status }) => status);
    expect(statuses.filter((status) => status >= 400)).toEqual([]);
    expect(await calculateScore(me, sheet)).toMatchObject({ aggregate_score: 5, total_rows: 20, scored_rows: 20 });
  });

  it('must be configured before it is calculated', async () => {
    const sheet = await newSheet(me);
    const answer = await me.request('POST', `${sheet.path}/score`);
    expect([answer.status, answer.body]).toMatchObject([400, { error: 'score_not_configured' }]);
  });
});

describe('a score that nobody configured', () => {
  it('is that of the output columns that hold verdicts, as they are now', async () => {
    const sheet = await newSheet(me, ['abc', 'b', 'xyz', 'bb']);
    const verdict = await contains(me, sheet, 'Has b', 'b');
    await contains(me, sheet, 'Hidden', 'a', { is_output_column: false });
    await addColumn(me, sheet, { title: 'Length', type: 'COUNT', config: { source: 'Column A', type: 'chars' } });
    await settled(me, sheet);
    expect(await readScore(me, sheet)).toMatchObject({
      scoring_type: null,
      status: null,
      score_configuration: null,
      aggregate_score: 0.75,
      columns: [{ column_id: verdict.id, resolved_scoring_type: 'boolean' }],
      calculated_at: expect.any(String),
    });
    await me.request('DELETE', `${sheet.path}/rows`, { row_indices: [2] });
    expect((await readScore(me, sheet)).aggregate_score).toBe(1);
  });

  it('is that of the last computed column that holds only numbers when there is no verdict', async () => {
    const sheet = await newSheet(me, ['ab', 'abcd']);
    const length = await addColumn(me, sheet, {
      title: 'Length',
      type: 'COUNT',
      config: { source: 'Column A', type: 'chars' },
    });
    await addColumn(me, sheet, {
      title: 'Same',
      type: 'VARIABLE',
      config: { value: { type: 'string', value: 'text' } },
    });
    await settled(me, sheet);
    expect(await readScore(me, sheet)).toMatchObject({ aggregate_score: 3, columns: [{ column_id: length.id }] });
  });

  it('is none for a sheet of texts', async () => {
    const sheet = await newSheet(me, ['1', '2']);
    expect(await readScore(me, sheet)).toMatchObject({
      columns: [],
      score_type: 'none',
      total_rows: 2,
      scored_rows: 0,
    });
  });
});
