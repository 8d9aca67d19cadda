import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { addColumn, addCount, cellsOf, settled } from '../support/factories.js';
import { send, span, traceId } from '../support/otlp.js';
import {
  calculateScorecard,
  configureScorecard,
  ended,
  listResults,
  readResult,
  readScorecard,
  recalculate,
  withSteps,
} from '../support/scorecards.js';
import { textSheet } from '../support/scores.js';
import { TestApp } from '../support/test-app.js';
import { addTrace } from '../support/traces.js';
import { until } from '../support/until.js';
import WaitingModule from '../support/waiting.extension.js';
import { WaitingService } from '../support/waiting-service.js';

let app: TestApp;
let me: Client;
let service: WaitingService;
beforeAll(async () => {
  service = await WaitingService.start();
  app = await TestApp.start({ extensions: [WaitingModule] });
  me = app.client;
});
afterAll(async () => {
  await app.stop();
  await service.stop();
});
beforeEach(() => service.reset());

type Sheet = Awaited<ReturnType<typeof textSheet>>;

const contains = (value: string, more: object = {}) => ({
  title: `Has ${value}`,
  primitive_type: 'CONTAINS',
  primitive_config: { source: 'Output', value },
  ...more,
});

const outputs = (...texts: string[]): Promise<Sheet> =>
  textSheet(
    me,
    ['Output'],
    texts.map((text) => [text]),
  );
const write = (sheet: Sheet, row: number, value: string) =>
  me.patch(`${sheet.path}/cells`, { cells: [{ row_index: row, column: 'Output', value }] });
const staleState = async (sheet: Sheet) => (await readScorecard(me, sheet)).scorecard!.stale_state;

describe('results become stale', () => {
  const FRESH = { is_stale: false, reasons: [], stale_step_ids: [], stale_row_indices: [] };

  it('in the rows and for the steps whose sources change, and a new calculation mends that', async () => {
    const sheet = await textSheet(
      me,
      ['Output', 'Other'],
      [
        ['a', 'a'],
        ['b', 'b'],
        ['c', 'c'],
      ],
    );
    const { steps } = await configureScorecard(
      me,
      sheet,
      withSteps([contains('a'), { ...contains('b'), primitive_config: { source: 'Other', value: 'b' } }]),
    );
    await calculateScorecard(me, sheet);
    expect(await staleState(sheet)).toEqual(FRESH);
    await write(sheet, 1, 'x');
    expect((await readScorecard(me, sheet)).scorecard).toMatchObject({
      status: 'stale',
      stale_state: {
        is_stale: true,
        reasons: ['inputs_changed'],
        stale_step_ids: [steps[0]!.id],
        stale_row_indices: [1],
      },
    });
    // Old results stay readable and are marked stale.
    expect((await readResult(me, sheet, 1)).stale_state).toMatchObject({ is_stale: true, reasons: ['inputs_changed'] });
    expect((await readResult(me, sheet, 0)).stale_state).toBeNull();
    await calculateScorecard(me, sheet);
    expect(await staleState(sheet)).toEqual(FRESH);
  });

  it('when rows are added or deleted', async () => {
    const sheet = await outputs('a', 'b');
    await calculateScorecard(me, sheet, [contains('a')]);
    await me.post(`${sheet.path}/rows`, { count: 1, values: [{ Output: 'c' }] }, 201);
    expect(await staleState(sheet)).toMatchObject({ reasons: ['rows_changed'], stale_row_indices: [2] });
    await calculateScorecard(me, sheet);
    await me.request('DELETE', `${sheet.path}/rows`, { row_indices: [1] });
    expect(await staleState(sheet)).toMatchObject({ reasons: ['rows_changed'], stale_row_indices: [] });
  });

  it.each<[string, (steps: Awaited<ReturnType<typeof configureScorecard>>['steps']) => object]>([
    ['another weight', (steps) => withSteps([{ ...steps[0]!, weight: 7 }])],
    ['another threshold', (steps) => withSteps([{ ...steps[0]!, thresholds: { pass: 0.5, warn: 0.1 } }])],
    ['another config', (steps) => withSteps([{ ...steps[0]!, primitive_config: { source: 'Output', value: 'z' } }])],
    ['a new step', (steps) => withSteps([steps[0]!, contains('b')])],
    ['a step less', () => withSteps([contains('b')])],
    ['another aggregation', (steps) => withSteps(steps, { aggregation: { method: 'min' } })],
  ])('with %s', async (_, change) => {
    const sheet = await outputs('a', 'b');
    await calculateScorecard(me, sheet, [contains('a')]);
    const { scorecard } = await readScorecard(me, sheet);
    const changed = await configureScorecard(me, sheet, change(scorecard!.steps));
    expect(changed).toMatchObject({ status: 'stale', stale_state: { is_stale: true, reasons: ['config_changed'] } });
    expect((await readScorecard(me, sheet)).display_calculation!.aggregate_score).toBe(0.5);
    await calculateScorecard(me, sheet);
    expect(await staleState(sheet)).toEqual(FRESH);
  });

  it('does not follow another name or title', async () => {
    const sheet = await outputs('a');
    await calculateScorecard(me, sheet, [contains('a')]);
    const { scorecard } = await readScorecard(me, sheet);
    await configureScorecard(me, sheet, { ...withSteps([{ ...scorecard!.steps[0]!, title: 'Other' }]), name: 'Other' });
    await me.patch(`${sheet.path}/columns/${sheet.ids[0]}`, { title: 'Answer' });
    expect(await staleState(sheet)).toEqual(FRESH);
  });

  it('with a column that is deleted or computed otherwise', async () => {
    const sheet = await outputs('a');
    const length = await addCount(me, sheet, 'Length', 'Output');
    await settled(me, sheet);
    const step = {
      title: 'Long',
      primitive_type: 'MATH_OPERATOR',
      primitive_config: { sources: ['Length'], operator: 'ge', value: 1 },
    };
    await calculateScorecard(me, sheet, [step]);
    await me.patch(`${sheet.path}/columns/${length.id}`, { config: { source: 'Output', type: 'words' } });
    expect(await staleState(sheet)).toMatchObject({ reasons: ['inputs_changed'], stale_row_indices: [0] });
    await me.delete(`${sheet.path}/columns/${length.id}`);
    expect(await staleState(sheet)).toMatchObject({ reasons: ['columns_changed'] });
    const calculation = await calculateScorecard(me, sheet);
    expect(calculation).toMatchObject({ status: 'completed', aggregate_verdict: 'error' });
    expect((await readResult(me, sheet, 0)).error_summary).toMatch(/deleted/);
  });

  it('with code when a column is added that it can read', async () => {
    const sheet = await outputs('a');
    const code = { code: 'return len(data) / 10', language: 'PYTHON' };
    await calculateScorecard(me, sheet, [{ title: 'Code', primitive_type: 'CODE_EXECUTION', primitive_config: code }]);
    await addColumn(me, sheet, { title: 'More', type: 'TEXT' });
    expect(await staleState(sheet)).toMatchObject({ reasons: ['inputs_changed'] });
    expect((await calculateScorecard(me, sheet)).aggregate_score).toBe(0.3);
  });

  it('with code when a trace is added that brings a column', async () => {
    const sheet = await outputs('a');
    const code = { code: 'return len(data) / 10', language: 'PYTHON' };
    await calculateScorecard(me, sheet, [{ title: 'Code', primitive_type: 'CODE_EXECUTION', primitive_config: code }]);
    const trace = traceId();
    await send(me, [span({ traceId: trace })]);
    await addTrace(me, sheet, trace);
    expect(await staleState(sheet)).toMatchObject({ reasons: ['inputs_changed', 'rows_changed'] });
  });

  it('over a whole column when an operation stores more results in the version that was scored', async () => {
    service.delayMs = null;
    const sheet = await outputs('early', 'late');
    const config = { source: 'Output', url: service.url };
    const answer = await addColumn(me, sheet, { title: 'Answer', type: 'ASK', config });
    await until(() => Promise.resolve(service.held === 2));
    const counted = { source: 'Answer', aggregation: 'count' };
    const step = { title: 'Count', primitive_type: 'COLUMN_AGGREGATE', primitive_config: counted };
    await configureScorecard(me, sheet, withSteps([step]));
    service.release(['early']);
    await until(async () => (await cellsOf(me, sheet, answer.id))[0]!.status === 'completed');
    await calculateScorecard(me, sheet);
    expect(await staleState(sheet)).toEqual(FRESH);
    service.release();
    await settled(me, sheet);
    expect(await staleState(sheet)).toMatchObject({ reasons: ['inputs_changed'] });
  });
});

describe('what is scored while its sources are stale', () => {
  it('is scored as it is, says so, and is stale when they are computed', async () => {
    const sheet = await outputs('a');
    await addCount(me, sheet, 'Length', 'Output');
    await settled(me, sheet);
    await write(sheet, 0, 'abc');
    const step = {
      title: 'Long',
      primitive_type: 'MATH_OPERATOR',
      primitive_config: { sources: ['Length'], operator: 'ge', value: 2 },
    };
    expect(await calculateScorecard(me, sheet, [step])).toMatchObject({ aggregate_score: 0 });
    expect(await readResult(me, sheet, 0)).toMatchObject({
      stale_state: { is_stale: true, reasons: ['source_stale'] },
    });
    await me.post(`${sheet.path}/operations`, { operation: 'recalculate' }, 202);
    await settled(me, sheet);
    expect(await staleState(sheet)).toMatchObject({ reasons: ['inputs_changed'], stale_row_indices: [0] });
    expect(await calculateScorecard(me, sheet)).toMatchObject({ aggregate_score: 1 });
    expect((await readResult(me, sheet, 0)).stale_state).toBeNull();
  });
});

describe('a calculation of some rows or steps', () => {
  it('keeps what the one before has found elsewhere', async () => {
    const sheet = await outputs('a', 'a', 'a', 'a');
    const { steps } = await configureScorecard(me, sheet, withSteps([contains('a'), contains('z')]));
    await calculateScorecard(me, sheet);
    for (const row of [1, 2]) await write(sheet, row, 'z');
    await recalculate(me, sheet, { row_indices: [1], step_ids: [steps[0]!.id.toUpperCase()] });
    const calculation = await ended(me, sheet);
    expect(calculation.criterion_summaries).toMatchObject({
      [steps[0]!.id]: { score: 0.75, total_count: 4 },
      [steps[1]!.id]: { score: 0, total_count: 4 },
    });
    expect(await listResults(me, sheet)).toMatchObject({ rows: [{}, {}, {}, {}] });
    // The other rows and steps are as stale as they were.
    expect(await staleState(sheet)).toMatchObject({
      reasons: ['inputs_changed'],
      stale_step_ids: steps.map(({ id }) => id),
      stale_row_indices: [1, 2],
    });
    expect((await calculateScorecard(me, sheet)).criterion_summaries).toMatchObject({
      [steps[0]!.id]: { score: 0.5 },
      [steps[1]!.id]: { score: 0.5 },
    });
  });

  it('does not make a changed step new in all rows', async () => {
    const sheet = await outputs('a', 'a');
    await calculateScorecard(me, sheet, [contains('a')]);
    const { scorecard } = await readScorecard(me, sheet);
    const step = { ...scorecard!.steps[0]!, primitive_config: { source: 'Output', value: 'z' } };
    await configureScorecard(me, sheet, withSteps([step]));
    await recalculate(me, sheet, { row_indices: [1] });
    expect(await ended(me, sheet)).toMatchObject({ status: 'completed', aggregate_score: 0.5 });
    expect(await staleState(sheet)).toMatchObject({ reasons: ['config_changed'] });
    await calculateScorecard(me, sheet);
    expect(await staleState(sheet)).toMatchObject({ is_stale: false });
  });

  it('that is the first has results for the others all the same', async () => {
    const sheet = await outputs('a', 'b');
    await configureScorecard(me, sheet, withSteps([contains('a')]));
    await recalculate(me, sheet, { row_indices: [0, 5000] });
    expect(await ended(me, sheet)).toMatchObject({ status: 'completed', aggregate_score: 1 });
    expect((await readResult(me, sheet, 1)).aggregate_verdict).toBe('skipped');
    expect(await staleState(sheet)).toMatchObject({ is_stale: true });
  });

  it.each([
    [{ row_indices: [-1] }],
    [{ row_indices: ['a'] }],
    [{ row_indices: [0.5] }],
    [{ step_ids: ['x'] }],
    [{ step_ids: ['0198c0de-0000-7000-8000-000000000000'] }],
    [{ force: true }],
  ])('is refused with %j', async (scope) => {
    const sheet = await outputs('a');
    await configureScorecard(me, sheet, withSteps([contains('a')]));
    for (const route of ['recalculate', 'cancel']) {
      const answer = await me.request('POST', `${sheet.path}/scorecard/${route}`, scope);
      if (route === 'recalculate' || !('step_ids' in scope)) expect([route, answer.status]).toEqual([route, 400]);
    }
    expect((await readScorecard(me, sheet)).latest_calculation).toBeNull();
  });
});

describe('a calculation that is under way', () => {
  let asked = 0;
  /** A grade that the service was not asked about yet: answers are not asked for twice. */
  const fresh = () => (++asked / 1000).toString();

  const ask = () => ({
    title: 'Asked',
    primitive_type: 'ASK',
    primitive_config: { source: 'Output', url: service.url },
  });

  it('runs in an extension, reports its progress and can be cancelled', async () => {
    const sheet = await outputs('1', '0.5');
    expect(await calculateScorecard(me, sheet, [ask()])).toMatchObject({ status: 'completed', aggregate_score: 0.75 });
    service.delayMs = null;
    for (const row of [0, 1]) await write(sheet, row, fresh());
    const id = await recalculate(me, sheet);
    await until(() => Promise.resolve(service.held === 2));
    const running = await readScorecard(me, sheet);
    expect(running).toMatchObject({
      scorecard: { status: 'running' },
      latest_calculation: { id, status: 'running', aggregate_score: null },
      display_calculation: { aggregate_score: 0.75 },
      progress: { scored_rows: 0, total_rows: 2, running_rows: 2, queued_rows: 0, partial_score: null },
    });
    const operation = running.latest_calculation!.execution_id!;
    expect(await me.get(`${sheet.path}/operations/${operation}`)).toMatchObject({
      operation: { status: 'running', cell_count: 2 },
    });
    expect(await me.get(`${sheet.path}/operations`)).toMatchObject({ pending_count: 0, active_operations: [] });
    const cancelled = await me.post(`${sheet.path}/scorecard/cancel`, {});
    expect(cancelled).toMatchObject({
      success: true,
      scorecard: { id: running.scorecard!.id },
      cancelled_count: 2,
      execution_ids: [operation],
      calculation_id: id,
    });
    expect(await readScorecard(me, sheet)).toMatchObject({
      scorecard: { status: 'stale' },
      latest_calculation: { id, status: 'cancelled' },
      display_calculation: { aggregate_score: 0.75 },
    });
    await until(() => Promise.resolve(service.abandoned.length === 2));
    expect(await me.post(`${sheet.path}/scorecard/cancel`)).toMatchObject({
      cancelled_count: 0,
      execution_ids: [],
      calculation_id: null,
    });
    service.delayMs = 0;
    expect((await calculateScorecard(me, sheet)).aggregate_score).toBeLessThan(0.1);
  });

  it('is cancelled by a scope that it has something of', async () => {
    const sheet = await outputs(fresh(), fresh());
    const { steps } = await configureScorecard(me, sheet, withSteps([ask(), contains('1')]));
    service.delayMs = null;
    const id = await recalculate(me, sheet, { row_indices: [1], step_ids: [steps[0]!.id] });
    for (const scope of [{ row_indices: [0] }, { step_ids: [steps[1]!.id] }]) {
      expect(await me.post(`${sheet.path}/scorecard/cancel`, scope)).toMatchObject({ calculation_id: null });
    }
    expect(await me.post(`${sheet.path}/scorecard/cancel`, { row_indices: [1, 2] })).toMatchObject({
      calculation_id: id,
    });
    expect((await readScorecard(me, sheet)).scorecard!.status).toBe('ready');
  });

  it('gives way to the next one, also when both are asked for at once', async () => {
    const sheet = await outputs(fresh());
    await configureScorecard(me, sheet, withSteps([ask()]));
    service.delayMs = null;
    const first = await recalculate(me, sheet);
    const ids = await Promise.all([1, 2, 3, 4].map(() => recalculate(me, sheet)));
    expect(new Set([first, ...ids]).size).toBe(5);
    service.delayMs = 0;
    service.release();
    const latest = await ended(me, sheet);
    expect(latest.status).toBe('completed');
    expect(ids).toContain(latest.id);
    for (const id of [first, ...ids].filter((each) => each !== latest.id)) {
      expect(await me.get(`${sheet.path}/scorecard/calculations/${id}`)).toMatchObject({
        calculation: { status: 'cancelled' },
      });
    }
  });

  it.each<[string, (sheet: Sheet, operation: string) => Promise<unknown>]>([
    ['the scorecard is changed', (sheet) => configureScorecard(me, sheet, withSteps([contains('1')]))],
    ['its operation is cancelled', (sheet, operation) => me.delete(`${sheet.path}/operations/${operation}`)],
  ])('ends when %s', async (_, change) => {
    const sheet = await outputs(fresh());
    await configureScorecard(me, sheet, withSteps([ask()]));
    service.delayMs = null;
    const id = await recalculate(me, sheet);
    await until(() => Promise.resolve(service.held === 1));
    const { latest_calculation: latest } = await readScorecard(me, sheet);
    await change(sheet, latest!.execution_id!);
    await until(async () => {
      const { calculation } = (await me.get(`${sheet.path}/scorecard/calculations/${id}`)) as {
        calculation: { status: string };
      };
      return calculation.status === 'cancelled';
    });
    expect((await readScorecard(me, sheet)).scorecard!.status).toBe('ready');
  });
});
