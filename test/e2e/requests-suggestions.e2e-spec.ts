import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { every } from '../support/every.js';
import { llmSpan, send, text } from '../support/otlp.js';
import { publishPrompt } from '../support/prompts.js';
import { REQUESTS } from '../support/request-logs.js';
import { TestApp } from '../support/test-app.js';

let app: TestApp;
let me: Client;
let ids: Record<string, number>;

/** A call with these attributes; `call` names a function that the answer calls. */
function calling(model: string, more: Record<string, string>, output: { call?: string; said?: string } = {}): object {
  const answer = output.call
    ? { role: 'assistant', parts: [{ type: 'tool_call', id: 'c', name: output.call, arguments: { city: 'Paris' } }] }
    : { role: 'assistant', parts: [{ type: 'text', content: output.said ?? 'Hello' }] };
  const sent = llmSpan({ model }) as { attributes: { key: string }[] };
  const others = sent.attributes.filter(({ key }) => key !== 'gen_ai.output.messages');
  const own = Object.entries({ ...more, 'gen_ai.output.messages': JSON.stringify([answer]) });
  return { ...sent, attributes: [...others, ...own.map(([key, value]) => text(key, value))] };
}

beforeAll(async () => {
  app = await TestApp.own({ works: false });
  me = await app.stranger();
  ids = {};
  for (const name of ['greeting', 'Goodbye', 'unused'])
    ids[name] = (await publishPrompt(me, name, { message: '{name}{empty}' })).id;
  const metadata = (key: string, value: string) => ({ [`promptlayer.metadata.${key}`]: value });
  const prompt = (name: string) => ({
    'promptlayer.prompt.name': name,
    'promptlayer.prompt.input_variables': JSON.stringify({
      name: name === 'greeting' ? 'Ada' : 'Bob',
      empty: '',
      unused: 'x',
    }),
  });
  await send(me, [
    calling('gpt-4o', {
      'promptlayer.tags': '["beta", "Alpha"]',
      ...metadata('team', 'support'),
      ...prompt('greeting'),
    }),
    calling('gpt-4o', { 'promptlayer.tags': '["beta"]', ...metadata('team', 'Sales'), ...prompt('greeting') }),
    calling('GPT-5', { 'promptlayer.tags': '["alpha"]', ...metadata('team', 'sales'), ...prompt('Goodbye') }),
    calling('claude', metadata('region', 'eu'), { call: 'get_weather' }),
    calling('claude', metadata('region', 'x'.repeat(2000)), { said: '{"verdict": "good", "score": {"value": 7}}' }),
    { ...calling('claude', {}, { said: '{"verdict": "bad"}' }), status: { code: 2, message: 'No' } },
  ]);
});
afterAll(() => app.stop());

async function suggest(query: string, client = me): Promise<string[]> {
  return ((await client.get(`${REQUESTS}/suggestions?${query}`)) as { values: string[] }).values;
}
const group = (filter: unknown) => `filter_group=${encodeURIComponent(JSON.stringify(filter))}`;
const filters = (...all: object[]) => group({ filters: all });

describe('suggestions', () => {
  const cases: [string, string[]][] = [
    ['field=engine', ['claude', 'gpt-4o', 'GPT-5']],
    ['field=engine&prefix=gpt', ['gpt-4o', 'GPT-5']],
    ['field=engine&prefix=GPT-4', ['gpt-4o']],
    ['field=engine&prefix=4o', []],
    ['field=engine&prefix=%25', []],
    ['field=provider_type', ['openai']],
    ['field=status', ['SUCCESS', 'ERROR']],
    ['field=status&prefix=err', ['ERROR']],
    ['field=tags', ['beta', 'Alpha', 'alpha']],
    ['field=tags&prefix=a', ['Alpha', 'alpha']],
    ['field=metadata_keys', ['team', 'region']],
    ['field=metadata_values&metadata_key=team', ['Sales', 'sales', 'support']],
    ['field=metadata_values&metadata_key=team&prefix=SA', ['Sales', 'sales']],
    ['field=metadata_values&metadata_key=region', ['eu']],
    ['field=metadata_values&metadata_key=nobody', []],
    ['field=tool_names', ['get_weather']],
    ['field=output_keys&prefix=v', ['verdict']],
    ['field=output_values&metadata_key=verdict', ['bad', 'good']],
    ['field=output_values&metadata_key=score.value', ['7']],
    ['field=output_values&metadata_key=tool_calls.function.arguments.city', ['Paris']],
    ['field=input_variable_keys', ['empty', 'name']],
    // Their prompts do not ask for it.
    ['field=input_variable_keys&prefix=un', []],
    ['field=input_variable_values&metadata_key=name', ['Ada', 'Bob']],
    ['field=input_variable_values&metadata_key=empty', []],
    ['field=input_variable_values&metadata_key=unused', []],
    ['field=prompt', ['greeting', 'Goodbye']],
    ['field=prompt&prefix=GOOD', ['Goodbye']],
    ['field=prompt&prefix=unu', []],
  ];

  it.each(cases)('for %s are %j', async (query, values) => {
    expect(await suggest(query)).toEqual(values);
  });

  it('for prompts are ids, also found by a name, or one name', async () => {
    const all = [String(ids.greeting), String(ids.Goodbye)];
    expect(await suggest('field=prompt_id')).toEqual(all);
    expect(await suggest(`field=prompt_id&prefix=${ids.Goodbye}`)).toContain(all[1]);
    expect(await suggest('field=prompt_id&prefix=gree')).toEqual([all[0]]);
    expect(await suggest(`field=prompt&prompt_id=${ids.Goodbye}`)).toEqual(['Goodbye']);
    expect(await suggest(`field=prompt&prompt_id=${ids.unused}`)).toEqual([]);
    expect(await suggest(`field=engine&prompt_id=${ids.unused}`)).toHaveLength(3);
  });

  it('for metadata include paths and values inside JSON values, as in filters', async () => {
    const nesting = await app.stranger();
    const context = JSON.stringify({ plan: 'pro', roles: ['a', 'b'], about: 'x'.repeat(300) });
    await send(nesting, [
      calling('m', { 'promptlayer.metadata.context': context, 'promptlayer.metadata.n': '1' }),
      calling('m', { 'promptlayer.metadata.context': '{"plan":"free"}', 'promptlayer.metadata.context.plan': 'own' }),
    ]);
    const keys = ['context', 'context.plan', 'context.about', 'context.roles', 'n'];
    expect(await suggest('field=metadata_keys', nesting)).toEqual(keys);
    expect(await suggest('field=metadata_keys&prefix=context.', nesting)).toEqual(keys.slice(1, 4));
    const values = (key: string) => suggest(`field=metadata_values&metadata_key=${key}`, nesting);
    expect(await values('context.plan')).toEqual(['own', 'pro']);
    expect(await values('context.roles')).toEqual(['a', 'b']);
    expect(await values('context.about')).toEqual(['x'.repeat(300)]);
    expect(await values('context')).toEqual(['{"plan":"free"}', context]);
  });

  it('that are equally frequent come in the order of the alphabet, whatever their letter case', async () => {
    const client = await app.stranger();
    const names = ['cherry', 'Banana', 'apple'];
    const published = [];
    for (const name of names) published.push(await publishPrompt(client, name));
    await send(
      client,
      names.map((name) => calling('m', { 'promptlayer.prompt.name': name, 'promptlayer.tags': `["${name}"]` })),
    );
    for (const field of ['prompt', 'tags']) {
      expect(await suggest(`field=${field}`, client)).toEqual(['apple', 'Banana', 'cherry']);
    }
    expect(await suggest('field=prompt_id', client)).toEqual(published.map(({ id }) => String(id)).sort());
  });

  it('come from the logs that match the filter', async () => {
    expect(await suggest(`field=engine&${filters({ field: 'status', operator: 'is', value: 'ERROR' })}`)).toEqual([
      'claude',
    ]);
    expect(await suggest(`field=tags&${filters({ field: 'engine', operator: 'is', value: 'GPT-5' })}`)).toEqual([
      'alpha',
    ]);
    const greeting = filters({ field: 'prompt_id', operator: 'is', value: 'greeting' });
    expect(await suggest(`field=prompt&${greeting}`)).toEqual(['greeting']);
    for (const nothing of ['filter_group=', 'filter_group=null', group({ filters: [] })]) {
      expect(await suggest(`field=provider_type&${nothing}`)).toEqual(['openai']);
    }
  });

  it('are at most 25', async () => {
    const many = await app.stranger();
    const tags = Array.from({ length: 40 }, (_, index) => `tag-${String(index).padStart(2, '0')}`);
    await send(many, [calling('m', { 'promptlayer.tags': JSON.stringify(tags.toReversed()) })]);
    expect(await suggest('field=tags', many)).toEqual(tags.slice(0, 25));
  });

  it('show nothing of another workspace', async () => {
    const stranger = await app.stranger();
    for (const [query] of cases) expect(await suggest(query, stranger)).toEqual([]);
    expect(await suggest('field=prompt_id', stranger)).toEqual([]);
    await app.clientWith(null).get(`${REQUESTS}/suggestions?field=tags`, 401);
  });

  it('refuse what means nothing', async () => {
    const refused: [string, string][] = [
      ['', 'field'],
      ['field=nobody', 'field'],
      ['field=metadata_values', 'metadata_key'],
      ['field=output_values', 'metadata_key'],
      ['field=input_variable_values&metadata_key=', 'metadata_key'],
      [`field=tags&prefix=${'x'.repeat(1001)}`, 'prefix'],
      ['field=prompt&prompt_id=0', 'prompt_id'],
      ['field=prompt&prompt_id=x', 'prompt_id'],
      ['field=prompt&prompt_id=99999999999', 'prompt_id'],
      ['field=tags&filter_group=%7B', 'filter_group'],
      ['field=tags&filter_group=True', 'filter_group'],
      ['field=tags&filter_group=[]', 'filter_group'],
      [`field=tags&${filters({ field: 'nobody', operator: 'is' })}`, 'filter_group'],
      [`field=tags&${filters({ field: 'engine', operator: 'gt', value: 1 })}`, 'filter_group'],
      [`field=tags&filter_group=${'['.repeat(3000)}`, 'filter_group'],
    ];
    await every(refused, async ([query, field]) => {
      const { status, body } = await me.request('GET', `${REQUESTS}/suggestions?${query}`);
      expect([query.slice(0, 100), status]).toEqual([query.slice(0, 100), 422]);
      expect((body as { detail: { loc: unknown[] }[] }).detail[0]!.loc.slice(0, 2)).toEqual(['query', field]);
    });
  });

  it('take any text as a prefix and a key', async () => {
    for (const odd of ['%00', '%ED%A0%80', '%25_%5C', "'", '%F0%9F%99%82', '$.*', '%22']) {
      expect(await suggest(`field=output_values&metadata_key=${odd || 'x'}&prefix=${odd}`)).toEqual([]);
      expect(await suggest(`field=metadata_values&metadata_key=${odd}`)).toEqual([]);
      await suggest(`field=tags&prefix=${odd}`);
    }
  });
});

describe('the rate limit', () => {
  it('is ten suggestions in a minute unless it is configured, counted for every key of a workspace', async () => {
    const limited = await TestApp.start({ works: false, env: { SUGGESTIONS_PER_MINUTE: undefined } });
    try {
      const operator = limited.operator();
      const [{ workspace_id: workspace }] = (await limited.sql('SELECT workspace_id FROM api_keys')) as [
        { workspace_id: number },
      ];
      const { secret } = (await operator.post(
        `/api/admin/v1/workspaces/${workspace}/api-keys`,
        { role: 'admin' },
        201,
      )) as { secret: string };
      for (const client of [limited.client, limited.clientWith(secret)]) {
        for (let count = 0; count < 10; count++) await client.get(`${REQUESTS}/suggestions?field=tags`);
        await client.get(`${REQUESTS}/suggestions?field=tags`, 429);
      }
    } finally {
      await limited.stop();
    }
  });
});
