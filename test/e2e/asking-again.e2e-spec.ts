import { describe, expect, it } from 'vitest';
import { readOperation, recalculate } from '../support/external-cells.js';
import { addColumn, cellsOf, newSheet, settled, type TestSheet } from '../support/factories.js';
import type { VendorReply } from '../support/fake-vendors.js';
import { computeColumn, fresh, inlinePrompt, useModelApp } from '../support/model-app.js';
import { addCredential, CREDENTIALS } from '../support/model-credentials.js';
import { publishPrompt } from '../support/prompts.js';
import {
  configureScorecard,
  ended,
  readScorecard,
  recalculate as recalculateScorecard,
  withSteps,
} from '../support/scorecards.js';
import { until } from '../support/until.js';
import { nodesOf, saveWorkflow, startRun } from '../support/workflow-runs.js';

const used = useModelApp();

const config = (more: object = {}) => ({
  inline_template: inlinePrompt('Say {thing}'),
  prompt_template_variable_mappings: { thing: 'Column A' },
  ...more,
});
const asked = () => used.vendors.calls.length;

interface Planned {
  title: string;
  column_id: string;
  cost: number | null;
  reusable_cell_count: number;
  cost_with_reuse: number | null;
}
const planOf = async (sheet: TestSheet, more: object = {}) => {
  const body = { operation: 'recalculate', dry_run: true, statuses: [], ...more };
  return (await used.me.post(`${sheet.path}/operations`, body, 200)) as Planned & { columns: Planned[] };
};

/** A computed column over rows of these texts; nothing is counted yet. */
async function computed(texts: string[], more: object = {}) {
  const column = await computeColumn(used, 'PROMPT_TEMPLATE', config(more), { 'Column A': texts });
  used.vendors.calls.length = 0;
  return column;
}

describe('a recalculation that somebody asks for', () => {
  it('asks the model again, once for equal cells', async () => {
    const [one, two] = [fresh('one'), fresh('two')];
    const { sheet, column } = await computed([one, two, one, one]);
    used.vendors.reply = ({ text }) => ({ text: `Again: ${text}` });
    const id = await recalculate(used.me, sheet, { statuses: [] });
    await settled(used.me, sheet);
    expect(asked()).toBe(2);
    expect(await readOperation(used.me, sheet, id)).toMatchObject({ completed_count: 4, reused_count: 2 });
    const cells = await cellsOf(used.me, sheet, column.id);
    expect(cells.map(({ value }) => value)).toEqual([one, two, one, one].map((text) => `Again: Say ${text}`));
  });

  it('reuses known results when the request allows it', async () => {
    const { sheet } = await computed([fresh('one'), fresh('two')]);
    const id = await recalculate(used.me, sheet, { statuses: [], reuse: true });
    await settled(used.me, sheet);
    expect(asked()).toBe(0);
    expect(await readOperation(used.me, sheet, id)).toMatchObject({ completed_count: 2, reused_count: 2 });
  });

  it('asks for every single cell when it is forced', async () => {
    const one = fresh('one');
    const { sheet } = await computed([one, one]);
    await recalculate(used.me, sheet, { statuses: [], force: true });
    await settled(used.me, sheet);
    expect(asked()).toBe(2);
  });
});

describe('a plan', () => {
  it('counts reusable cells, the cost of the rest, and cells that depend on results which may change', async () => {
    const one = fresh('one');
    const { sheet } = await computed([one, fresh('two')]);
    const judge = { source: 'Result', prompt: 'Is it good?', engine: { provider: 'openai', model: 'gpt-4.1' } };
    used.vendors.reply = () => ({ text: '{"value": true}' });
    const judged = await addColumn(used.me, sheet, { title: 'Judge', type: 'LLM_ASSERTION', config: judge });
    await addColumn(used.me, sheet, { title: 'Length', type: 'COUNT', config: { source: 'Result', type: 'chars' } });
    await settled(used.me, sheet);
    used.vendors.calls.length = 0;
    const all = await planOf(sheet);
    expect(all).toMatchObject({ cell_count: 6, reusable_cell_count: 4, cost_with_reuse: 0 });
    expect(all.cost).toBeGreaterThan(0);
    // Another cell has a newer answer to the same question, which this cell would reuse. The judge has not seen it.
    const elsewhere = await computed([one]);
    await recalculate(used.me, elsewhere.sheet, { statuses: [] });
    await settled(used.me, elsewhere.sheet);
    const half = await planOf(sheet);
    expect(half.columns.map(({ title, reusable_cell_count: count }) => [title, count])).toEqual([
      ['Result', 2],
      ['Judge', 1],
      ['Length', 0],
    ]);
    const [, planned] = half.columns;
    expect(planned!.cost_with_reuse).toBeCloseTo(planned!.cost! / 2, 10);
    // A prompt that was changed knows nothing.
    await used.me.patch(`${sheet.path}/columns/${judged.id}`, { config: { ...judge, prompt: 'Is it kind?' } });
    expect(await planOf(sheet, { column_ids: [judged.id] })).toMatchObject({ cell_count: 2, reusable_cell_count: 0 });
    expect(asked()).toBe(1);
  });
});

describe('a result that is known', () => {
  it('is that of cells that are added, and says so', async () => {
    const text = fresh('known');
    await computed([text]);
    const texts = { 'Column A': [text, fresh('other')] };
    const { sheet, cells } = await computeColumn(used, 'PROMPT_TEMPLATE', config(), texts);
    expect(asked()).toBe(1);
    expect(cells[0]!.request_metrics).toMatchObject({ reused_from: expect.any(String), price: 0 });
    const [first, second] = texts['Column A'].map((each) => `You said: Say ${each}`);
    const exported = async (query: string) =>
      (await used.me.request('GET', `${sheet.path}/export?${query}`)).bytes.toString();
    const lines = (await exported('format=jsonl&include_reused=true')).trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject([
      { Result: first, Reused: ['Result'] },
      { Result: second, Reused: [] },
    ]);
    const [header, row] = (await exported('format=csv&include_reused=true')).split(/\r?\n/);
    expect([header, row]).toEqual(['Column A,Result,Reused', `${text},${first},"[""Result""]"`]);
    expect(await exported('format=csv')).not.toContain('Reused');
  });

  it('is never a failure: with reuse, a failed cell calls the model again, in other operations and other cells', async () => {
    const texts = ['refused', 'failed', 'cut', 'fine'].map((text) => fresh(text));
    const failures: Record<string, VendorReply> = {
      refused: { status: 400, message: 'No' },
      failed: { raw: JSON.stringify({ error: { message: 'Overloaded for good', code: 400 } }) },
      cut: { raw: JSON.stringify({ choices: [{ index: 0, finish_reason: 'error', message: { content: 'So far' } }] }) },
    };
    const kindOf = (text: string) => Object.keys(failures).find((kind) => text.includes(kind));
    used.vendors.reply = ({ text }) => failures[kindOf(text) ?? ''] ?? { text: 'Good' };
    const { sheet, column, cells } = await computed(texts);
    expect(cells.map(({ status }) => status)).toEqual(['error', 'error', 'error', 'completed']);
    used.vendors.reply = () => ({ text: 'Better' });
    const other = await computeColumn(used, 'PROMPT_TEMPLATE', config(), { 'Column A': texts.slice(0, 1) });
    expect([other.cells[0]!.value, asked()]).toEqual(['Better', 1]);
    await recalculate(used.me, sheet, { statuses: [], reuse: true });
    await settled(used.me, sheet);
    const values = (await cellsOf(used.me, sheet, column.id)).map(({ value }) => value);
    // Cells reuse the result that another cell got in the meantime.
    expect([values, asked()]).toEqual([['Better', 'Better', 'Better', 'Good'], 3]);
  });

  it('is not that of another credential, or of one that leads elsewhere', async () => {
    const text = fresh('whose');
    await computed([text]);
    const base_url = `${used.vendors.url}/v1`;
    const { id } = await addCredential(used.me, { provider: 'openai', name: 'other', base_url });
    const other = await computeColumn(used, 'PROMPT_TEMPLATE', config({ credential: 'other' }), { 'Column A': [text] });
    expect([other.cells[0]!.status, asked()]).toEqual(['completed', 1]);
    await used.me.patch(`${CREDENTIALS}/${id}`, { base_url: `${used.vendors.url}/elsewhere/v1` });
    await computeColumn(used, 'PROMPT_TEMPLATE', config({ credential: 'other' }), { 'Column A': [text] });
    expect(asked()).toBe(2);
  });

  it('is not that of a judge of another credential', async () => {
    const judge = { source: 'Column A', prompt: 'Is it?', engine: { provider: 'openai', model: 'gpt-4.1' } };
    used.vendors.reply = () => ({ text: '{"value": true}' });
    const texts = { 'Column A': [fresh('judged')] };
    await computeColumn(used, 'LLM_ASSERTION', judge, texts);
    await computeColumn(used, 'LLM_ASSERTION', judge, texts);
    expect(asked()).toBe(1);
    await addCredential(used.me, { provider: 'openai', name: 'judge', base_url: `${used.vendors.url}/v1` });
    await computeColumn(used, 'LLM_ASSERTION', { ...judge, credential: 'judge' }, texts);
    expect(asked()).toBe(2);
  });
});

it('a cell that is being computed when the label of its prompt moves asks again, with the new version', async () => {
  const { me, vendors } = used;
  const name = fresh('moving');
  const model = { provider: 'openai', name: 'gpt-4.1-mini', parameters: {} };
  await publishPrompt(me, name, { message: 'First: {thing}', model, labels: ['live'] });
  vendors.reply = ({ text }) => (text.startsWith('First') ? 'hang' : { text });
  const sheet = await newSheet(me, ['x']);
  const mapped = { template: { name, label: 'live' }, prompt_template_variable_mappings: { thing: 'Column A' } };
  const { id } = await addColumn(me, sheet, { title: 'Answer', type: 'PROMPT_TEMPLATE', config: mapped });
  await until(() => Promise.resolve(vendors.open === 1));
  await publishPrompt(me, name, { message: 'Second: {thing}', model, labels: ['live'] });
  await until(() => Promise.resolve(vendors.hungUp === 1));
  await settled(me, sheet);
  expect((await cellsOf(me, sheet, id))[0]).toMatchObject({ status: 'completed', value: 'Second: x' });
});

it('a scorecard that is calculated again asks its judges again, unless known verdicts will do', async () => {
  used.vendors.reply = () => ({ text: '{"value": true}' });
  const sheet = await newSheet(used.me, [fresh('scored')]);
  const primitive_config = { source: 'Column A', prompt: fresh('Good?') };
  const step = { title: 'Judge', primitive_type: 'LLM_ASSERTION', primitive_config };
  const plan = (status: number) => used.me.post(`${sheet.path}/scorecard/recalculate`, { dry_run: true }, status);
  await plan(400);
  await configureScorecard(used.me, sheet, withSteps([step]));
  expect(await plan(200)).toMatchObject({ dry_run: true, cell_count: 1, reusable_cell_count: 0 });
  for (const [wish, calls] of [
    [{}, 1],
    [{ reuse: true }, 1],
    [{}, 2],
  ] as const) {
    await recalculateScorecard(used.me, sheet, wish);
    expect(await ended(used.me, sheet)).toMatchObject({ status: 'completed', aggregate_score: 1 });
    expect([wish, asked()]).toEqual([wish, calls]);
    const { latest_calculation: latest } = await readScorecard(used.me, sheet);
    expect(latest).toMatchObject({ reused_cell_count: 'reuse' in wish ? 1 : 0 });
  }
  expect(await plan(200)).toMatchObject({ cell_count: 1, reusable_cell_count: 1, cost_with_reuse: 0 });
  expect(asked()).toBe(2);
});

it('a workflow that runs again calls its models again, or names the nodes with reused results', async () => {
  used.vendors.reply = ({ text }) => ({ text: `Said: ${text}` });
  const configuration = {
    inline_template: inlinePrompt('Say {thing}'),
    prompt_template_variable_mappings: { thing: 'thing' },
  };
  const node = { name: 'Say', node_type: 'PROMPT_TEMPLATE', configuration };
  const { name } = await saveWorkflow(used.me, { inputs: { thing: 'string' }, nodes: [node] });
  const inputs = { thing: fresh('thing') };
  for (const [wish, calls] of [
    [{}, 1],
    [{}, 2],
    [{ reuse: true }, 2],
  ] as const) {
    const { Say } = await nodesOf(used.me, await startRun(used.me, name, inputs, wish));
    expect(Say).toMatchObject({ status: 'SUCCESS', value: `Said: Say ${inputs.thing}` });
    expect([asked(), 'reused_from' in Say!]).toEqual([calls, 'reuse' in wish]);
  }
});
