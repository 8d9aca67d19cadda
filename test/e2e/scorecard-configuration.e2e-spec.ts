import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { addColumn, addCount, newSheet, readRows, settled, type TestSheet, versionOf } from '../support/factories.js';
import { calculateScorecard, configureScorecard, readScorecard, withSteps } from '../support/scorecards.js';
import { TestApp } from '../support/test-app.js';

let app: TestApp;
let me: Client;
beforeAll(async () => {
  app = await TestApp.own();
  me = app.client;
});
afterAll(() => app.stop());

const CONTAINS = {
  title: 'Says yes',
  primitive_type: 'CONTAINS',
  primitive_config: { source: 'Column A', value: 'yes' },
};

const refusal = async (sheet: TestSheet, body: object) => {
  const answer = await me.request('PATCH', `${sheet.path}/scorecard`, body);
  return [answer.status, answer.body];
};

describe('a sheet without a scorecard', () => {
  it('says so', async () => {
    const sheet = await newSheet(me);
    expect(await readScorecard(me, sheet)).toEqual({
      success: true,
      scorecard: null,
      latest_calculation: null,
      display_calculation: null,
      criterion_summaries: null,
      drift_summary: null,
      progress: null,
    });
  });

  it.each<['POST' | 'DELETE', string, number]>([
    ['POST', '/recalculate', 400],
    ['POST', '/cancel', 400],
    ['POST', '/migrate-legacy-score', 400],
    ['DELETE', '', 404],
  ])('refuses %s %s', async (method, route, status) => {
    const sheet = await newSheet(me);
    const answer = await me.request(method, `${sheet.path}/scorecard${route}`, {});
    expect([answer.status, answer.body]).toMatchObject([status, { success: false, message: expect.any(String) }]);
  });
});

describe('the configuration of a scorecard', () => {
  it('has defaults for everything but names, and ids for its steps', async () => {
    const sheet = await newSheet(me, ['yes']);
    const before = await versionOf(me, sheet);
    const answer = await me.patch(`${sheet.path}/scorecard`, { name: 'Q', aggregation: {}, steps: [CONTAINS] });
    expect(answer).toMatchObject({
      version: before + 1,
      scorecard: {
        name: 'Q',
        sheet_id: sheet.id,
        smart_table_id: sheet.tableId,
        table_id: sheet.tableId,
        status: 'ready',
        stale_state: null,
        latest_calculation_id: null,
        evaluated_column_ids: [],
        display_config: null,
        baseline_config: null,
        aggregation: {
          method: 'weighted_mean',
          required_step_failure_behavior: 'fail',
          pass_threshold: 0.8,
          warn_threshold: 0.6,
        },
        steps: [
          {
            ...CONTAINS,
            id: expect.any(String),
            source_column_ids: [sheet.columnId],
            weight: 1,
            required: false,
            thresholds: { pass: 0.8, warn: 0.6 },
            score_adapter: null,
            evidence_mode: null,
            order_index: 0,
            backing_column_id: null,
          },
        ],
      },
    });
  });

  it('without steps needs some', async () => {
    const sheet = await newSheet(me);
    expect((await configureScorecard(me, sheet, { name: 'Q', aggregation: {} })).status).toBe('needs_setup');
    const answer = await me.request('POST', `${sheet.path}/scorecard/recalculate`, {});
    expect([answer.status, answer.body]).toMatchObject([400, { error: 'scorecard_without_steps' }]);
  });

  it('takes what clients send', async () => {
    const sheet = await newSheet(me, ['yes']);
    const { id } = await addColumn(me, sheet, { title: 'Expected', type: 'TEXT' });
    const steps = [
      {
        title: 'exact',
        primitive_type: 'COMPARE',
        primitive_config: { sources: [sheet.columnId, id], comparison_type: { type: 'STRING' } },
        order_index: 1,
        weight: 2.0,
        required: false,
        source_column_ids: [sheet.columnId, id],
        thresholds: { pass: 0.9 },
      },
      {
        title: 'code',
        primitive_type: 'CODE_EXECUTION',
        primitive_config: { code: 'return 1', language: 'PYTHON' },
        order_index: 0,
        source_column_ids: [id, sheet.columnId],
      },
    ];
    const scorecard = await configureScorecard(me, sheet, {
      name: 'eval',
      evaluated_column_ids: ['Expected'],
      aggregation: {
        method: 'mean',
        required_step_failure_behavior: 'warn',
        pass_threshold: 1,
        warn_threshold: 0,
        own: 1,
      },
      steps,
      display_config: { columns: [1] },
    });
    expect(scorecard).toMatchObject({
      evaluated_column_ids: [id],
      aggregation: { method: 'mean', own: 1 },
      display_config: { columns: [1] },
      steps: [
        { title: 'code', source_column_ids: [id, sheet.columnId], thresholds: { pass: 1, warn: 0 } },
        { title: 'exact', source_column_ids: [sheet.columnId, id], thresholds: { pass: 0.9, warn: 0.6 }, weight: 2 },
      ],
    });
  });

  it('keeps a step with its id, drops what is left out and gives new ones to others', async () => {
    const sheet = await newSheet(me, ['yes']);
    const second = { ...CONTAINS, title: 'Says no' };
    const first = await configureScorecard(me, sheet, withSteps([CONTAINS, second]));
    const kept = first.steps[1]!;
    const next = await configureScorecard(
      me,
      sheet,
      withSteps([
        { ...CONTAINS, title: 'New' },
        { ...kept, weight: 5 },
      ]),
    );
    expect(next.id).toBe(first.id);
    const byTitle = new Map(next.steps.map((step) => [step.title, step]));
    expect(byTitle.get('Says no')).toMatchObject({ id: kept.id, weight: 5 });
    expect(first.steps.map(({ id }) => id)).not.toContain(byTitle.get('New')!.id);
    // GET returns a body that can be sent back.
    const { scorecard } = await readScorecard(me, sheet);
    const same = await configureScorecard(me, sheet, withSteps(scorecard!.steps));
    expect(same.steps.map(({ id }) => id)).toEqual(next.steps.map(({ id }) => id));
    expect(same.config_hash).toBe(next.config_hash);
  });

  it('follows renamed columns and drops deleted ones', async () => {
    const sheet = await newSheet(me, ['yes']);
    await configureScorecard(me, sheet, withSteps([CONTAINS], { evaluated_column_ids: [sheet.columnId] }));
    await me.patch(`${sheet.path}/columns/${sheet.columnId}`, { title: 'Answer' });
    const renamed = (await readScorecard(me, sheet)).scorecard!;
    expect(renamed.steps[0]).toMatchObject({
      primitive_config: { source: 'Answer' },
      source_column_ids: [sheet.columnId],
    });
    await me.delete(`${sheet.path}/columns/${sheet.columnId}`);
    const left = (await readScorecard(me, sheet)).scorecard!;
    expect(left).toMatchObject({ evaluated_column_ids: [], steps: [{ source_column_ids: [] }] });
  });

  it('is deleted with the scorecard, and a new one starts empty', async () => {
    const sheet = await newSheet(me, ['yes']);
    const calculation = await calculateScorecard(me, sheet, [CONTAINS]);
    const { scorecard: old } = await readScorecard(me, sheet);
    expect(await me.delete(`${sheet.path}/scorecard`)).toEqual({ success: true });
    expect((await readScorecard(me, sheet)).scorecard).toBeNull();
    expect((await me.request('DELETE', `${sheet.path}/scorecard`)).status).toBe(404);
    expect((await me.request('GET', `${sheet.path}/scorecard/calculations/${calculation.id}`)).status).toBe(404);
    const next = await configureScorecard(me, sheet, withSteps([CONTAINS]));
    expect(next.id).not.toBe(old!.id);
    expect(next.status).toBe('ready');
    const audit = await app.sql(`SELECT entity_id FROM audit_entries WHERE action = 'scorecard.delete'`);
    expect(audit).toEqual([{ entity_id: old!.id }]);
  });
});

describe('a scorecard is refused', () => {
  it.each<[string, object, string | RegExp]>([
    ['without a name', { name: ' ' }, /name/],
    ['with a name that is too long', { name: 'x'.repeat(256) }, /name/],
    ['without an aggregation', { aggregation: null }, /aggregation/],
    ['with an unknown method', { aggregation: { method: 'median' } }, /method/],
    ['with an unknown behaviour', { aggregation: { required_step_failure_behavior: 'skip' } }, /required_step_failure/],
    ['with a threshold above 1', { aggregation: { pass_threshold: 1.1 } }, /pass_threshold/],
    ['with thresholds reversed', { aggregation: { pass_threshold: 0.4, warn_threshold: 0.5 } }, /warning/],
    [
      'with a threshold for passing below the default of a warning',
      { aggregation: { pass_threshold: 0.5 } },
      /warning/,
    ],
    ['with an unknown key', { color: 'red' }, /color/],
    ['about an unknown column', { evaluated_column_ids: ['Nowhere'] }, /Nowhere/],
    ['with steps that are no list', { steps: {} }, /steps/],
    ['with a step without a title', { steps: [{ ...CONTAINS, title: undefined }] }, /title/],
    ['with a step without a type', { steps: [{ ...CONTAINS, primitive_type: undefined }] }, /primitive_type/],
    ['with a step of an unknown type', { steps: [{ ...CONTAINS, primitive_type: 'POEM' }] }, /steps\[0\].*POEM/],
    ['with a step that is not computed', { steps: [{ ...CONTAINS, primitive_type: 'TEXT' }] }, /TEXT/],
    ['with a step that people answer', { steps: [{ ...CONTAINS, primitive_type: 'HUMAN' }] }, /HUMAN/],
    [
      'with a step whose config lacks something',
      { steps: [{ ...CONTAINS, primitive_config: {} }] },
      /steps\[0\].*source/,
    ],
    [
      'with a step of a bad pattern',
      {
        steps: [{ ...CONTAINS, primitive_type: 'REGEX', primitive_config: { source: 'Column A', regex_pattern: '(' } }],
      },
      /steps\[0\]/,
    ],
    [
      'with a step about an unknown column',
      { steps: [{ ...CONTAINS, primitive_config: { source: 'Nowhere', value: 'a' } }] },
      /Nowhere/,
    ],
    [
      'with an unknown source column',
      { steps: [{ ...CONTAINS, source_column_ids: [randomUUID()] }] },
      /source_column_ids/,
    ],
    ['with a weight of 0', { steps: [{ ...CONTAINS, weight: 0 }] }, /weight/],
    ['with a weight below 0', { steps: [{ ...CONTAINS, weight: -1 }] }, /weight/],
    [
      'with thresholds of a step reversed',
      { steps: [{ ...CONTAINS, thresholds: { pass: 0.1, warn: 0.2 } }] },
      /steps\[0\].thresholds/,
    ],
    ['with a threshold of a step beyond 1', { steps: [{ ...CONTAINS, thresholds: { pass: 2 } }] }, /pass/],
    ['with an unknown adapter', { steps: [{ ...CONTAINS, score_adapter: { type: 'log' } }] }, /type/],
    [
      'with an adapter without a range',
      { steps: [{ ...CONTAINS, score_adapter: { type: 'linear', min: 3, max: 3 } }] },
      /min/,
    ],
    ['with unknown evidence', { steps: [{ ...CONTAINS, evidence_mode: 'all' }] }, /evidence_mode/],
    ['with too many steps', { steps: Array.from({ length: 101 }, () => CONTAINS) }, /steps/],
  ])('%s', async (_, change, message) => {
    const sheet = await newSheet(me, ['yes']);
    const before = await versionOf(me, sheet);
    const body = { name: 'Q', aggregation: {}, steps: [CONTAINS], ...change };
    expect(await refusal(sheet, body)).toMatchObject([
      400,
      { success: false, message: expect.stringMatching(message) },
    ]);
    expect(await versionOf(me, sheet)).toBe(before);
    expect((await readScorecard(me, sheet)).scorecard).toBeNull();
  });

  it('with the same step twice', async () => {
    const sheet = await newSheet(me, ['yes']);
    const { steps } = await configureScorecard(me, sheet, withSteps([CONTAINS]));
    expect(await refusal(sheet, withSteps([steps[0]!, steps[0]!]))).toMatchObject([
      400,
      { error: 'scorecard_invalid' },
    ]);
  });

  it.each(['/scorecard', '/scorecard/rows', `/scorecard/calculations/${randomUUID()}`])(
    'in sheets of others: GET %s',
    async (route) => {
      const sheet = await newSheet(me, ['yes']);
      await calculateScorecard(me, sheet, [CONTAINS]);
      const stranger = await app.stranger();
      expect((await stranger.request('GET', `${sheet.path}${route}`)).status).toBe(404);
      expect((await stranger.request('POST', `${sheet.path}/scorecard/recalculate`, {})).status).toBe(404);
    },
  );
});

describe('the steps of a scorecard are no columns of the sheet', () => {
  it('are neither listed nor counted nor read', async () => {
    const sheet = await newSheet(me, ['yes', 'no']);
    await calculateScorecard(me, sheet, [CONTAINS]);
    const { scorecard } = await readScorecard(me, sheet);
    const [step] = scorecard!.steps;
    const all = (await me.get(`${sheet.path}/columns?include_system_columns=true`)) as { data: { id: string }[] };
    expect(all.data.map(({ id }) => id)).toEqual([sheet.columnId]);
    const rows = (await me.get(`${sheet.path}/rows?include_system_columns=true`)) as Awaited<
      ReturnType<typeof readRows>
    >;
    expect(Object.keys(rows.data[0]!.cells)).toEqual([sheet.columnId]);
    expect(await me.get(`${sheet.path}/operations`)).toMatchObject({ total_cells: 0, active_operations: [] });
    const csv = await me.request('GET', `${sheet.path}/export?format=csv`);
    expect(String(csv.body)).not.toContain('Says yes');
    for (const [method, route, body] of [
      ['PATCH', `/columns/${step!.id}`, { title: 'Mine' }],
      ['DELETE', `/columns/${step!.id}`, undefined],
      ['PATCH', '/cells', { cells: [{ row_index: 0, column: step!.id, value: true }] }],
      ['POST', '/operations', { operation: 'recalculate', column_ids: [step!.id] }],
    ] as const) {
      expect([method, (await me.request(method, `${sheet.path}${route}`, body)).status]).toEqual([method, 404]);
    }
  });

  it('have titles that columns may have, too', async () => {
    const sheet = await newSheet(me, ['yes']);
    await configureScorecard(me, sheet, withSteps([{ ...CONTAINS, title: 'Length' }]));
    await addCount(me, sheet, 'Length');
    const twice = await addColumn(me, sheet, {
      title: 'Again',
      type: 'COALESCE',
      config: { sources: ['Length', 'Column A'] },
    });
    expect(twice.dependencies).toHaveLength(2);
  });

  it('are not recalculated with the sheet, nor made stale in its counts', async () => {
    const sheet = await newSheet(me, ['yes', 'no']);
    await addCount(me, sheet, 'Length');
    await calculateScorecard(me, sheet, [CONTAINS]);
    await settled(me, sheet);
    const { data } = await readRows(me, sheet);
    const cell = data[0]!.cells[sheet.columnId]!;
    expect(await me.patch(`${sheet.path}/cells/${cell.id}`, { value: 'perhaps' })).toMatchObject({ stale_count: 1 });
    const started = await me.post(`${sheet.path}/operations`, { operation: 'recalculate' }, 202);
    expect(started).toMatchObject({ cell_count: 1 });
    await settled(me, sheet);
    expect((await readScorecard(me, sheet)).scorecard!.status).toBe('stale');
  });
});
