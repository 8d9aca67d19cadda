import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { addColumn, type Cell, cellsOf, type Column, newSheet, settled, type TestSheet } from '../support/factories.js';
import { activeOperation, type Metered, readOperation, recalculate } from '../support/external-cells.js';
import { FakeVendors } from '../support/fake-vendors.js';
import { addCredential, CREDENTIALS } from '../support/model-credentials.js';
import { publishPrompt } from '../support/prompts.js';
import { TestApp } from '../support/test-app.js';
import { until } from '../support/until.js';

const ENV = {
  OUTBOUND_ALLOW_PRIVATE: 'on',
  EXTERNAL_BACKOFF_MS: '10',
  EXTERNAL_CONCURRENCY: '20',
  EXTERNAL_CONCURRENCY_PER_WORKSPACE: '20',
};

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
beforeEach(() => vendors.reset());

let counter = 0;
/** A text that no other test has asked about, so that no result is reused. */
const fresh = (text: string) => `${text} ${++counter}`;

const MODEL = { provider: 'openai', name: 'gpt-4.1-mini', parameters: {} };
const message = (role: string, text: string) => ({ role, content: [{ type: 'text', text }] });
const template = (...messages: object[]) => ({ type: 'chat', messages });
const inline = (text: string, more: object = {}) => ({
  inline_template: {
    inline: true,
    prompt_template: template(message('user', text)),
    metadata: { model: { ...MODEL, ...more } },
  },
  prompt_template_variable_mappings: { thing: 'Column A' },
});

const addPrompt = (client: Client, sheet: TestSheet, config: object, title = 'Answer'): Promise<Column> =>
  addColumn(client, sheet, { title, type: 'PROMPT_TEMPLATE', config });

/** The cells of a column with this config over rows of these texts. */
async function computed(
  config: object,
  texts: string[],
  client = me,
): Promise<{ sheet: TestSheet; cells: Metered[]; column: Column }> {
  const sheet = await newSheet(client, texts);
  const column = await addPrompt(client, sheet, config);
  await settled(client, sheet);
  return { sheet, column, cells: (await cellsOf(client, sheet, column.id)) as Metered[] };
}

describe('a column of a prompt', () => {
  it('holds the answer of the model to the prompt with the values of the row', async () => {
    const { cells } = await computed(inline('What is {thing}?'), ['rain', 'snow']);
    expect(cells.map(({ status, value }) => [status, value])).toEqual([
      ['completed', 'You said: What is rain?'],
      ['completed', 'You said: What is snow?'],
    ]);
  });

  it('logs every call with its prompt, its cell and a trace of the steps', async () => {
    const name = fresh('weather');
    await publishPrompt(me, name, { message: 'And {thing}?', model: MODEL });
    const text = fresh('hail');
    const config = { template: { name }, prompt_template_variable_mappings: { thing: 'Column A' } };
    const { sheet, column, cells } = await computed(config, [text]);
    const {
      request_ids: ids,
      trace_ids: traces,
      price,
    } = cells[0]!.request_metrics as { request_ids: number[]; trace_ids: string[]; price: number };
    expect(price).toBeGreaterThan(0);
    const log = (await me.get(`/api/public/v2/requests/${ids[0]}`)) as Record<string, never>;
    expect(log).toMatchObject({
      provider: 'openai',
      model: 'gpt-4.1-mini',
      prompt_name: name,
      prompt_version_number: 1,
      prompt_input_variables: { thing: text },
      metadata: { table_id: sheet.tableId, sheet_id: sheet.id, column_id: column.id, row_index: '0' },
      status: 'SUCCESS',
    });
    const { spans } = (await me.get(`/api/public/v2/traces/${traces[0]}`)) as {
      spans: { name: string; parent_id: string | null; id: string; request_log_id: number | null }[];
    };
    const root = spans.find((span) => span.parent_id === null)!;
    expect(root.name).toBe('Answer');
    expect(
      spans
        .filter((span) => span !== root)
        .map((span) => span.name)
        .sort(),
    ).toEqual(['openai.chat.completions.create', 'render']);
  });

  it('keeps price and latency with the cells', async () => {
    const { sheet } = await computed(inline('How much is {thing}?'), [fresh('rain')]);
    const page = (await me.get(`${sheet.path}/rows?include_system_columns=true`)) as {
      data: { cells: Record<string, Cell> }[];
      columns: Column[];
    };
    const valueOf = (title: string) =>
      page.data[0]!.cells[page.columns.find((column) => column.title === title)!.id]!.value;
    expect(valueOf('Answer.price')).toBeGreaterThan(0);
    expect(valueOf('Answer.latency')).toEqual(expect.any(Number));
  });

  it('goes stale when its label is moved, and then uses the new version', async () => {
    const name = fresh('moving');
    await publishPrompt(me, name, { message: 'First: {thing}', model: MODEL, labels: ['live'] });
    await publishPrompt(me, name, { message: 'Second: {thing}', model: MODEL });
    const config = { template: { name, label: 'live' }, prompt_template_variable_mappings: { thing: 'Column A' } };
    const { sheet, column, cells } = await computed(config, ['x']);
    expect(cells[0]!.value).toBe('You said: First: x');
    await publishPrompt(me, name, { message: 'Third: {thing}', model: MODEL, labels: ['live'] });
    await until(async () => (await cellsOf(me, sheet, column.id))[0]!.status === 'stale');
    await recalculate(me, sheet);
    await settled(me, sheet);
    expect((await cellsOf(me, sheet, column.id))[0]!.value).toBe('You said: Third: x');
  });

  it('calls the engine instead of the model of the prompt', async () => {
    const engine = { provider: 'openai', model: 'gpt-5-nano', parameters: { temperature: 0.5 } };
    const { cells } = await computed({ ...inline('Who is {thing}?'), engine }, [fresh('Ada')]);
    expect(cells[0]!.status).toBe('completed');
    expect(vendors.calls[0]!.body).toMatchObject({ model: 'gpt-5-nano', temperature: 0.5 });
  });

  it('puts the messages of a conversation behind those of the prompt', async () => {
    const history = [
      message('user', 'Hello'),
      { role: 'assistant', content: 'Yes?' },
      { role: 'user', content: fresh('Bye') },
    ];
    const sheet = await newSheet(me, [JSON.stringify(history)]);
    const config = { ...inline('Be short.'), prompt_template_variable_mappings: {}, chat_history_source: 'Column A' };
    const column = await addPrompt(me, sheet, config);
    await settled(me, sheet);
    expect((await cellsOf(me, sheet, column.id))[0]!.value).toMatch(/^You said: Bye/);
    expect((vendors.calls[0]!.body.messages as { role: string }[]).map(({ role }) => role)).toEqual([
      'user',
      'user',
      'assistant',
      'user',
    ]);
  });

  it('holds the answer with its details when it is verbose, and the prompt alone when no answer is wanted', async () => {
    const text = fresh('fog');
    const { cells } = await computed({ ...inline('What is {thing}?'), verbose: true }, [text]);
    expect(cells[0]!.value).toMatchObject({
      output: `You said: What is ${text}?`,
      model: 'gpt-4.1-mini',
      input_tokens: 12,
    });
    const called = vendors.calls.length;
    const { cells: filled } = await computed({ ...inline('What is {thing}?'), return_template_only: true }, [text]);
    expect(filled[0]!.value).toMatchObject([{ role: 'user', content: [{ text: `What is ${text}?` }] }]);
    expect(vendors.calls.length).toBe(called);
  });

  it('holds JSON where the prompt demands it', async () => {
    vendors.reply = () => ({ text: '{"sunny": true}' });
    const format = { parameters: { response_format: { type: 'json_object' } } };
    const { cells } = await computed(inline('Sun in {thing}?', format), [fresh('June')]);
    expect(cells[0]!.value).toEqual({ sunny: true });
  });
});

describe('a cell says why it has no answer', () => {
  const errorOf = async (config: object, text = fresh('rain')) =>
    (await computed(config, [text])).cells[0]!.error_message;

  it('when a variable of the prompt has no column, before anything is spent', async () => {
    expect(await errorOf(inline('{thing} and {other}?'))).toBe(
      'The prompt asks for "other", which prompt_template_variable_mappings maps to no column.',
    );
    expect(vendors.calls).toHaveLength(0);
  });

  it('when there is no credential of the provider', async () => {
    expect(await errorOf(inline('{thing}?', { provider: 'anthropic' }))).toContain(
      'This workspace has no credential for the provider anthropic. Add one with POST /api/admin/v1/workspaces/{id}/model-credentials.',
    );
  });

  it('when the credential that it names is not there', async () => {
    expect(await errorOf({ ...inline('{thing}?'), credential: 'other' })).toContain(
      'no credential "other" for the provider openai, but "default"',
    );
  });

  it('when the prompt, its version or its label is not there', async () => {
    const none = { prompt_template_variable_mappings: { thing: 'Column A' } };
    expect(await errorOf({ ...none, template: { name: 'nowhere' } })).toContain('nowhere');
    const name = fresh('exists');
    await publishPrompt(me, name, { message: '{thing}', model: MODEL });
    expect(await errorOf({ ...none, template: { name, label: 'gone' } })).toContain('gone');
    expect(await errorOf({ ...none, template: { name, version_number: 7 } })).toContain('7');
  });

  it('when nothing names a model', async () => {
    const config = {
      inline_template: { inline: true, prompt_template: template(message('user', '{thing}')) },
      prompt_template_variable_mappings: { thing: 'Column A' },
    };
    expect(await errorOf(config)).toContain('The prompt names no model.');
  });

  it('when the model refuses, and its answer is kept in the log', async () => {
    vendors.reply = () => ({
      raw: JSON.stringify({
        choices: [
          { index: 0, finish_reason: 'stop', message: { role: 'assistant', content: null, refusal: 'I must not.' } },
        ],
        usage: { prompt_tokens: 3, completion_tokens: 2 },
      }),
    });
    const { cells } = await computed(inline('{thing}?'), [fresh('secrets')]);
    expect(cells[0]).toMatchObject({ status: 'error', error_message: 'The model refused to answer: I must not.' });
    expect(cells[0]!.request_metrics).toMatchObject({ request_count: 1, input_tokens: 3 });
  });

  it('when JSON is demanded and none comes', async () => {
    const format = { parameters: { response_format: { type: 'json_object' } } };
    expect(await errorOf(inline('Sun in {thing}?', format))).toContain('The answer is no valid JSON');
  });

  it.each([
    [
      'an error',
      { status: 400, message: 'This model does not exist.' } as const,
      'openai answered 400: This model does not exist.',
      1,
    ],
    [
      'an error that stays',
      { status: 500, message: 'Out of order.' } as const,
      'openai answered 500: Out of order.',
      4,
    ],
    ['too many requests', { status: 429, message: 'Slow down.' } as const, 'openai answered 429: Slow down.', 4],
    ['half an answer', 'break' as const, 'openai could not be reached', 4],
    ['an answer that is no JSON', { raw: '<html>' } as const, 'The call of openai failed', 1],
  ])('when the service gives %s', async (_, reply, said, calls) => {
    vendors.reply = () => reply;
    const { cells } = await computed(inline('{thing}?'), [fresh('rain')]);
    expect(cells[0]!.error_message).toContain(said);
    expect(vendors.calls).toHaveLength(calls);
    expect(cells[0]!.request_metrics).toMatchObject({ request_count: calls });
  });

  it('when no answer comes in time', async () => {
    vendors.reply = () => 'hang';
    const error = await app.withSettings({ externalTimeLimitMs: 2000 }, () => errorOf(inline('{thing}?')));
    expect(error).toBe('It took longer than 2 seconds and was stopped.');
    await until(() => Promise.resolve(vendors.hungUp === 1));
  });

  it('and the others have their answers', async () => {
    const bad = fresh('bad');
    vendors.reply = ({ text }) => (text.includes(bad) ? { status: 400, message: 'No.' } : { text: 'fine' });
    const { cells } = await computed(inline('{thing}?'), [bad, ...Array.from({ length: 9 }, () => fresh('good'))]);
    expect(cells.map(({ status }) => status)).toEqual(['error', ...Array.from({ length: 9 }, () => 'completed')]);
  });
});

describe('a call', () => {
  it('is tried again after the time that the service asks for', async () => {
    let refused = 0;
    vendors.reply = () =>
      refused++ < 2 ? { status: 429, message: 'Later.', headers: { 'retry-after-ms': '50' } } : { text: 'now' };
    const { cells } = await computed(inline('{thing}?'), [fresh('rain')]);
    expect(cells[0]).toMatchObject({ status: 'completed', value: 'now' });
    expect(cells[0]!.request_metrics).toMatchObject({ request_count: 3 });
  });

  it('ends on the wire when the operation is cancelled', async () => {
    const sheet = await newSheet(me, [fresh('a'), fresh('b')]);
    const column = await addPrompt(me, sheet, inline('{thing}?'));
    await settled(me, sheet);
    vendors.reset();
    vendors.reply = () => 'hang';
    const id = await recalculate(me, sheet, { force: true });
    await until(() => Promise.resolve(vendors.open === 2));
    await me.delete(`${sheet.path}/operations/${id}`);
    await until(() => Promise.resolve(vendors.hungUp === 2));
    expect((await readOperation(me, sheet, id)).status).toBe('cancelled');
    expect((await cellsOf(me, sheet, column.id)).every(({ value }) => value !== null)).toBe(true);
  });

  it('waits for its turn where the credential limits how many there are at a time', async () => {
    const { id } = await addCredential(me, {
      provider: 'openai',
      name: 'narrow',
      base_url: `${vendors.url}/v1`,
      max_concurrency: 2,
    });
    vendors.delayMs = 30;
    const texts = Array.from({ length: 8 }, () => fresh('turn'));
    const { cells } = await computed({ ...inline('{thing}?'), credential: 'narrow' }, texts);
    expect(cells.every(({ status }) => status === 'completed')).toBe(true);
    expect(vendors.mostOpen).toBe(2);
    await me.delete(`${CREDENTIALS}/${id}`);
  });

  it('waits, longer than a cell may take, for the minute in which it is allowed', async () => {
    const { id } = await addCredential(me, {
      provider: 'openai',
      name: 'slow',
      base_url: `${vendors.url}/v1`,
      requests_per_minute: 1,
    });
    const sheet = await newSheet(me, [fresh('a'), fresh('b')]);
    await addPrompt(me, sheet, { ...inline('{thing}?'), credential: 'slow' });
    await until(() => Promise.resolve(vendors.calls.length === 1));
    const operation = await activeOperation(me, sheet);
    await me.delete(`${sheet.path}/operations/${operation}`);
    await until(async () => (await readOperation(me, sheet, operation)).status === 'cancelled');
    expect(vendors.calls).toHaveLength(1);
    await me.delete(`${CREDENTIALS}/${id}`);
  });
});

describe('a plan of an operation', () => {
  const planOf = (sheet: TestSheet) =>
    me.post(`${sheet.path}/operations`, { operation: 'recalculate', statuses: [], dry_run: true }, 200);

  it('estimates the cost from earlier cells of the column, and starts nothing', async () => {
    const { sheet, column } = await computed(inline('What is {thing}?'), [fresh('rain'), fresh('snow')]);
    const called = vendors.calls.length;
    const plan = (await planOf(sheet)) as { cost: number };
    expect(plan).toMatchObject({
      dry_run: true,
      cell_count: 2,
      input_tokens: 24,
      output_tokens: 10,
      columns: [
        { column_id: column.id, type: 'PROMPT_TEMPLATE', cell_count: 2, estimated_from: 'history', seconds: 1 },
      ],
    });
    expect(plan.cost).toBeGreaterThan(0);
    expect(vendors.calls).toHaveLength(called);
    expect((await cellsOf(me, sheet, column.id)).every(({ status }) => status === 'completed')).toBe(true);
  });

  it('leaves cells out that are being computed already', async () => {
    const { sheet, column } = await computed(inline('What is {thing}?'), [fresh('rain'), fresh('snow'), fresh('hail')]);
    vendors.reply = () => 'hang';
    const some = { column_ids: [column.id], row_indices: [0, 1], force: true };
    await me.post(`${sheet.path}/cells/recalculations`, some, 202);
    expect(await planOf(sheet)).toMatchObject({ cell_count: 1 });
    await me.delete(`${sheet.path}/operations/${await activeOperation(me, sheet)}`);
    expect(await planOf(sheet)).toMatchObject({ cell_count: 3 });
  });

  it('estimates the cost from the prompt and the prices when there are no earlier cells', async () => {
    const config = inline('Tell me everything about {thing}.', { provider: 'anthropic', name: 'claude-sonnet-4-5' });
    const { sheet } = await computed(config, [fresh('rain'), fresh('snow')]);
    const plan = (await planOf(sheet)) as { cost: number; input_tokens: number };
    expect(plan).toMatchObject({ cell_count: 2, seconds: null, columns: [{ estimated_from: 'template' }] });
    expect(plan.cost).toBeGreaterThan(0);
    expect(plan.input_tokens).toBeGreaterThan(20);
  });

  it('costs nothing with the model that is built in', async () => {
    const sheet = await newSheet(me, [fresh('rain')]);
    await addPrompt(me, sheet, inline('{thing}', { provider: 'tracesheet', name: 'echo' }));
    await settled(me, sheet);
    expect(await planOf(sheet)).toMatchObject({ cost: 0, columns: [{ estimated_from: 'history', cost: 0 }] });
  });

  it('costs nothing where the server computes by itself', async () => {
    const sheet = await newSheet(me, ['a']);
    await addColumn(me, sheet, { title: 'N', type: 'COUNT', config: { source: 'Column A', type: 'chars' } });
    await settled(me, sheet);
    expect(await planOf(sheet)).toMatchObject({ cell_count: 1, cost: 0, columns: [{ estimated_from: null, cost: 0 }] });
  });
});

describe('the model that is built in', () => {
  it('repeats the last message without a credential, and answers with JSON on request', async () => {
    const echo = { provider: 'tracesheet', name: 'echo' };
    const text = fresh('Hello');
    const { cells } = await computed(inline('{thing}', echo), [text]);
    expect(cells[0]).toMatchObject({ status: 'completed', value: text, request_metrics: { price: 0 } });
    const [id] = cells[0]!.request_metrics!.request_ids as number[];
    expect(await me.get(`/api/public/v2/requests/${id}`)).toMatchObject({ price: 0 });
    const schema = { type: 'object', properties: { value: { type: 'boolean' }, reasoning: { type: 'string' } } };
    const format = { type: 'json_schema', json_schema: { name: 'verdict', schema } };
    const judged = await computed(inline('{thing}', { ...echo, parameters: { response_format: format } }), [text]);
    expect(judged.cells[0]!.value).toEqual({ value: expect.any(Boolean), reasoning: `Echo: ${text}` });
    expect(vendors.calls).toHaveLength(0);
  });
});

describe('a column that cannot be made', () => {
  it.each([
    ['has no prompt', { prompt_template_variable_mappings: {} }, 'give either template or inline_template'],
    ['has two prompts', { ...inline('x'), template: { name: 'x' } }, 'give either template or inline_template'],
    ['has no mappings', { template: { name: 'x' } }, 'prompt_template_variable_mappings is required'],
    [
      'maps to a column that is not there',
      { template: { name: 'x' }, prompt_template_variable_mappings: { a: 'Nowhere' } },
      'Nowhere',
    ],
    [
      'has a prompt that is none',
      { inline_template: { inline: true, prompt_template: { type: 'chat' } }, prompt_template_variable_mappings: {} },
      'inline_template',
    ],
    [
      'has a version that is no number',
      { template: { name: 'x', version_number: 'one' }, prompt_template_variable_mappings: {} },
      'template.version_number',
    ],
  ])('because it %s', async (_, config, said) => {
    const sheet = await newSheet(me, ['x']);
    const body = { title: 'Answer', type: 'PROMPT_TEMPLATE', config };
    const { message: text } = (await me.post(`${sheet.path}/columns`, body, 400)) as { message: string };
    expect(text).toContain(said);
  });
});
