import { afterAll, describe, expect, it } from 'vitest';
import type { ContentPart, Message, Prompt } from '../../llm/shared/blueprint.js';
import type { JsonObject, JsonValue } from '../../platform/json.js';
import { JinjaSandbox } from '../../platform/sandbox/jinja-sandbox.js';
import { Sandbox } from '../../platform/sandbox/sandbox.js';
import { chat, completion, placeholder, text, user } from './prompt.fixture.js';
import { PromptRenderer } from './prompt-renderer.js';

const owner = { workspaceId: 1, keyId: null };
const sandbox = new Sandbox();
const jinja = new JinjaSandbox(sandbox);
const renderer = new PromptRenderer(jinja);
/** Renderer without a tight time limit, for tests with much work on a busy machine. */
const patient = new Sandbox({ templatesMs: 20_000 });
afterAll(() => Promise.all([sandbox.onApplicationShutdown(), patient.onApplicationShutdown()]));

async function messages(prompt: Prompt, variables: JsonObject): Promise<Message[]> {
  const { prompt: rendered } = await renderer.render(prompt, {}, variables, owner);
  return rendered.type === 'chat' ? rendered.messages : [];
}

async function parts(content: ContentPart[], variables: JsonObject): Promise<ContentPart[] | null> {
  return (await messages(chat([user(content)]), variables))[0].content;
}

const textsOf = (list: Message[]) => list.map(({ content }) => content?.map((part) => part.text).join(''));

describe('texts', () => {
  it('are rendered by the format of each message, and nothing else is', async () => {
    const prompt = chat([
      user('{a} {{b}}'),
      user('{a} {{ b }}\n', 'jinja2'),
      user('no tags {a}\r\n', 'jinja2'),
      user([text('{a}'), { type: 'thinking', thinking: '{a}' }]),
      { role: 'assistant', content: null, input_variables: [], template_format: 'jinja2' },
    ]);
    const rendered = await messages(prompt, { a: 1, b: [true] });
    expect(rendered.map(({ content }) => content)).toEqual([
      [text('1 {b}')],
      [text('{a} [True]')],
      [text('no tags {a}')],
      [text('1'), { type: 'thinking', thinking: '{a}' }],
      null,
    ]);
  });

  it.each([
    [completion('Hi {name}'), 'Hi Ada'],
    [completion('Hi {{ name | upper }}', 'jinja2'), 'Hi ADA'],
  ])('are rendered in completions: %j', async (prompt, expected) => {
    const { prompt: rendered, warning } = await renderer.render(prompt, {}, { name: 'Ada' }, owner);
    expect(rendered).toMatchObject({ content: [text(expected)] });
    expect(warning).toBeNull();
  });

  it('do not render supplied values', async () => {
    const prompt = chat([user('{a}'), user('{{ a }}{{ b }}', 'jinja2'), placeholder('history')]);
    const rendered = await messages(prompt, {
      a: '{b}{{ b }}',
      b: 'B',
      history: [{ role: 'user', content: '{b} {{ b }}', template_format: 'jinja2' }],
    });
    expect(textsOf(rendered)).toEqual(['{b}{{ b }}', '{b}{{ b }}B', '{b} {{ b }}']);
  });
});

describe('warnings', () => {
  it('name missing variables in the words of the contract', async () => {
    const prompt = chat([
      user('{a} {supplied}'),
      user('{{ a }}', 'jinja2'),
      user('{{ b }}{{ a }}{{ c | default(1) }}', 'jinja2'),
    ]);
    const { warning, prompt: rendered } = await renderer.render(prompt, {}, { supplied: 1, extra: 2 }, owner);
    expect(warning).toBe(
      [
        'Some input variables are missing: (`a`, `b`)',
        "Undefined variable in message index 1: 'a' is undefined",
        "Undefined variable in message index 2: 'b' is undefined, 'a' is undefined",
      ].join('\n'),
    );
    expect(rendered.type === 'chat' && textsOf(rendered.messages)).toEqual([' 1', '', '1']);
  });

  it('name missing variables of every kind, but none that was supplied as null', async () => {
    const prompt = chat(
      [placeholder('history'), user([{ type: 'media_variable', name: 'pictures' }]), user('{empty}')],
      {
        tools: [{ type: 'variable', name: 'tools' }],
      },
    );
    const { warning } = await renderer.render(prompt, {}, { empty: null }, owner);
    expect(warning).toBe('Some input variables are missing: (`history`, `pictures`, `tools`)');
  });

  it('name the templates that could not be rendered', async () => {
    const loop = '{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}';
    const prompt = chat([user('{{ a', 'jinja2'), user('{{ 1 }}', 'jinja2'), user(loop, 'jinja2')]);
    const { warning, prompt: rendered } = await renderer.render(prompt, {}, {}, owner);
    expect(rendered.type === 'chat' && textsOf(rendered.messages)).toEqual(['{{ a', '1', loop]);
    expect(warning).toBe(
      [
        'The template in message index 0 was left as it is: Unexpected end of template',
        'The template in message index 2 was left as it is: The templates took too long.',
      ].join('\n'),
    );
  });

  it('stop at fifty lines', async () => {
    const prompt = chat(Array.from({ length: 60 }, () => user('{{ a', 'jinja2')));
    const lines = (await renderer.render(prompt, {}, {}, owner)).warning?.split('\n');
    expect(lines).toHaveLength(51);
    expect(lines?.at(-1)).toBe('And 10 more.');
  });

  it('name texts that would fill the memory', async () => {
    const prompt = chat(Array.from({ length: 3 }, () => user('{v}')));
    const { warning } = await renderer.render(prompt, {}, { v: 'x'.repeat(4_000_000) }, owner);
    expect(warning).toBe('The text in message index 2 was left as it is: it becomes too long.');
  });
});

describe('placeholders', () => {
  it('are replaced by the supplied messages in place', async () => {
    const prompt = chat([user('first'), placeholder('history'), user('last')]);
    const rendered = await messages(prompt, {
      history: [
        { role: 'user', content: 'plain' },
        {
          role: 'assistant',
          content: [text('parts')],
          tool_calls: null,
          name: 'x',
          input_variables: [],
          template_format: 'jinja2',
        },
        { role: 'assistant', content: null },
      ],
    });
    expect(textsOf(rendered)).toEqual(['first', 'plain', 'parts', undefined, 'last']);
    expect(rendered[1]).toEqual(user('plain'));
    expect(rendered[2]).toMatchObject({ role: 'assistant', name: 'x', template_format: 'jinja2' });
  });

  it.each<[JsonValue, string]>([
    ['text', 'The placeholder h is no list and was left out.'],
    [{ role: 'user' }, 'The placeholder h is no list and was left out.'],
    [
      ['text', { role: 'nobody', content: 'x' }, { role: 'placeholder', name: 'x' }, { role: 'user', content: 5 }],
      'The placeholder h has items of another kind, which were left out.',
    ],
  ])('drop items that are not messages: %j', async (h, warning) => {
    const result = await renderer.render(chat([placeholder('h'), user('x')]), {}, { h }, owner);
    expect(result.prompt.type === 'chat' && textsOf(result.prompt.messages)).toEqual(['x']);
    expect(result.warning).toBe(warning);
  });
});

describe('media', () => {
  const media = (type: string, url: string, format: string) => ({
    type: 'media',
    media: { title: 'media', type, url, format },
  });

  it('become a part for each supplied text', async () => {
    const supplied = [
      'https://x.test/a.pdf?b',
      'https://x.test/a',
      'data:image/gif;base64,R0lG',
      'iVBORw0KGgoAAA',
      'Zm9v',
      '',
      5,
    ];
    expect(await parts([text('see'), { type: 'media_variable', name: 'm' }], { m: supplied })).toEqual([
      text('see'),
      media('application/pdf', 'https://x.test/a.pdf?b', 'url'),
      media('image/jpeg', 'https://x.test/a', 'url'),
      media('image/gif', 'R0lG', 'base64'),
      media('image/png', 'iVBORw0KGgoAAA', 'base64'),
      media('image/jpeg', 'Zm9v', 'base64'),
    ]);
  });

  it('are left out when nothing is supplied', async () => {
    expect(await parts([text('see'), { type: 'media_variable', name: 'm' }], {})).toEqual([text('see')]);
  });

  const image = (url: string, image_variable: string | null): ContentPart => {
    return { type: 'image_url', image_url: { url, detail: 'low' }, image_variable };
  };
  it.each<[string, JsonObject, ContentPart[]]>([
    ['', { p: 'https://x.test/p' }, [image('https://x.test/p', null)]],
    ['', { p: ['iVBORw0KGgo='] }, [image('data:image/png;base64,iVBORw0KGgo=', null)]],
    ['https://x.test/example', {}, [image('https://x.test/example', null)]],
    ['', {}, []],
    ['', { p: 5 }, []],
  ])('image %j with %j', async (url, variables, expected) => {
    expect(await parts([image(url, 'p')], variables)).toEqual(expected);
  });

  it('fills the URLs of images, and keeps media of the prompt itself', async () => {
    expect(await parts([image('https://x.test/{a}', null)], { a: 1 })).toEqual([image('https://x.test/1', null)]);
    const inline = image('data:image/png;base64,{a}', null);
    expect(await parts([inline], { a: 1 })).toEqual([inline]);
  });
});

describe('tools', () => {
  const tool = (name: string, description: string, parameters: JsonObject) => {
    return { type: 'function', function: { name, description, strict: false, parameters } };
  };

  it('come from variables, beside those of the prompt, whose schemas are rendered', async () => {
    const prompt = chat([], {
      tools: [
        tool('static', 'For {{ user }} {user}', { properties: { x: { description: '{{ user }}', default: 1 } } }),
        { type: 'variable', name: 'extra' },
        { type: 'web_search', name: '{{ user }}' },
      ],
      functions: [{ name: 'old', description: '{{ user }}' }],
    });
    const extra: JsonValue[] = [
      { name: 'a', description: '{{ user }}', parameters: { type: 'object' } },
      { name: 'b', input_schema: { type: 'object', properties: {} } },
      { name: 'c' },
      'nothing',
    ];
    const { prompt: rendered, warning } = await renderer.render(prompt, {}, { user: 'Ada', extra }, owner);
    expect(rendered).toMatchObject({
      tools: [
        tool('static', 'For Ada {user}', { properties: { x: { description: 'Ada', default: 1 } } }),
        tool('a', '{{ user }}', { type: 'object' }),
        tool('b', '', { type: 'object', properties: {} }),
        tool('c', '', { type: 'object', properties: {} }),
        { type: 'web_search', name: '{{ user }}' },
      ],
      functions: [{ name: 'old', description: 'Ada' }],
    });
    expect(warning).toBe('The tool variable extra has items of another kind, which were left out.');
  });

  it('are left out when the registry does not have them', async () => {
    const prompt = chat([], { tools: [{ type: 'registry', tool_registry_id: 12 }] });
    const { prompt: rendered, warning } = await renderer.render(prompt, {}, {}, owner);
    expect(rendered).toMatchObject({ tools: [] });
    expect(warning).toBe('The registry tool 12 was not found and left out.');
  });
});

describe('response format', () => {
  const render = async (response_format: JsonValue, variables: JsonObject) => {
    const { parameters, warning } = await renderer.render(
      chat([user('x')]),
      { response_format, stop: '{{ a }}' },
      variables,
      owner,
    );
    expect(parameters.stop).toBe('{{ a }}');
    return { schema: parameters.response_format, warning };
  };

  it.each<[string, JsonValue, JsonValue]>([
    ['texts', { description: 'For {{ a }}', items: ['{{ a }}', '{a}'] }, { description: 'For 1', items: ['1', '{a}'] }],
    ['enums', { enum: { name: 'list', type: 'enum_variable' } }, { enum: ['x', '{{ a }}'] }],
    ['missing enums', { type: 'string', enum: { name: 'zzz', type: 'enum_variable' } }, { type: 'string' }],
    [
      'schemas',
      { additionalProperties: false, properties: { p: { type: 'variable', name: 'person' } } },
      {
        additionalProperties: false,
        properties: { p: { type: 'object', properties: {}, title: '{{ a }}', additionalProperties: false } },
      },
    ],
    [
      'schemas that say it themselves',
      { additionalProperties: false, items: { type: 'variable', name: 'open' } },
      { additionalProperties: false, items: { type: 'object', additionalProperties: true } },
    ],
    [
      'schemas of no objects',
      { additionalProperties: false, items: { type: 'variable', name: 'word' } },
      { additionalProperties: false, items: { type: 'string' } },
    ],
    ['missing schemas', { items: { type: 'variable', name: 'zzz' } }, { items: { type: 'object', properties: {} } }],
  ])('%s', async (_, format, expected) => {
    const variables = {
      a: 1,
      list: ['x', '{{ a }}'],
      person: { type: 'object', properties: {}, title: '{{ a }}' },
      open: { type: 'object', additionalProperties: true },
      word: { type: 'string' },
    };
    expect((await render(format, variables)).schema).toEqual(expected);
  });

  it('warns of values that cannot be put in', async () => {
    const format = { a: { type: 'variable', name: 's' }, enum: { type: 'enum_variable', name: 'e' }, t: '{{ x }}' };
    expect((await render(format, { s: 'text', e: 'text' })).warning).toBe(
      [
        'Some input variables are missing: (`x`)',
        "Undefined variable in response_format: 'x' is undefined",
        'The schema variable s is no object and was left out.',
        'The enum e is no list and was left out.',
      ].join('\n'),
    );
  });
});

describe('as a whole', () => {
  it('never changes its arguments', async () => {
    const prompt = chat([user('{a}'), placeholder('h'), user('{{ a }}', 'jinja2')], {
      tools: [{ type: 'variable', name: 't' }],
    });
    const parameters = { response_format: { d: '{{ a }}' } };
    const variables = { a: 1, h: [{ role: 'user', content: 'x' }], t: [{ name: 'f' }] };
    const before = structuredClone({ prompt, parameters, variables });
    await renderer.render(prompt, parameters, variables, owner);
    expect({ prompt, parameters, variables }).toEqual(before);
  });

  it('needs no sandbox for prompts without Jinja texts', async () => {
    const closed = new Sandbox();
    await closed.onApplicationShutdown();
    const { warning } = await new PromptRenderer(new JinjaSandbox(closed)).render(
      chat([user('{a}'), user('plain', 'jinja2')]),
      {},
      { a: 1 },
      owner,
    );
    expect(warning).toBeNull();
  });

  it('renders a thousand messages of either format', async () => {
    const prompt = chat(
      Array.from({ length: 1_000 }, (_, index) =>
        index % 2 ? user(`${index} {{ name }}{% if name %}!{% endif %}`, 'jinja2') : user(`${index} {name}`),
      ),
    );
    const waiting = new PromptRenderer(new JinjaSandbox(patient));
    const { prompt: rendered, warning } = await waiting.render(prompt, {}, { name: 'Ada' }, owner);
    expect(warning).toBeNull();
    expect(rendered.type === 'chat' && textsOf(rendered.messages).slice(-2)).toEqual(['998 Ada', '999 Ada!']);
  });
});
