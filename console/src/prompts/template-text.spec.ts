import { describe, expect, it } from 'vitest';
import type { PromptTemplate, RawPromptResponse } from '../api/schema.gen';
import { editableMessages, editedContent } from './template-text';
import { draftOf, patchOf } from './version-draft';
import { versionJson, versionText } from './version-text';

const text = (said: string, more: object = {}) => ({ type: 'text', text: said, ...more });
const chat = (messages: object[], more: object = {}) =>
  ({ type: 'chat', messages, ...more }) as unknown as PromptTemplate;

const SYSTEM = { role: 'system', name: 'rules', content: [text('Be kind')], template_format: 'jinja2' };
const USER = { role: 'user', name: 'Ada', content: [text('Hi', { annotations: [1] })], template_format: 'f-string' };
const CALL = { role: 'assistant', content: null, function_call: { name: 'find', arguments: '{}' } };
const RESULT = { role: 'tool', tool_call_id: 'c1', content: [text('Found')], template_format: 'f-string' };
const HISTORY = { role: 'placeholder', name: 'history', content: null, template_format: 'f-string' };
const ALL = [SYSTEM, USER, CALL, RESULT, HISTORY];

describe('messages that are edited as texts', () => {
  const template = chat(ALL);

  it('keep their other fields when one before them is removed', () => {
    const edited = editableMessages(template).slice(1);
    expect(editedContent(template, edited)).toEqual({ messages: ALL.slice(1) });
  });

  it('change in their text alone', () => {
    const edited = editableMessages(template).map((message) =>
      message.isText ? { ...message, text: `${message.text}!` } : message,
    );
    expect(editedContent(template, edited)).toEqual({
      messages: [
        { ...SYSTEM, content: [text('Be kind!')] },
        { ...USER, content: [text('Hi!', { annotations: [1] })] },
        CALL,
        { ...RESULT, content: [text('Found!')] },
        HISTORY,
      ],
    });
  });

  it('are written like the first one when they are new', () => {
    const added = { role: 'user', text: 'New', isText: true };
    expect(editedContent(template, [added])).toEqual({
      messages: [{ role: 'user', content: [text('New')], template_format: 'jinja2' }],
    });
  });

  it('are named when they are no valid JSON', () => {
    const edited = editableMessages(chat([CALL])).map((message) => ({ ...message, text: '{' }));
    expect(() => editedContent(template, edited)).toThrow('The message of assistant: this is no valid JSON.');
  });

  it('may be the content of a completion', () => {
    const completion = { type: 'completion', content: [text('a'), text('b')] } as unknown as PromptTemplate;
    expect(editedContent(completion, editableMessages(completion))).toEqual({ content: [text('a'), text('b')] });
  });
});

describe('the model of an edited version', () => {
  const version = (model: object | null) =>
    ({ prompt_template: chat([USER]), metadata: { model } }) as unknown as RawPromptResponse;
  const patch = (model: object | null, provider: string, name: string) =>
    patchOf(version(model), { ...draftOf(version(model)), model: { provider, name } });

  it('cannot be emptied', () => {
    const model = { provider: 'openai', name: 'gpt' };
    expect(() => patch(model, '', '')).toThrow('A version cannot lose its model.');
    expect(() => patch(model, 'openai', ' ')).toThrow('A version cannot lose its model.');
    expect(patch(model, ' openai ', 'gpt-5')).toMatchObject({ model: { provider: 'openai', name: 'gpt-5' } });
  });

  it('has a provider and a name, or is none', () => {
    expect(() => patch(null, 'openai', '')).toThrow('Choose both a provider and a model, or neither.');
    expect(patch(null, '', '')).not.toHaveProperty('model');
  });
});

describe('versions that are compared', () => {
  const version = (template: PromptTemplate, model: object = {}) => ({
    prompt_template: template,
    metadata: { model: { provider: 'openai', name: 'gpt', ...model } },
  });
  const picture = (url: string) => ({ type: 'image_url', image_url: { url } });
  const file = (url: string) => ({ type: 'media', media: { title: 'a', type: 'application/pdf', url } });
  const long = 'data:'.padEnd(5000, 'x');

  it.each<[string, object, object]>([
    ['a syntax of variables', USER, { ...USER, template_format: 'jinja2' }],
    ['a name of a speaker', USER, { ...USER, name: 'Bob' }],
    ['a name of a placeholder', HISTORY, { ...HISTORY, name: 'past' }],
    ['an id of a tool call', RESULT, { ...RESULT, tool_call_id: 'c2' }],
    ['an annotation', USER, { ...USER, content: [text('Hi', { annotations: [2] })] }],
    ['the end of a picture', { content: [picture(`${long}a`)] }, { content: [picture(`${long}b`)] }],
    ['the content of a file', { content: [file(`${long}a`)] }, { content: [file(`${long}b`)] }],
  ])('differ in %s', (_, before, after) => {
    expect(versionText(version(chat([before])))).not.toBe(versionText(version(chat([after]))));
  });

  it.each([{ tool_choice: 'auto' }, { functions: [{ name: 'f' }] }, { function_call: 'none' }])(
    'differ in a field of the prompt: %j',
    (more) => {
      expect(versionText(version(chat([USER])))).not.toBe(versionText(version(chat([USER], more))));
    },
  );

  it('differ in a field of the model, and in what only the JSON shows', () => {
    const plain = version(chat([USER]));
    expect(versionText(version(chat([USER]), { api_type: 'responses' }))).toContain('"api_type": "responses"');
    const empty = version(chat([{ ...USER, raw_request_display_role: '' }]));
    expect(versionText(empty)).toBe(versionText(plain));
    expect(versionJson(empty)).not.toBe(versionJson(plain));
  });

  it('are the same whatever variables the server has found, and in any order of members', () => {
    const [first, second] = [version(chat([USER])), version(chat([{ ...USER, input_variables: ['a'] }]))];
    expect(versionJson({ metadata: second.metadata, prompt_template: second.prompt_template })).toBe(
      versionJson(first),
    );
  });

  it('show long texts by their beginning', () => {
    expect(versionText(version(chat([{ role: 'user', content: [picture(long)] }]))).length).toBeLessThan(1500);
  });
});
