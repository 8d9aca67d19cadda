import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { REQUESTS } from '../support/request-logs.js';
import { TestApp } from '../support/test-app.js';

interface Preview {
  input: string | null;
  output: string | null;
  error: string | null;
  input_marks: { start: number; end: number }[];
  output_marks: { start: number; end: number }[];
}

let app: TestApp;
let me: Client;
beforeAll(async () => {
  app = await TestApp.start();
  me = await app.stranger();
});
afterAll(() => app.stop());

const text = (words: string) => [{ type: 'text', text: words }];
const chat = (...said: [role: string, words: string][]) => ({
  type: 'chat',
  messages: said.map(([role, words]) => ({ role, content: text(words) })),
});

interface Said extends Record<string, unknown> {
  input?: object;
  output?: object;
}

async function log({ input = chat(['user', 'Hi']), output = chat(['assistant', 'Hello']), ...more }: Said) {
  const times = { request_start_time: '2026-05-04T10:00:00Z', request_end_time: '2026-05-04T10:00:01Z' };
  const body = { provider: 'openai', model: 'gpt-4o-mini', input, output, ...times, ...more };
  return ((await me.post('/log-request', body, 201)) as { id: number }).id;
}

async function previewOf(id: number, q: string | null = null): Promise<Preview> {
  const filters = [{ field: 'pl_id', operator: 'is', value: id }];
  const body = { filter_group: { filters }, q, include_preview: true };
  const { items } = (await me.post(`${REQUESTS}/search`, body)) as { items: { preview: Preview }[] };
  expect(items).toHaveLength(1);
  return items[0]!.preview;
}

/** Marked texts of a preview. */
const marked = (words: string | null, marks: Preview['input_marks']) =>
  marks.map(({ start, end }) => [...(words ?? '')].slice(start, end).join(''));

describe('previews of request logs', () => {
  it('are given only when they are asked for', async () => {
    await log({});
    const { items } = (await me.post(`${REQUESTS}/search`, {})) as { items: object[] };
    expect(items.some((item) => 'preview' in item)).toBe(false);
    const asked = (await me.post(`${REQUESTS}/search`, { limit: 5, include_preview: true })) as { items: object[] };
    expect(asked.items.every((item) => 'preview' in item)).toBe(true);
    await me.post(`${REQUESTS}/search`, { include_preview: 'perhaps' }, 422);
  });

  it('show the last that the user said and the answer, in one line', async () => {
    const input = chat(
      ['system', 'Be kind.'],
      ['user', 'Hi'],
      ['assistant', 'Yes?'],
      ['user', ' Where is\n\n my parcel? '],
    );
    const id = await log({ input, output: chat(['assistant', 'On  its\tway.']) });
    expect(await previewOf(id)).toEqual({
      input: 'Where is my parcel?',
      output: 'On its way.',
      error: null,
      input_marks: [],
      output_marks: [],
    });
  });

  it('show completions, the values of JSON and tool calls, and the message of an error', async () => {
    const completion = await log({
      input: { type: 'completion', content: text('Once upon') },
      output: { type: 'completion', content: text('a time') },
    });
    expect(await previewOf(completion)).toMatchObject({ input: 'Once upon', output: 'a time' });
    const json = await log({ output: chat(['assistant', '{"city": "Paris", "days": [1, 2]}']) });
    expect((await previewOf(json)).output).toBe('city: Paris days: 1 days: 2');
    const calls = [{ id: 'a', type: 'function', function: { name: 'find', arguments: '{"q":"x"}' } }];
    const output = { type: 'chat', messages: [{ role: 'assistant', content: [], tool_calls: calls }] };
    expect((await previewOf(await log({ output }))).output).toBe('find x');
    const failed = await log({
      output: chat(),
      status: 'ERROR',
      error_type: 'UNKNOWN_ERROR',
      error_message: `The model was overloaded. ${'Again. '.repeat(100)}`,
    });
    const preview = await previewOf(failed);
    expect(preview).toMatchObject({ output: null, error: expect.stringMatching(/^The model was overloaded\. .*…$/) });
    expect([...preview.error!]).toHaveLength(200);
  });

  it('are null where nothing was said in words', async () => {
    const image = { type: 'image_url', image_url: { url: 'https://a.example/x.png' } };
    const input = { type: 'chat', messages: [{ role: 'user', content: [image] }] };
    expect(await previewOf(await log({ input, output: chat() }))).toMatchObject({ input: '[user]:', output: null });
    expect(await previewOf(await log({ input: chat(), output: chat() }))).toMatchObject({ input: null, output: null });
  });

  it('show and mark the words that are searched, wherever they stand', async () => {
    const far = `${'word '.repeat(2000)} the blue Parcels of Zoë don’t arrive ${'more '.repeat(2000)}`;
    const id = await log({ input: chat(['user', far]), output: chat(['assistant', 'A parcel, and a PARCEL.']) });
    const parcel = await previewOf(id, 'parcel');
    expect(parcel.input).toMatch(/^….*the blue Parcels of Zoë.*…$/);
    expect([...parcel.input!].length).toBeLessThanOrEqual(200);
    expect(marked(parcel.input, parcel.input_marks)).toEqual(['Parcels']);
    expect(marked(parcel.output, parcel.output_marks)).toEqual(['parcel', 'PARCEL']);
    const others = await previewOf(id, 'DONT zoe\u0308');
    expect(marked(others.input, others.input_marks)).toEqual(['Zoë', 'don’t']);
    const phrase = await previewOf(id, '"blue parcels"');
    expect(marked(phrase.input, phrase.input_marks)).toEqual(['blue', 'Parcels']);
    const misspelt = await previewOf(id, 'parcle');
    expect(marked(misspelt.output, misspelt.output_marks)).toEqual(['parcel', 'PARCEL']);
  });

  it('show the message in which a word stands when the last one has none', async () => {
    const input = chat(['system', 'Never speak of dragons.'], ['user', 'Hi']);
    const id = await log({ input });
    const { input: shown, input_marks: marks } = await previewOf(id, 'dragon');
    expect(shown).toBe('[system]: Never speak of dragons. [user]: Hi');
    expect(marked(shown, marks)).toEqual(['dragons']);
    expect(await previewOf(id, 'hello')).toMatchObject({ input: 'Hi', output_marks: [{ start: 0, end: 5 }] });
  });

  it('count characters, not halves of them, and scripts without spaces by the character', async () => {
    const id = await log({ input: chat(['user', '👩‍🚀😀 東京都の天気 parcel']) });
    const tokyo = await previewOf(id, '東京');
    expect(marked(tokyo.input, tokyo.input_marks)).toEqual(['東京']);
    const parcel = await previewOf(id, 'parcel');
    expect(marked(parcel.input, parcel.input_marks)).toEqual(['parcel']);
    const emojis = await log({ input: chat(['user', '😀'.repeat(500)]) });
    expect((await previewOf(emojis)).input).toBe(`${'😀'.repeat(199)}…`);
  });

  it('show the beginning of messages of megabytes', async () => {
    const id = await log({ input: chat(['user', `needle ${'hay '.repeat(500_000)}`]) });
    const preview = await previewOf(id, 'needle');
    expect(preview.input).toMatch(/^needle hay hay.*…$/);
    expect(preview.input_marks).toEqual([{ start: 0, end: 6 }]);
  });
});

describe('GET …/requests/search/fields', () => {
  interface Field {
    field: string;
    level: string;
    class: string;
    operators: string[];
    has_keys: boolean;
  }
  const fields = async () => ((await me.get(`${REQUESTS}/search/fields`)) as { fields: Field[] }).fields;

  it('lists what can be searched by, with operators that a search takes', async () => {
    const all = await fields();
    expect(all).toContainEqual({
      field: 'status',
      level: 'request',
      class: 'string',
      operators: ['is', 'is_not', 'in', 'not_in'],
      has_keys: false,
    });
    expect(all.filter(({ has_keys }) => has_keys).map(({ field }) => field)).toEqual(
      expect.arrayContaining(['metadata', 'output', 'input_variables', 'scores']),
    );
    for (const { field, operators, has_keys } of all) {
      for (const operator of operators) {
        const filter = { field, operator, ...(has_keys && { nested_key: 'a' }), value: valueFor(field, operator) };
        await me.post(`${REQUESTS}/search`, { filter_group: { filters: [filter] }, limit: 1 });
      }
    }
  });

  const NUMBERS = /_tokens$|_count$|^cost$|^latency_ms$|^prompt_version_number$|^scores$/;
  function valueFor(field: string, operator: string): unknown {
    if (/^is_(not_)?(null|empty)$|^is_(true|false)$/.test(operator)) return null;
    const one = field.endsWith('_time')
      ? '2026-05-04'
      : NUMBERS.test(field) || /^pl_id|group_id$/.test(field)
        ? 1
        : 'a';
    if (['in', 'not_in'].includes(operator)) return [one];
    return operator === 'between' ? [one, one] : one;
  }
});
