import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { every } from '../support/every.js';
import { promptUrl, publishPrompt, renderPrompt, type ReadPrompt, textsOf } from '../support/prompts.js';
import { TestApp } from '../support/test-app.js';

let app: TestApp;
let me: Client;
beforeAll(async () => {
  app = await TestApp.start({ works: false });
  me = app.client;
});
afterAll(() => app.stop());

type Format = 'f-string' | 'jinja2';
const text = (content: string) => [{ type: 'text', text: content }];

/** Publishes a chat with one message and fills it in. */
async function fill(message: string, input_variables: unknown, format: Format = 'f-string'): Promise<ReadPrompt> {
  await publishPrompt(me, 'filled', { message, format });
  return renderPrompt(me, 'filled', { input_variables });
}
/** The same for a whole template. */
async function fillTemplate(template: object, input_variables: object, model?: object): Promise<ReadPrompt> {
  await publishPrompt(me, 'filled', { template, model });
  return renderPrompt(me, 'filled', { input_variables });
}
const sent = ({ llm_kwargs: kwargs }: ReadPrompt) => kwargs as { messages: object[]; tools?: object[] };

describe('variables', () => {
  const cases: [format: Format, message: string, variables: object, text: string][] = [
    ['f-string', 'Hello {name}!', { name: 'Ada' }, 'Hello Ada!'],
    ['f-string', '{a} {a} {{a}} {b.c}', { a: 1, 'b.c': 'dotted', unused: true }, '1 1 {a} dotted'],
    [
      'f-string',
      '{t}/{f}/{n}/{o}/{l}',
      { t: true, f: false, n: null, o: { x: [1] }, l: [] },
      'True/False//{"x":[1]}/[]',
    ],
    ['f-string', '{x:>5}|{y!r}', { x: 'a', y: 1 }, '    a|1'],
    ['f-string', '{"json": true} {name}', { name: 'Ada' }, '{"json": true} {name}'],
    ['f-string', '{a} {{ b }}', { a: '{b}', b: 'never' }, '{b} { b }'],
    ['jinja2', 'Hello {{ name }}!', { name: '<Ada>' }, 'Hello <Ada>!'],
    [
      'jinja2',
      '{% for i in items %}{{ loop.index }}{{ i.n }} {% endfor %}',
      { items: [{ n: 'a' }, { n: 'b' }] },
      '1a 2b ',
    ],
    ['jinja2', '{% if ok %}yes{% else %}no{% endif %} {name}', { ok: false, name: 'x' }, 'no {name}'],
    ['jinja2', "{{ a.b.c }}|{{ missing | default('d') }}", { a: { b: { c: 1 } } }, '1|d'],
    ['jinja2', '{{ text }}', { text: '{{ secret }}', secret: 'never' }, '{{ secret }}'],
  ];

  it.each(cases)('are filled in: %s %s', async (format, message, variables, expected) => {
    const answer = await fill(message, variables, format);
    expect(textsOf(answer)).toEqual([expected]);
    expect(sent(answer).messages).toEqual([{ role: 'user', content: text(expected) }]);
    const completion = { type: 'completion', content: text(message), template_format: format };
    expect(textsOf(await fillTemplate(completion, variables))).toEqual([expected]);
  });

  it('are filled in per message, each in its own format', async () => {
    const messages = [
      { role: 'system', content: text('{a} {{ a }}') },
      { role: 'user', content: text('{a} {{ a }}'), template_format: 'jinja2' },
    ];
    expect(textsOf(await fillTemplate({ type: 'chat', messages }, { a: 1 }))).toEqual(['1 { a }', '{a} 1']);
  });

  it('stay in place on request, also in the arguments, with any values', async () => {
    const messages = [
      { role: 'system', content: text('{a}') },
      { role: 'user', content: text('{{ b }}'), template_format: 'jinja2' },
    ];
    await publishPrompt(me, 'skipped', { template: { type: 'chat', messages } });
    const skip = { skip_input_variable_rendering: true };
    for (const body of [skip, { ...skip, input_variables: { a: 1, b: 2 } }]) {
      const answer = await renderPrompt(me, 'skipped', body);
      expect(textsOf(answer)).toEqual(['{a}', '{{ b }}']);
      expect(sent(answer).messages).toEqual([
        { role: 'system', content: '{a}' },
        { role: 'user', content: text('{{ b }}') },
      ]);
      expect(answer.warning).toBeNull();
    }
  });

  it('that are missing become empty and are named in a warning', async () => {
    const missing = await fill('{a}, {b} and {c}', { b: 'B' });
    expect(textsOf(missing)).toEqual([', B and ']);
    expect(missing.warning).toBe('Some input variables are missing: (`a`, `c`)');
    expect((await fill('{a}', { a: 'A', more: 1 })).warning).toBeNull();
    const messages = [
      { role: 'system', content: text('fine') },
      { role: 'user', content: text('[{{ a }}{{ a.b }}]'), template_format: 'jinja2' },
    ];
    const jinja = await fillTemplate({ type: 'chat', messages }, {});
    expect(textsOf(jinja)).toEqual(['fine', '[]']);
    expect(jinja.warning!.split('\n')).toEqual([
      'Some input variables are missing: (`a`)',
      "Undefined variable in message index 1: 'a' is undefined",
    ]);
  });

  it('become empty when no values are sent and there is a model; otherwise they stay in place', async () => {
    await publishPrompt(me, 'none sent');
    const empty = await renderPrompt(me, 'none sent', {});
    expect([textsOf(empty), sent(empty).messages]).toEqual([['Hello !'], [{ role: 'user', content: text('Hello !') }]]);
    await publishPrompt(me, 'none sent', { model: null });
    expect(textsOf(await renderPrompt(me, 'none sent', {}))).toEqual(['Hello {name}!']);
    expect(textsOf(await renderPrompt(me, 'none sent', { input_variables: {} }))).toEqual(['Hello !']);
    expect(textsOf(await renderPrompt(me, 'none sent', { provider: 'openai' }))).toEqual(['Hello !']);
  });

  it('may be called like what every object has', async () => {
    const names = ['constructor', '__proto__', 'toString', 'hasOwnProperty'];
    await every(names, async (name) => {
      const given = JSON.parse(`{"${name}":"given"}`) as object;
      expect(textsOf(await fill(`{${name}}`, given))).toEqual(['given']);
      expect(textsOf(await fill(`{${name}}`, {}))).toEqual(['']);
      expect(textsOf(await fill(`[{{ ${name} }}]`, {}, 'jinja2'))).toEqual(['[]']);
    });
  });
});

describe('hostile templates', () => {
  const templates = [
    '{% for a in range(100000) %}{% for b in range(100000) %}{% endfor %}{% endfor %}',
    "{{ 'x' * 1000000000 }}",
    '{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}',
    '{{ x.constructor.constructor("return process")().exit() }}',
    "{{ ''.__class__.__mro__ }}",
    '{% include "/etc/passwd" %}',
    '{% for',
  ];

  it('neither fail the request nor the ones beside it', async () => {
    await every(templates, async (message) => {
      await publishPrompt(me, 'hostile', { message, format: 'jinja2' });
      const [answer, other] = await Promise.all([
        renderPrompt(me, 'hostile', { input_variables: { x: 'text' } }),
        fill('{{ name }}', { name: 'Ada' }, 'jinja2'),
      ]);
      expect(textsOf(other)).toEqual(['Ada']);
      expect([message, '']).toContain(textsOf(answer)[0]);
    });
  });
});

describe('placeholder messages', () => {
  const template = {
    type: 'chat',
    messages: [
      { role: 'system', content: text('Be {mood}') },
      { role: 'placeholder', name: 'history' },
      { role: 'user', content: text('End') },
    ],
  };

  it('are replaced by the messages that are supplied, which are not filled in again', async () => {
    const history = [
      { role: 'user', content: text('{mood}?') },
      { role: 'assistant', content: text('I am') },
    ];
    const answer = await fillTemplate(template, { mood: 'kind', history });
    expect(textsOf(answer)).toEqual(['Be kind', '{mood}?', 'I am', 'End']);
    expect(answer.prompt_template.messages!.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'user']);
    expect(sent(answer).messages).toHaveLength(4);
  });

  it('disappear when none are supplied', async () => {
    for (const variables of [{ mood: 'kind' }, { mood: 'kind', history: [] }, { mood: 'kind', history: null }]) {
      expect(textsOf(await fillTemplate(template, variables))).toEqual(['Be kind', 'End']);
    }
  });

  it('survive whatever else is supplied', async () => {
    const odd = ['text', 7, {}, [7], [null], [{ role: 'critic' }], [{ content: 'x' }], [[[]]]];
    await every(odd, async (history) => {
      const answer = await fillTemplate(template, { mood: 'kind', history });
      expect([textsOf(answer)[0], textsOf(answer).at(-1)]).toEqual(['Be kind', 'End']);
    });
  });
});

describe('media variables', () => {
  const content = [...text('Look: {what}'), { type: 'media_variable', name: 'photos' }];
  const template = { type: 'chat', messages: [{ role: 'user', content }] };
  const URL = 'https://example.com/a.png';

  it('become one part for each URL or file that is supplied', async () => {
    const answer = await fillTemplate(template, { what: 'cats', photos: [URL, 'iVBORw0KGgo='] });
    const parts = answer.prompt_template.messages![0]!.content;
    expect(parts.map(({ type }) => type)).toEqual(['text', 'media', 'media']);
    expect(parts[1]).toMatchObject({ media: { url: URL, format: 'url' } });
    expect(parts[2]).toMatchObject({ media: { url: 'iVBORw0KGgo=', format: 'base64' } });
    const [message] = sent(answer).messages as { content: { type: string }[] }[];
    expect(message!.content.map(({ type }) => type)).toEqual(['text', 'image_url', 'image_url']);
  });

  it('are left out when nothing is supplied', async () => {
    for (const variables of [{ what: 'x' }, { what: 'x', photos: [] }, { what: 'x', photos: null }]) {
      const answer = await fillTemplate(template, variables);
      expect(answer.prompt_template.messages![0]!.content.map(({ type }) => type)).toEqual(['text']);
    }
  });
});

describe('variables beyond texts', () => {
  const messages = [{ role: 'user', content: text('Hi') }];

  it('supply tools in addition to those of the prompt', async () => {
    const own = { type: 'function', function: { name: 'own', parameters: { type: 'object', properties: {} } } };
    const template = { type: 'chat', messages, tools: [own, { type: 'variable', name: 'more' }] };
    const schema = { type: 'object', properties: { q: { type: 'string' } } };
    const answer = await fillTemplate(template, {
      more: [
        { name: 'search', description: 'Looks things up', parameters: schema },
        { name: 'fetch', input_schema: schema },
      ],
    });
    expect(sent(answer).tools).toMatchObject([
      { type: 'function', function: { name: 'own' } },
      { type: 'function', function: { name: 'search', description: 'Looks things up', parameters: schema } },
      { type: 'function', function: { name: 'fetch', parameters: schema } },
    ]);
    expect(sent(await fillTemplate(template, {})).tools).toHaveLength(1);
    await me.post(promptUrl('filled'), { input_variables: { more: 'nonsense' } });
  });

  it('are filled into the schemas of tools and of the response', async () => {
    const parameters = { type: 'object', properties: { id: { type: 'string', description: 'About {{ who }}' } } };
    const response_format = {
      type: 'json_schema',
      json_schema: {
        name: 'answer',
        schema: {
          type: 'object',
          additionalProperties: false,
          properties: {
            mood: { type: 'string', description: '{{ who }}', enum: { name: 'moods', type: 'enum_variable' } },
            rest: { type: 'variable', name: 'rest' },
          },
        },
      },
    };
    const answer = await fillTemplate(
      { type: 'chat', messages, tools: [{ type: 'function', function: { name: 'f', parameters } }] },
      { who: 'Ada', moods: ['good', 'bad'], rest: { type: 'object', properties: {} } },
      { provider: 'openai', name: 'gpt-4o-mini', parameters: { response_format } },
    );
    expect(sent(answer)).toMatchObject({
      tools: [{ function: { parameters: { properties: { id: { description: 'About Ada' } } } } }],
      response_format: {
        json_schema: {
          schema: {
            properties: {
              mood: { type: 'string', description: 'Ada', enum: ['good', 'bad'] },
              rest: { type: 'object', properties: {}, additionalProperties: false },
            },
          },
        },
      },
    });
  });
});
