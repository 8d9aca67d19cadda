import { describe, expect, it } from 'vitest';
import type { PromptTemplate } from '../api/schema.gen';
import {
  emptyVariant,
  fromCall,
  fromVersion,
  toParameters,
  toPrompt,
  toTrial,
  toVariant,
  type Variant,
  variablesOf,
  variantText,
  withFormat,
} from './variant';

const text = (said: string) => ({ type: 'text', text: said });
const chat = (...messages: object[]) => ({ type: 'chat', messages }) as unknown as PromptTemplate;
const user = (said: string, more: object = {}) => ({ role: 'user', content: [text(said)], ...more });
const MODEL = {
  provider: 'openai',
  name: 'gpt',
  api_type: 'responses',
  parameters: { temperature: 1, max_tokens: 5, top_p: 0 },
};
const of = (more: Partial<Variant>): Variant => ({ ...emptyVariant(), provider: 'openai', model: 'gpt', ...more });

describe('a variant', () => {
  it('has the messages, the model and the parameters of a prompt, and gives them back', () => {
    const picture = { type: 'image_url', image_url: { url: 'https://example.com/a.png' } };
    const tools = [{ type: 'function', function: { name: 'find' } }];
    const calls = { role: 'assistant', content: null, tool_calls: [{ id: 'c1', function: { name: 'find' } }] };
    const template = { ...chat(user('Hi', { content: [text('Look'), picture] }), calls), tools } as PromptTemplate;
    const variant = toVariant(template, {
      ...MODEL,
      parameters: { ...MODEL.parameters, stream: true, response_format: { type: 'json_object' } },
    });
    expect(variant).toMatchObject({ provider: 'openai', temperature: '1', maxTokens: '5', apiType: 'responses' });
    expect(variant.messages[0]).toMatchObject({ text: 'Look', isText: true, images: [picture.image_url.url] });
    expect(variant.messages[1]!.isText).toBe(false);
    expect(toParameters(variant)).toEqual({
      temperature: 1,
      max_tokens: 5,
      top_p: 0,
      response_format: { type: 'json_object' },
    });
    const first = { role: 'user', template_format: 'f-string', content: [text('Look'), picture] };
    expect(toPrompt(variant)).toEqual({ type: 'chat', messages: [first, calls], tools });
  });

  it('keeps the type of a completion', () => {
    const template = { type: 'completion', content: [text('Once')], template_format: 'f-string' };
    expect(toPrompt(toVariant(template as unknown as PromptTemplate, null))).toEqual(template);
  });

  it('makes a response format of a schema', () => {
    const schema = { type: 'object', properties: {} };
    expect(toParameters(of({ schema: JSON.stringify(schema) }))).toEqual({
      response_format: { type: 'json_schema', json_schema: { name: 'answer', schema } },
    });
  });

  it.each<[Partial<Variant>, string]>([
    [{ provider: ' ' }, 'Choose a provider and a model.'],
    [{ parameters: '[1]' }, 'The other parameters are a JSON object'],
    [{ parameters: '{' }, 'The other parameters: this is no valid JSON.'],
    [{ tools: '[' }, 'The tools: this is no valid JSON.'],
    [{ schema: 'x' }, 'The response schema: this is no valid JSON.'],
  ])('says what has to be corrected: %j', (more, message) => {
    expect(() => toTrial(of(more), {})).toThrow(message);
  });

  it('names its version until something of the prompt is changed', () => {
    const read = { id: 7, prompt_name: 'p', version: 2, prompt_template: chat(user('Hi {x}')) };
    const variant = fromVersion(read, MODEL);
    expect(toTrial(variant, { x: '[1]' })).toMatchObject({ prompt_id: 7, version: 2, variables: { x: [1] } });
    expect(toTrial({ ...variant, temperature: '0' }, {})).toMatchObject({ prompt_id: 7 });
    // The parameter of the version would come back.
    expect(toTrial({ ...variant, temperature: '' }, {})).not.toHaveProperty('prompt_id');
    const changed = { ...variant, messages: [{ ...variant.messages[0]!, text: 'Hello {x}' }] };
    expect(toTrial(changed, {})).toMatchObject({ prompt: { messages: [{ content: [text('Hello {x}')] }] } });
  });

  it('takes the question of a call and escapes its braces', () => {
    const answered = (said: string) => fromCall(chat(user(said), { role: 'assistant', content: [text('Yes')] }), MODEL);
    expect(answered('Hi').messages).toHaveLength(1);
    expect(answered('Hi').format).toBe('f-string');
    expect(answered('{"a": 1}').format).toBe('jinja2');
    expect(answered('{{ a }}')).toMatchObject({ format: 'f-string', messages: [{ text: '{{{{ a }}}}' }] });
    for (const said of ['Hi', '{"a": 1}', '{{ a }} {b}']) expect(variablesOf([answered(said)])).toEqual([]);
  });

  it('escapes parts of messages that are edited as JSON, and leaves the JSON valid', () => {
    const calls = { role: 'assistant', content: [text('{{ b }}')], tool_calls: [{ id: 'c', function: {} }] };
    const variant = fromCall(chat(user('{{ a }}'), calls, user('?')), MODEL);
    expect(variant.messages[1]!.isText).toBe(false);
    expect(toPrompt(variant)).toMatchObject({
      messages: [
        { content: [text('{{{{ a }}}}')], template_format: 'f-string' },
        { content: [text('{{{{ b }}}}')], template_format: 'f-string', tool_calls: [{ id: 'c' }] },
        {},
      ],
    });
    expect(variablesOf([variant])).toEqual([]);
  });

  it('leaves out choices that only a provider understands', () => {
    const asked = (choice: object) => toPrompt(fromCall({ ...chat(user('Hi')), ...choice } as never, MODEL));
    const tools = [{ type: 'function', function: { name: 'find' } }];
    expect(asked({ tools, tool_choice: { auto: {} } })).not.toHaveProperty('tool_choice');
    expect(asked({ tools, tool_choice: { type: 'any' } })).toMatchObject({ tool_choice: { type: 'any' } });
  });

  it('keeps fields that it does not show', () => {
    const messages = [
      user('Hi', { name: 'Ada', template_format: 'jinja2', extra: 1 }),
      { role: 'assistant', content: null, function_call: { name: 'f', arguments: '{}' } },
      { role: 'tool', tool_call_id: 'c1', content: [{ ...text('Found'), thought_signature: 's' }] },
      { role: 'placeholder', name: 'history', content: null },
    ];
    const more = {
      tools: [{ type: 'variable', name: 'more' }],
      tool_choice: 'auto',
      functions: [],
      function_call: 'f',
    };
    const variant = toVariant({ ...chat(...messages), ...more } as PromptTemplate, null);
    expect(toPrompt(variant)).toMatchObject({ ...more, messages });
    const edited = variant.messages.with(2, { ...variant.messages[2]!, text: 'Lost' }).slice(1);
    expect(toPrompt({ ...variant, messages: edited })).toMatchObject({
      messages: [messages[1]!, { tool_call_id: 'c1', content: [{ ...text('Lost'), thought_signature: 's' }] }, {}],
    });
    expect(toPrompt({ ...variant, tools: '' })).toMatchObject({ tools: null, tool_choice: null });
  });

  it('shows pictures as the registry stores them, and gives variables of pictures back', () => {
    const stored = { type: 'image_url', image_url: { url: 'https://a.com', detail: null }, image_variable: null };
    const variant = toVariant(chat(user('', { content: [text('Look'), stored] })), null);
    expect(variant.messages[0]).toMatchObject({ images: ['https://a.com'] });
    expect(toPrompt(variant)).toMatchObject({ messages: [{ content: [text('Look'), stored] }] });
    const named = { ...stored, image_variable: 'photo' };
    const other = toVariant(chat(user('', { content: [text('Look'), named] })), null);
    expect(other.messages[0]).toMatchObject({ isText: false, images: [] });
    expect(variablesOf([other])).toEqual(['photo']);
  });

  it('writes variables in another syntax in all texts', () => {
    const variant = withFormat(toVariant(chat(user('{a}', { template_format: 'f-string' })), null), 'jinja2');
    expect(toPrompt(variant)).toMatchObject({ messages: [{ template_format: 'jinja2' }] });
    expect(variablesOf([variant])).toEqual([]);
  });

  it('keeps a temperature that is no number', () => {
    const model = { ...MODEL, parameters: { temperature: '{{ t }}' } };
    expect(toParameters(toVariant(chat(user('Hi')), model))).toEqual(model.parameters);
  });

  it('is compared line by line', () => {
    expect(variantText(of({ temperature: '1' }))).toBe('model: openai/gpt\ntemperature: 1\nuser:\n');
  });
});

describe('variables', () => {
  const said = (format: Variant['format'], ...texts: string[]) =>
    of({ format, messages: texts.map((each) => ({ role: 'user', text: each, isText: true, images: [] })) });

  it('are found in all variants, each once', () => {
    expect(variablesOf([said('f-string', '{b} {a}', '{b}'), said('jinja2', '{{ c }} {a} {%- for x in d %}')])).toEqual([
      'b',
      'a',
      'c',
      'd',
    ]);
  });

  it.each([
    ['{a}', ['a']],
    ['{{a}}', []],
    ['{{{a}}}', ['a']],
    ['{a.b} {c[0]}', ['a.b', 'c[0]']],
    ['{ a b } {Über-1} {x!r:>{width}}', [' a b ', 'Über-1', 'x', 'width']],
    ['{"a": {b}} {} {c d}', ['b', 'c d']],
    ['{"a": 1}', []],
  ])('are written in braces: %s', (template, names) => {
    expect(variablesOf([said('f-string', template)])).toEqual(names);
  });

  it('are also in placeholders, media, tools and schemas', () => {
    const messages = [
      { role: 'placeholder', name: 'history' },
      user('', { content: [text('{a}'), { type: 'media_variable', name: 'files' }], template_format: 'f-string' }),
    ];
    const tools = [
      { type: 'variable', name: 'more' },
      { type: 'function', function: { name: 'f', description: '{{ b }} {c}' } },
    ];
    const variant = toVariant({ ...chat(...messages), tools } as unknown as PromptTemplate, null);
    const schema = JSON.stringify({ properties: { kind: { type: 'enum_variable', name: 'kinds' } } });
    expect(variablesOf([{ ...variant, schema }])).toEqual(['history', 'a', 'files', 'more', 'b', 'kinds']);
  });

  it.each([
    ['{{ a.b | upper }} {{ c[d] }} {{ f(x, key=y) }}', ['a', 'c', 'd', 'f', 'x', 'y']],
    ['{% for k, v in items.all() if v.ok %}{{ k }}{{ loop.index }}{{ v }}{{ z }}{% endfor %}', ['items', 'z']],
    [
      '{% set n = m + 1 %}{{ n }}{%- if a is defined and "b" not in c -%}{% elif d == 1 %}{% endif %}',
      ['m', 'a', 'c', 'd'],
    ],
    ['{# {{ a }} #}{% raw %}{{ b }}{% endraw %}{{ "c" }}{{ true }}{{ x if y else none }}', ['x', 'y']],
  ])('are found in Jinja: %s', (template, names) => {
    expect(variablesOf([said('jinja2', template)])).toEqual(names);
  });
});
