import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { addColumn, settled } from '../support/factories.js';
import { calculateScorecard, configureScorecard, readScorecard, withSteps } from '../support/scorecards.js';
import { configureScore, textSheet } from '../support/scores.js';
import { TestApp } from '../support/test-app.js';
import { diffOf, nameVersion, restore } from '../support/versions.js';

let app: TestApp;
let me: Client;
beforeAll(async () => {
  app = await TestApp.start();
  me = app.client;
});
afterAll(() => app.stop());

const contains = (value: string, more: object = {}) => ({
  title: `Has ${value}`,
  primitive_type: 'CONTAINS',
  primitive_config: { source: 'Output', value },
  ...more,
});

const outputs = (...texts: string[]) =>
  textSheet(
    me,
    ['Output'],
    texts.map((text) => [text]),
  );

describe('the versions of a sheet', () => {
  it('hold its scorecard and bring it back', async () => {
    const sheet = await outputs('a');
    const before = await configureScorecard(me, sheet, withSteps([contains('a', { weight: 2 })]));
    const old = await nameVersion(me, sheet, 'With one step');
    await calculateScorecard(me, sheet);
    await configureScorecard(me, sheet, withSteps([contains('b'), contains('c')], { aggregation: { method: 'max' } }));
    await me.delete(`${sheet.path}/scorecard`);
    const { data } = (await me.get(`${sheet.path}/versions?limit=2`)) as { data: { deltas: object[] }[] };
    expect(data.map(({ deltas }) => deltas)).toMatchObject([
      [{ type: 'scorecard.delete', before: { name: 'Quality', steps: [{ title: 'Has b' }, { title: 'Has c' }] } }],
      [{ type: 'scorecard.configure', before: { steps: [{ title: 'Has a' }] }, after: { steps: [{}, {}] } }],
    ]);
    const { version } = (await me.get(`${sheet.path}/versions/${old.id}`)) as {
      version: { snapshot: Record<string, unknown> };
    };
    expect(version.snapshot.scorecard).toMatchObject({
      id: before.id,
      name: 'Quality',
      steps: [{ id: before.steps[0]!.id, weight: 2 }],
    });
    expect(version.snapshot.columns).toHaveLength(2);
    await restore(me, sheet, old);
    const { scorecard, display_calculation: display } = await readScorecard(me, sheet);
    expect(scorecard).toMatchObject({
      id: before.id,
      aggregation: { method: 'weighted_mean' },
      steps: [
        { id: before.steps[0]!.id, title: 'Has a', weight: 2, primitive_config: { source: 'Output', value: 'a' } },
      ],
    });
    expect(display).toMatchObject({ aggregate_score: 1 });
    expect(await calculateScorecard(me, sheet)).toMatchObject({ aggregate_score: 1 });
    const { columns, data: cells } = await diffOf(me, sheet, old);
    expect([columns.added, columns.removed, columns.changed, cells]).toEqual([[], [], [], []]);
  });
});

describe('a score that was configured', () => {
  it('becomes steps of a scorecard, once', async () => {
    const sheet = await outputs('yes', 'no');
    const check = await addColumn(me, sheet, {
      title: 'Check',
      type: 'CONTAINS',
      config: { source: 'Output', value: 'yes' },
    });
    await configureScore(me, sheet, { column_names: ['Check', 'Output'], score_type: 'boolean' });
    // The values of the column that was added are a version too, and may come late.
    await settled(me, sheet);
    const migrate = (body?: object) => me.post(`${sheet.path}/scorecard/migrate-legacy-score`, body);
    const first = (await migrate()) as { scorecard: { id: string; steps: object[] }; version: number };
    expect(first).toMatchObject({
      converted_count: 1,
      skipped: [{ reason: 'unsupported_column_type', score_type: 'boolean', column_name: 'Output' }],
      legacy_score_deleted: false,
      scorecard: {
        name: 'Migrated score',
        status: 'ready',
        steps: [
          {
            title: 'Check',
            primitive_type: 'CONTAINS',
            backing_column_id: check.id,
            weight: 1,
            source_column_ids: [sheet.ids[0]],
          },
        ],
      },
    });
    expect(await migrate({})).toMatchObject({
      converted_count: 0,
      scorecard: { id: first.scorecard.id },
      version: first.version,
    });
    expect(await calculateScorecard(me, sheet)).toMatchObject({ aggregate_score: 0.5 });
    expect(await migrate({ delete_legacy_score: true })).toMatchObject({
      legacy_score_deleted: true,
      version: first.version + 1,
    });
    expect(await me.get(`${sheet.path}/score`)).toMatchObject({ score_configuration: null, score_type: 'scorecard' });
    expect((await me.request('POST', `${sheet.path}/scorecard/migrate-legacy-score`, {})).status).toBe(400);
  });

  it('is added to the steps there are', async () => {
    const sheet = await outputs('yes');
    await addColumn(me, sheet, { title: 'Check', type: 'CONTAINS', config: { source: 'Output', value: 'yes' } });
    const { steps } = await configureScorecard(me, sheet, withSteps([contains('a', { weight: 4 })]));
    await configureScore(me, sheet, { column_names: ['Check'] });
    const { scorecard } = (await me.post(`${sheet.path}/scorecard/migrate-legacy-score`, {})) as {
      scorecard: { steps: { id: string; title: string; weight: number }[] };
    };
    expect(scorecard.steps.map(({ title, weight }) => [title, weight])).toEqual([
      ['Has a', 4],
      ['Check', 1],
    ]);
    expect(scorecard.steps[0]!.id).toBe(steps[0]!.id);
  });

  it.each([
    [{ code: 'return {"score": 1}' }, 'custom_code'],
    [{ score_type: 'boolean', score_config: {} }, 'missing_columns'],
  ])('cannot always be converted: %j', async (configuration, reason) => {
    const sheet = await outputs('yes');
    await configureScore(me, sheet, configuration);
    expect(await me.post(`${sheet.path}/scorecard/migrate-legacy-score`, { delete_legacy_score: true })).toMatchObject({
      scorecard: null,
      converted_count: 0,
      skipped: [{ reason }],
      legacy_score_deleted: false,
    });
  });
});
