import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { addColumn, type Column, newSheet, settled, type TestSheet, versionOf } from '../support/factories.js';
import { atDepth } from '../support/depth.js';
import { recalculate } from '../support/external-cells.js';
import { FakeVendors } from '../support/fake-vendors.js';
import { addCredential } from '../support/model-credentials.js';
import { publishPrompt } from '../support/prompts.js';
import {
  cancelRegression,
  endOfRegression,
  findRegression,
  listRegressions,
  readRegression,
  type Regression,
  startRegression,
} from '../support/regressions.js';
import { configureScorecard, withSteps } from '../support/scorecards.js';
import { configureScore } from '../support/scores.js';
import { TestApp } from '../support/test-app.js';
import { until } from '../support/until.js';

const ENV = { OUTBOUND_ALLOW_PRIVATE: 'on', EXTERNAL_BACKOFF_MS: '10' };
const VERSIONS = 16;
const ROWS = 8;

let app: TestApp;
let me: Client;
let vendors: FakeVendors;
beforeAll(async () => {
  vendors = await FakeVendors.start();
  app = await TestApp.start({ env: ENV });
  me = app.client;
  await addCredential(me, { provider: 'openai', base_url: `${vendors.url}/v1` });
});
afterAll(async () => {
  await app.stop();
  await vendors.stop();
});

const versionIn = (text: string) => Number(/v(\d+):/.exec(text)![1]);

/** The model is good until a version that stands in the question: "v3: fall 5, …" is good, and "v5: fall 5, …" is not. */
const judge = ({ text }: { text: string }) => ({
  text: versionIn(text) < Number(/fall (\d+)/.exec(text)![1]) ? 'good' : 'bad',
});
beforeEach(() => {
  vendors.reset();
  vendors.reply = judge;
});

let tests = 0;
const questions = (fall: number) => {
  const test = ++tests;
  return Array.from({ length: ROWS }, (_, row) => `fall ${fall}, question ${test}.${row}`);
};

const MAPPING = { prompt_template_variable_mappings: { thing: 'Column A' } };
const MODEL = { provider: 'openai', name: 'gpt-4.1-mini', parameters: {} };
const promptOf = (version: number) => ({
  inline_template: {
    inline: true,
    prompt_template: {
      type: 'chat',
      messages: [{ role: 'user', content: [{ type: 'text', text: `v${version}: {thing}` }] }],
    },
    metadata: { model: MODEL },
  },
  ...MAPPING,
});

interface History {
  sheet: TestSheet;
  answer: Column;
  verdicts: Column[];
  /** The number of the version of the sheet in which the prompt was this version of itself. */
  at(version: number): number;
  path: string;
}

/**
 * A sheet whose prompt was changed 15 times, with a column of verdicts for each position. Only cells of the first
 * prompt were computed.
 */
async function history(fall: number, verdictsAt = [fall]): Promise<History> {
  const sheet = await newSheet(me, questions(fall));
  const answer = await addColumn(me, sheet, { title: 'Answer', type: 'PROMPT_TEMPLATE', config: promptOf(1) });
  const verdicts: Column[] = [];
  for (const place of verdictsAt) {
    const config = { source: 'Answer', value: verdictsAt.length > 1 ? `f${place} ` : 'good' };
    verdicts.push(await addColumn(me, sheet, { title: `Good until ${place}`, type: 'CONTAINS', config }));
  }
  await settled(me, sheet);
  const first = await versionOf(me, sheet);
  for (let version = 2; version <= VERSIONS; version++) {
    await me.patch(`${sheet.path}/columns/${answer.id}`, { config: promptOf(version) });
  }
  return { sheet, answer, verdicts, path: sheet.path, at: (version) => first + version - 1 };
}

const ends = ({ at }: History, good = 1, bad = VERSIONS) => ({ good_version: at(good), bad_version: at(bad) });

function expectFall(found: Regression, lastGood: number, firstBad: number): void {
  expect(found).toMatchObject({ status: 'completed', found: true });
  expect([found.last_good_version, found.first_bad_version]).toEqual([lastGood, firstBad]);
  expect(found.steps.length).toBeLessThanOrEqual(5);
}

function expectNothingAskedTwice(): void {
  const asked = vendors.calls.map(({ text }) => text);
  expect(new Set(asked).size).toBe(asked.length);
}

const places = Array.from({ length: VERSIONS - 1 }, (_, at) => at + 2);
/** A unit test tries the search at all positions, so a quick run needs only the outermost and one between. */
const tried = atDepth([2, 7, VERSIONS], places);
const copies = () =>
  app.sql(`SELECT s.id FROM sheets s WHERE s.owner = 'regression' AND (s.deleted_at IS NULL OR EXISTS (
    SELECT FROM cells c JOIN sheet_columns k ON k.workspace_id = c.workspace_id AND k.key = c.column_key
     WHERE k.workspace_id = s.workspace_id AND k.sheet_id = s.id))`);

describe('a search in the versions of a sheet', () => {
  it('finds a fall at every possible place in few steps, and asks the model nothing twice', async () => {
    // One column of verdicts for each position: the answer to version 3 is "f4 f5 … f16 ", and "f4 " is in it until
    // version 4.
    vendors.reply = ({ text }) => ({
      text: places.map((fall) => (versionIn(text) < fall ? `f${fall} ` : '')).join(''),
    });
    const made = await history(0, tried);
    const before = await versionOf(me, made.sheet);
    for (const [at, fall] of tried.entries()) {
      const found = await findRegression(me, made, { ...ends(made), column_ids: [made.verdicts[at]!.id] });
      expectFall(found, made.at(fall - 1), made.at(fall));
      expect(found.good!.cells).toEqual({ stored: ROWS, computed: 0, reused: 0, failed: 0 });
    }
    expect(await versionOf(me, made.sheet)).toBe(before);
    expectNothingAskedTwice();
    expect(await copies()).toEqual([]);
  });

  it('reports each version with its score, the interval, a comparison and a link to the changes', async () => {
    const made = await history(9);
    const found = await findRegression(me, made, ends(made));
    expect(found.good).toMatchObject({ outcome: 'held', score: 1, scored_rows: ROWS, comparison: null });
    expect(found.bad).toMatchObject({
      outcome: 'fell',
      score: 0,
      comparison: { verdict: 'significant', conclusion: 'difference', difference: -1 },
    });
    expect(found.bad!.confidence_interval!.high).toBeLessThan(found.good!.confidence_interval!.low);
    expect(found.bad!.cells).toEqual({ stored: 0, computed: 2 * ROWS, reused: 0, failed: 0 });
    expect(found.message).toBe(`The score fell at version ${made.at(9)}; version ${made.at(8)} was still good.`);
    const diff = (await me.get(found.diff_path!)) as { from_version: number; columns: { changed: unknown[] } };
    expect(diff.from_version).toBe(made.at(8));
    expect(diff.columns.changed).toHaveLength(1);
  });

  it('reads what is stored, computes only the rows that are missing, and knows results of an earlier search', async () => {
    const made = await history(9);
    await recalculate(me, made.sheet);
    await settled(me, made.sheet);
    const last = await versionOf(me, made.sheet);
    vendors.calls.length = 0;
    const body = { ...ends(made), bad_version: last };
    const first = await findRegression(me, made, body);
    expect(first.bad!.cells).toEqual({ stored: ROWS, computed: 0, reused: 0, failed: 0 });
    expect(vendors.calls.length).toBe(ROWS * first.steps.length);
    const again = await findRegression(me, made, body);
    expect(vendors.calls.length).toBe(ROWS * first.steps.length);
    expect(again.first_bad_version).toBe(first.first_bad_version);
    expect(again.steps.map(({ cells }) => cells.reused)).toEqual(first.steps.map(() => ROWS));
  });

  it('answers that nothing fell when the ends do not differ by more than chance', async () => {
    const made = await history(VERSIONS);
    const found = await findRegression(me, made, ends(made, 1, VERSIONS - 1));
    expect(found).toMatchObject({
      status: 'completed',
      found: false,
      first_bad_version: null,
      diff_path: null,
      steps: [],
    });
    expect([found.good!.score, found.bad!.score]).toEqual([1, 1]);
    expect(found.message).toContain('is not lower');
  });

  it('leaves out versions that cannot be scored', async () => {
    const made = await history(9);
    vendors.reply = (asked) => (/v8:/.test(asked.text) ? { status: 400, message: 'No.' } : judge(asked));
    const found = await findRegression(me, made, ends(made));
    expect(found).toMatchObject({ last_good_version: made.at(7), first_bad_version: made.at(9) });
    expect(found.skipped_versions).toEqual([made.at(8)]);
    expect(found.steps[0]).toMatchObject({ outcome: 'unscored', score: null, cells: { failed: 2 * ROWS } });
  });

  it('scores by the scorecard of today, in versions that are older than it', async () => {
    const made = await history(5);
    const step = {
      title: 'Says good',
      primitive_type: 'CONTAINS',
      primitive_config: { source: 'Answer', value: 'good' },
    };
    await configureScorecard(me, made, withSteps([step]));
    const found = await findRegression(me, made, { ...ends(made), scored_by: 'scorecard' });
    expect(found).toMatchObject({ scored_by: 'scorecard', column_ids: [] });
    expectFall(found, made.at(4), made.at(5));
    expect(await copies()).toEqual([]);
  });
});

describe('a search in the versions of a prompt', () => {
  it('finds a fall at every possible place, whichever version the sheet uses', async () => {
    const prompt = `regression ${++tests}`;
    let id = 0;
    for (let version = 1; version <= VERSIONS; version++) {
      ({ id } = await publishPrompt(me, prompt, { message: `v${version}: {thing}`, model: MODEL }));
    }
    vendors.reply = ({ text }) => ({
      text: places.map((fall) => (versionIn(text) < fall ? `f${fall} ` : '')).join(''),
    });
    const sheet = await newSheet(me, questions(0));
    const config = { template: { name: prompt }, ...MAPPING };
    await addColumn(me, sheet, { title: 'Answer', type: 'PROMPT_TEMPLATE', config });
    for (const fall of tried) {
      const contains = { source: 'Answer', value: `f${fall} ` };
      const column = await addColumn(me, sheet, { title: `Good until ${fall}`, type: 'CONTAINS', config: contains });
      const body = { prompt_id: id, good_version: 1, bad_version: VERSIONS, column_ids: [column.id] };
      const found = await findRegression(me, sheet, body);
      expectFall(found, fall - 1, fall);
      expect(found.diff_path).toBeNull();
    }
    // The sheet itself uses the latest version, by another name.
    const searched = vendors.calls.filter(({ text }) => !text.startsWith(`v${VERSIONS}:`)).map(({ text }) => text);
    expect(new Set(searched).size).toBe(searched.length);
  });
});

/** US dollars for asking about all rows: 12 tokens of input and 5 of output at the public rates of the model. */
const STEP_COST = (ROWS * (12 * 0.4 + 5 * 1.6)) / 1e6;

/** An answer that takes a million tokens. */
function dear(content: string): { raw: string } {
  const choices = [{ index: 0, message: { role: 'assistant', content, refusal: null }, finish_reason: 'stop' }];
  const usage = { prompt_tokens: 1e6, completion_tokens: 0, total_tokens: 1e6 };
  return {
    raw: JSON.stringify({ id: 'c', object: 'chat.completion', created: 1, model: 'gpt-4.1-mini', choices, usage }),
  };
}

describe('a search with max_cost', () => {
  it('says what it has cost, version by version, and completes when that is less', async () => {
    const made = await history(9);
    vendors.calls.length = 0;
    const found = await findRegression(me, made, { ...ends(made), max_cost: 1 });
    expectFall(found, made.at(8), made.at(9));
    expect([found.max_cost, found.good!.cost]).toEqual([1, 0]);
    const steps = [found.bad!, ...found.steps];
    expect(steps.map(({ cost }) => cost)).toEqual(steps.map(() => expect.closeTo(STEP_COST, 9) as number));
    expect(found.cost).toBeCloseTo(steps.length * STEP_COST, 9);
  });

  it('stops before the version that would exceed it, and reports the results so far', async () => {
    const made = await history(9);
    vendors.calls.length = 0;
    const stopped = await findRegression(me, made, { ...ends(made), max_cost: 2.5 * STEP_COST });
    expect(stopped).toMatchObject({ status: 'stopped', found: null, first_bad_version: null, diff_path: null });
    expect(stopped.cost).toBeCloseTo(2 * STEP_COST, 9);
    expect([stopped.bad!.outcome, stopped.steps.length]).toEqual(['fell', 1]);
    expect(stopped.message).toMatch(
      /^The search was stopped by max_cost: version \d+ would be next and would cost about/,
    );
    expect(vendors.calls.length).toBe(2 * ROWS);
    expect(await copies()).toEqual([]);
    // Computed results are reused, so the same search continues from there.
    expectFall(await findRegression(me, made, { ...ends(made), max_cost: 1 }), made.at(8), made.at(9));
    expect(vendors.calls.length).toBeLessThanOrEqual(5 * ROWS);
  });

  it('begins with nothing that the past of the columns says is too dear', async () => {
    const made = await history(9);
    vendors.calls.length = 0;
    const stopped = await findRegression(me, made, { ...ends(made), max_cost: 0 });
    expect(stopped).toMatchObject({ status: 'stopped', cost: 0, good: { outcome: 'held' }, bad: null });
    expect(vendors.calls).toEqual([]);
  });

  it('ends in the middle of a version that costs more than was to be expected', async () => {
    const made = await history(9);
    // Half of the rows are answered, each for more than the search may cost. The search does not wait for the others.
    vendors.reply = (asked) => (/\.[0-3]$/.test(asked.text) ? dear('bad') : 'hang');
    const stopped = await findRegression(me, made, { ...ends(made), max_cost: 0.01 });
    expect(stopped).toMatchObject({ status: 'stopped', bad: null, steps: [] });
    expect(stopped.message).toContain('spent before version');
    expect(stopped.cost).toBeGreaterThanOrEqual(0.4);
    expect(await copies()).toEqual([]);
  });

  it('counts what was spent for a version when it is cancelled', async () => {
    const made = await history(9);
    vendors.reply = (asked) => (/\.[0-3]$/.test(asked.text) ? judge(asked) : 'hang');
    const { id } = await startRegression(me, made, { ...ends(made), max_cost: null });
    expect((await readRegression(me, made, id)).max_cost).toBeNull();
    await until(async () => (await readRegression(me, made, id)).cost > STEP_COST / 3);
    const { status, cost } = await cancelRegression(me, made, id);
    expect([status, cost > STEP_COST / 3, cost < STEP_COST]).toEqual(['cancelled', true, true]);
  });

  it.each([-1, 'much', '1', [[]], {}, true])('refuses %j', async (max_cost) => {
    const sheet = await newSheet(me, ['1']);
    await me.post(`${sheet.path}/regressions`, { good_version: 1, bad_version: 2, max_cost }, 400);
  });
});

describe('the searches of a sheet', () => {
  it('are listed newest first, page by page in both directions, each as it is read', async () => {
    const [sheet, other] = [await newSheet(me, ['1', '0']), await newSheet(me, ['1'])];
    const versions = { good_version: 1, bad_version: 2, column_ids: [sheet.columnId] };
    await addColumn(me, sheet, { title: 'Notes', type: 'TEXT' });
    expect(await listRegressions(me, sheet)).toMatchObject({ data: [], next_cursor: null, has_more: false, count: 0 });
    const made: Regression[] = [];
    for (let count = 0; count < 3; count++) made.unshift(await findRegression(me, sheet, versions));
    expect((await listRegressions(me, sheet)).data).toEqual(made);
    expect((await listRegressions(me, sheet, '?order=asc')).data).toEqual(made.toReversed());
    const first = await listRegressions(me, sheet, '?limit=2');
    expect(first.data).toEqual(made.slice(0, 2));
    const second = await listRegressions(me, sheet, `?limit=2&cursor=${first.next_cursor}`);
    expect([second.data, second.next_cursor]).toEqual([made.slice(2), null]);
    const back = await listRegressions(me, sheet, `?limit=2&cursor=${second.pagination.prev_cursor}`);
    expect(back.data).toEqual(first.data);
    expect((await listRegressions(me, other)).data).toEqual([]);
    for (const query of [`?cursor=${first.next_cursor}&order=asc`, '?cursor=x', '?limit=0', '?limit=x', '?sort=cost']) {
      await me.get(`${sheet.path}/regressions${query}`, 400);
    }
    await me.get(`${other.path}/regressions?cursor=${first.next_cursor}`, 400);
    await (await app.stranger()).get(`${sheet.path}/regressions`, 404);
  });
});

describe('a search', () => {
  /** A search that waits for the model, which does not answer yet. */
  async function waiting(): Promise<{ made: History; id: string; release: () => void }> {
    const made = await history(9);
    vendors.reply = judge;
    vendors.calls.length = 0;
    const release = vendors.hold();
    const { id } = await startRegression(me, made, ends(made));
    await until(() => Promise.resolve(vendors.calls.length > 0));
    return { made, id, release };
  }

  it('is cancelled with everything that is computed for it, and another one can begin', async () => {
    const { made, id, release } = await waiting();
    await me.post(`${made.path}/regressions`, ends(made), 400);
    expect(await cancelRegression(me, made, id)).toMatchObject({ status: 'cancelled', found: null });
    expect(await copies()).toEqual([]);
    release();
    expect(await cancelRegression(me, made, id)).toMatchObject({ status: 'cancelled' });
    expectFall(await findRegression(me, made, ends(made)), made.at(8), made.at(9));
  });

  it('fails when its sheet is deleted, and leaves nothing behind', async () => {
    const { made, id, release } = await waiting();
    await me.delete(made.path);
    release();
    await cancelled(id);
    expect(await copies()).toEqual([]);
  });

  /** Waits until the search has failed in the database, because no route returns it any more. */
  const cancelled = (id: string) =>
    until(async () => (await app.sql(`SELECT FROM regressions WHERE id = $1 AND status = 'failed'`, [id])).length > 0);

  it.each([
    ['the good version is the later one', () => ({ good_version: 2, bad_version: 1 }), 'older'],
    ['both are one version', () => ({ good_version: 2, bad_version: 2 }), 'older'],
    ['there is no such version', () => ({ good_version: 1, bad_version: 4000 }), 'not found', 404],
    ['there is no such prompt', () => ({ good_version: 1, bad_version: 2, prompt_id: 999_999 }), 'not found', 404],
    ['the sheet has no scorecard', () => ({ good_version: 1, bad_version: 2, scored_by: 'scorecard' }), 'no scorecard'],
    ['nothing says what a score is', () => ({ good_version: 1, bad_version: 2 }), 'column_ids'],
  ])('is refused when %s', async (_, body, message, status = 400) => {
    const sheet = await newSheet(me, ['1', '2', '3']);
    const refused = (await me.post(`${sheet.path}/regressions`, body(), status)) as { message: string };
    expect(refused.message).toContain(message);
  });

  it('is refused for versions of another sheet, a score that code makes, and a version without the columns', async () => {
    const [sheet, other] = [await newSheet(me, ['1', '2']), await newSheet(me, ['1', '2'])];
    const { data } = (await me.get(`${other.path}/versions`)) as { data: { id: string }[] };
    const [bad, good] = data.map(({ id }) => id);
    await me.post(`${sheet.path}/regressions`, { good_version: good, bad_version: bad }, 404);
    await me.post(
      `${other.path}/regressions`,
      { good_version: good, bad_version: bad, column_ids: [sheet.columnId] },
      404,
    );
    const notes = await addColumn(me, sheet, { title: 'Notes', type: 'TEXT' });
    const late = { good_version: 1, bad_version: 3, column_ids: [notes.id] };
    expect(await me.post(`${sheet.path}/regressions`, late, 400)).toMatchObject({
      message: 'Version 1 of the sheet has none of the columns that hold the score.',
    });
    await configureScore(me, sheet, { code: 'return { score: 1 }', code_language: 'JAVASCRIPT' });
    const custom = await me.post(`${sheet.path}/regressions`, { good_version: 1, bad_version: 2 }, 400);
    expect(custom).toMatchObject({ message: expect.stringContaining('made by code') });
  });

  it('is taken over from a worker that died', async () => {
    const { made, id, release } = await waiting();
    await app.sql(
      `UPDATE regressions SET status = 'running', claim = gen_random_uuid(), lease_until = now() - interval '1 second',
              attempts = 1 WHERE id = $1`,
      [id],
    );
    expect((await readRegression(me, made, id)).status).toBe('running');
    release();
    expectFall(await endOfRegression(me, made, id), made.at(8), made.at(9));
  });
});
