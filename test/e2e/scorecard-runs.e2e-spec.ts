import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { publishPrompt } from '../support/prompts.js';
import { calculateScorecard, configureScorecard, withSteps } from '../support/scorecards.js';
import { textSheet } from '../support/scores.js';
import { TestApp } from '../support/test-app.js';

let app: TestApp;
let me: Client;
beforeAll(async () => {
  app = await TestApp.start();
  me = app.client;
});
afterAll(() => app.stop());

type Sheet = Awaited<ReturnType<typeof textSheet>>;
const RUNS = '/api/public/v2/scorecard-calculations';
const TITLES = ['question', 'expected', 'Output'];
const RIGHT = {
  title: 'Right',
  primitive_type: 'CONTAINS',
  primitive_config: { source: 'Output', value_source: 'expected' },
};
const regex = (pattern: string) => ({
  title: 'Shape',
  primitive_type: 'REGEX',
  primitive_config: { source: 'Output', regex_pattern: pattern },
});

const SHAPE = regex('^city');

interface Compared {
  scorer_changed: boolean;
  criteria: Record<string, { title: string; scorer_changed: boolean; scorer_changes: string[] }>;
}
const compare = async (sheet: Sheet, id: string, other: string) =>
  (await me.get(`${sheet.path}/scorecard/calculations/${id}/comparison?with=${other}`)) as Compared;
const changesOf = ({ criteria }: Compared) =>
  Object.fromEntries(Object.values(criteria).map(({ title, scorer_changes: changes }) => [title, changes]));

interface Lines {
  runs: {
    calculation_id: string;
    matched_by: string[];
    unmatched_row_count: number;
    columns: { title: string; role: string }[];
  }[];
  rows: {
    runs: ({
      row_index: number;
      verdict: string;
      score: number;
      cells: { text: string | null }[];
      steps: { reason: string | null }[];
    } | null)[];
  }[];
  total_count: number;
  next_cursor: number | null;
}
const lines = async (ids: string[], query = '') =>
  (await me.get(`${RUNS}/rows?calculation_ids=${ids.join(',')}${query}`)) as Lines;
const indexes = ({ rows }: Lines) => rows.map(({ runs }) => runs[0]!.row_index);

const capitals = (...outputs: string[]) =>
  textSheet(
    me,
    TITLES,
    outputs.map((output, row) => [`question ${row}`, `city ${row}`, output]),
  );

describe('a scorer', () => {
  it('is the same one when only what is judged has changed', async () => {
    const sheet = await capitals('city 0', 'no');
    const { id: first } = await calculateScorecard(me, sheet, [RIGHT, regex('^city')]);
    await me.patch(`${sheet.path}/cells`, { cells: [{ row_index: 1, column: 'Output', value: 'city 1' }] });
    await me.patch(`${sheet.path}/columns/${sheet.ids[2]}`, { title: 'Answer' });
    const { id: second } = await calculateScorecard(me, sheet);
    const compared = await compare(sheet, second, first);
    expect(compared.scorer_changed).toBe(false);
    expect(changesOf(compared)).toEqual({ Right: [], Shape: [] });
  });

  it('is another one with another pattern, although the step is the same', async () => {
    const sheet = await capitals('city 0', 'no');
    const { steps } = await configureScorecard(me, sheet, withSteps([RIGHT, regex('^city')]));
    const { id: first } = await calculateScorecard(me, sheet);
    const [right, shape] = steps.map(({ id }) => id);
    await configureScorecard(
      me,
      sheet,
      withSteps([
        { ...RIGHT, id: right },
        { ...regex('^CITY'), id: shape },
      ]),
    );
    const { id: second } = await calculateScorecard(me, sheet);
    const compared = await compare(sheet, second, first);
    expect(compared.scorer_changed).toBe(true);
    expect(changesOf(compared)).toEqual({ Right: [], Shape: ['config'] });
  });

  it('is another one when a column between it and what is judged is computed otherwise', async () => {
    const sheet = await capitals('city 0', 'no');
    const config = (value: string) => ({ source: 'Output', type: value });
    const length = (await me.post(
      `${sheet.path}/columns`,
      { title: 'Length', type: 'COUNT', config: config('chars') },
      201,
    )) as {
      column: { id: string };
    };
    const step = {
      title: 'Short',
      primitive_type: 'COMPARE',
      primitive_config: { sources: ['Length'], comparison_type: { type: 'STRING' }, target: '6' },
    };
    await configureScorecard(me, sheet, withSteps([step], { evaluated_column_ids: ['Output'] }));
    const { id: first } = await calculateScorecard(me, sheet);
    await me.patch(`${sheet.path}/columns/${length.column.id}`, { config: config('words') });
    const { id: second } = await calculateScorecard(me, sheet);
    expect(changesOf(await compare(sheet, second, first))).toEqual({ Short: ['columns'] });
  });

  it('is another one when its label has moved to another version of the prompt', async () => {
    const sheet = await capitals('city 0', 'no');
    const version = { metadata: { model: { provider: 'tracesheet', name: 'echo', parameters: {} } } };
    const prompt = (message: string) => publishPrompt(me, 'judge/length', { message, version });
    await prompt('{answer}');
    const judge = {
      title: 'Judge',
      primitive_type: 'PROMPT_TEMPLATE',
      primitive_config: { template: { name: 'judge/length' }, prompt_template_variable_mappings: { answer: 'Output' } },
    };
    const { id: first } = await calculateScorecard(me, sheet, [judge]);
    const { id: same } = await calculateScorecard(me, sheet);
    expect(changesOf(await compare(sheet, same, first))).toEqual({ Judge: [] });
    await prompt('{answer}!');
    const { id: second } = await calculateScorecard(me, sheet);
    const compared = await compare(sheet, second, same);
    expect([compared.scorer_changed, changesOf(compared)]).toEqual([true, { Judge: ['versions'] }]);
  });

  it('is known in another sheet by the titles of what it reads', async () => {
    const [one, two] = [await capitals('city 0', 'no'), await capitals('city 0', 'city 1')];
    const { id: first } = await calculateScorecard(me, one, [RIGHT, regex('^city')]);
    const { id: second } = await calculateScorecard(me, two, [RIGHT, regex('^CITY')]);
    const compared = await compare(two, second, first);
    expect([compared.scorer_changed, changesOf(compared)]).toEqual([true, { Right: [], Shape: ['config'] }]);
  });

  it('over a whole row changes with its steps and its aggregation', async () => {
    const sheet = await capitals('city 0', 'no');
    const { id: first } = await calculateScorecard(me, sheet, [RIGHT]);
    const { steps } = await configureScorecard(me, sheet, withSteps([RIGHT]));
    const kept = { ...RIGHT, id: steps[0]!.id };
    const { id: same } = await calculateScorecard(me, sheet);
    expect(await compare(sheet, same, first)).toMatchObject({ scorer_changed: false });
    await configureScorecard(me, sheet, withSteps([kept], { aggregation: { method: 'min' } }));
    const { id: second } = await calculateScorecard(me, sheet);
    const compared = await compare(sheet, second, same);
    expect([compared.scorer_changed, changesOf(compared)]).toEqual([true, { Right: [] }]);
  });
});

describe('calculations of a workspace', () => {
  it('are listed newest first, with their sheets, page by page', async () => {
    const sheet = await capitals('city 0', 'no');
    const ids: string[] = [];
    for (let at = 0; at < 3; at++)
      ids.unshift((await calculateScorecard(me, sheet, at === 0 ? [RIGHT] : undefined)).id);
    const list = async (query: string) =>
      (await me.get(`${RUNS}?sheet_id=${sheet.id}${query}`)) as {
        data: { calculation_id: string }[];
        next_cursor: string | null;
      };
    const first = await list('&limit=2');
    expect(first.data).toMatchObject([
      {
        calculation_id: ids[0],
        sheet_id: sheet.id,
        status: 'completed',
        score: 0.5,
        verdict: 'fail',
        n: 2,
        verdict_counts: { pass: 1, fail: 1 },
        is_partial: false,
        scorecard_name: 'Quality',
      },
      { calculation_id: ids[1] },
    ]);
    const rest = await list(`&limit=2&cursor=${first.next_cursor}`);
    expect(rest.data.map((each) => each.calculation_id)).toEqual([ids[2]]);
    const oldest = await list('&order=asc&completed=true&limit=1');
    expect(oldest.data.map((each) => each.calculation_id)).toEqual([ids[2]]);
    expect(await me.get(`${RUNS}?limit=1`)).toMatchObject({ data: [{ calculation_id: ids[0] }] });
    await me.get(`${RUNS}?cursor=nonsense`, 400);
    await me.get(`${RUNS}?sheet_id=nonsense`, 422);
    expect(await me.get(`${RUNS}?sheet_id=${randomUUID()}`)).toMatchObject({ data: [] });
    await me.delete(`${sheet.path}/scorecard`);
    expect(await list('')).toMatchObject({ data: [] });
  });
});

describe('rows of calculations side by side', () => {
  it('are those of one calculation, as they were scored, with filters', async () => {
    const sheet = await capitals('city 0', 'no', 'city 2');
    const { id } = await calculateScorecard(me, sheet, [RIGHT]);
    await me.patch(`${sheet.path}/cells`, { cells: [{ row_index: 1, column: 'Output', value: 'changed since' }] });
    const all = await lines([id]);
    expect(all.runs[0]!.columns.map(({ title, role }) => [title, role])).toEqual([
      ['Column A', 'input'],
      ['question', 'input'],
      ['expected', 'input'],
      ['Output', 'output'],
    ]);
    expect(all.rows[1]!.runs[0]).toMatchObject({
      row_index: 1,
      verdict: 'fail',
      score: 0,
      cost: null,
      cells: [
        { text: null },
        { text: 'question 1' },
        { text: 'city 1' },
        { text: 'no', is_truncated: false, error: null },
      ],
      steps: [{ verdict: 'fail', score: 0 }],
    });
    expect(indexes(await lines([id], '&verdict=fail'))).toEqual([1]);
    expect(indexes(await lines([id], '&min_score=0.5'))).toEqual([0, 2]);
    expect(indexes(await lines([id], '&max_score=0.5'))).toEqual([1]);
    const page = await lines([id], '&verdict=pass&limit=1');
    expect([indexes(page), page.total_count, page.next_cursor]).toEqual([[0], 2, 0]);
    const rest = await lines([id], '&verdict=pass&limit=1&cursor=0');
    expect([indexes(rest), rest.next_cursor]).toEqual([[2], null]);
  });

  it('cuts long texts, and says so', async () => {
    const sheet = await capitals('x'.repeat(5000));
    const { id } = await calculateScorecard(me, sheet, [RIGHT]);
    const cell = (await lines([id])).rows[0]!.runs[0]!.cells[3]!;
    expect(cell).toMatchObject({ is_truncated: true });
    expect(cell.text).toHaveLength(4000);
  });

  it('are those of several calculations, of one sheet and of another', async () => {
    const sheet = await capitals('no', 'city 1', 'no');
    const { id: first } = await calculateScorecard(me, sheet, [RIGHT]);
    await me.patch(`${sheet.path}/cells`, {
      cells: [
        { row_index: 0, column: 'Output', value: 'city 0' },
        { row_index: 1, column: 'Output', value: 'no' },
      ],
    });
    const { id: second } = await calculateScorecard(me, sheet);
    const other = await textSheet(me, TITLES, [
      ['question 2', 'city 2', 'city 2'],
      ['question 0', 'city 0', 'no'],
    ]);
    const { id: third } = await calculateScorecard(me, other, [RIGHT]);
    const found = await lines([first, second, third]);
    expect(found.runs.map((run) => [run.calculation_id, run.matched_by, run.unmatched_row_count])).toEqual([
      [first, [], 0],
      [second, [], 0],
      [third, ['question', 'expected'], 0],
    ]);
    const outputs = found.rows.map(({ runs }) => runs.map((run) => run && run.cells[3]!.text));
    expect(outputs).toEqual([
      ['no', 'city 0', 'no'],
      ['city 1', 'no', null],
      ['no', 'no', 'city 2'],
    ]);
    expect(indexes(await lines([first, second], '&change=any'))).toEqual([0, 1]);
    expect(indexes(await lines([first, second], '&change=better'))).toEqual([0]);
    expect(indexes(await lines([first, second], '&change=worse'))).toEqual([1]);
    expect(await lines([second, second])).toMatchObject({ runs: [{ calculation_id: second }] });
  });

  it('are paired by the columns that are named', async () => {
    const [one, two] = [
      await textSheet(
        me,
        ['key', 'question', 'Output'],
        [
          ['a', 'Who?', 'yes'],
          ['b', 'Where?', 'no'],
        ],
      ),
      await textSheet(
        me,
        ['key', 'question', 'Output'],
        [
          ['b', 'Where to?', 'yes'],
          ['c', 'Why?', 'no'],
        ],
      ),
    ];
    const step = { title: 'Yes', primitive_type: 'CONTAINS', primitive_config: { source: 'Output', value: 'yes' } };
    const { id: first } = await calculateScorecard(me, one, [step]);
    const { id: second } = await calculateScorecard(me, two, [step]);
    await me.get(`${RUNS}/rows?calculation_ids=${first},${second}`, 409);
    const { rows, runs } = await lines([first, second], '&match_by=key');
    expect(rows.map((row) => row.runs.map((run) => run && run.row_index))).toEqual([
      [0, null],
      [1, 0],
    ]);
    expect(runs[1]).toMatchObject({ matched_by: ['key'], unmatched_row_count: 1 });
  });

  it('carry what the cells that were scored took', async () => {
    const sheet = await capitals('', '');
    const config = {
      inline_template: {
        inline: true,
        prompt_template: {
          type: 'chat',
          messages: [{ role: 'user', content: [{ type: 'text', text: '{question}' }] }],
        },
        metadata: { model: { provider: 'tracesheet', name: 'echo' } },
      },
      prompt_template_variable_mappings: { question: 'question' },
    };
    await me.post(`${sheet.path}/columns`, { title: 'Answer', type: 'PROMPT_TEMPLATE', config, compute: true }, 201);
    const step = {
      title: 'Asked',
      primitive_type: 'CONTAINS',
      primitive_config: { source: 'Answer', value: 'question' },
    };
    await configureScorecard(me, sheet, withSteps([step], { evaluated_column_ids: ['Answer'] }));
    const { id } = await calculateScorecard(me, sheet);
    const found = await lines([id]);
    expect(found.runs[0]).toMatchObject({ cost: 0, unpriced_row_count: 0, latency_ms: expect.any(Number) as number });
    expect(found.rows[0]!.runs[0]).toMatchObject({
      cost: 0,
      latency_ms: expect.any(Number) as number,
      verdict: 'pass',
    });
  });

  it('refuses what is no list of completed calculations', async () => {
    const sheet = await capitals('city 0');
    const { id } = await calculateScorecard(me, sheet, [RIGHT]);
    const { id: twin } = await calculateScorecard(me, await capitals('city 0'), [RIGHT]);
    await me.get(`${RUNS}/rows`, 422);
    await me.get(`${RUNS}/rows?calculation_ids=nonsense`, 422);
    await me.get(`${RUNS}/rows?calculation_ids=${Array.from({ length: 7 }, () => randomUUID()).join(',')}`, 422);
    await me.get(`${RUNS}/rows?calculation_ids=${randomUUID()}`, 404);
    await me.get(`${RUNS}/rows?calculation_ids=${id}&verdict=good`, 400);
    await me.get(`${RUNS}/rows?calculation_ids=${id}&change=up`, 422);
    await me.get(`${RUNS}/rows?calculation_ids=${id}&min_score=2`, 422);
    await me.get(`${RUNS}/rows?calculation_ids=${id}&cursor=99999999999999999999`, 422);
    const stranger = await app.stranger();
    await stranger.get(`${RUNS}/rows?calculation_ids=${id}`, 404);
    expect(await stranger.get(`${RUNS}?sheet_id=${sheet.id}`)).toMatchObject({ data: [] });
    const other = await calculateScorecard(stranger, await textSheet(stranger, ['Output'], [['city 0']]), [SHAPE]);
    await me.get(`${RUNS}/rows?calculation_ids=${id},${other.id}`, 404);
    for (const by of ['%00', '%ED%A0%80', 'nobody', 'x'.repeat(5000)]) {
      const { status } = await me.request('GET', `${RUNS}/rows?calculation_ids=${id},${twin}&match_by=${by}`);
      expect([by, status < 500]).toEqual([by, true]);
    }
    expect(await lines([id], '&cursor=2000000000')).toMatchObject({ rows: [], total_count: 1, next_cursor: null });
  });
});
