import { describe, expect, it } from 'vitest';
import type { PromptTemplate } from '../api/schema.gen';
import { patchBody, publishBody } from './publication';
import { fromVersion, type Variant } from './variant';

const user = (text: string) => ({ role: 'user', content: [{ type: 'text', text }], template_format: 'f-string' });
const tool = (name: string) => ({ type: 'function', function: { name } });
const chat = (messages: object[], tools: object[] | null) =>
  ({ type: 'chat', messages, tools }) as unknown as PromptTemplate;

const STORED = chat(
  [user('@@@rules@@@'), user('{a}'), user('b')],
  [{ type: 'registry', tool_registry_id: 1 }, tool('g')],
);
const SHOWN = chat([user('Be kind'), user('{a}'), user('b')], [tool('f'), tool('g')]);
const MODEL = {
  provider: 'openai',
  name: 'gpt',
  parameters: { temperature: '{{ t }}', stream: true, max_tokens: 5, top_p: 1 },
};
const variant = fromVersion({ id: 7, prompt_name: 'p', version: 3, prompt_template: SHOWN }, MODEL);
const publication = { message: null, label: null };
const patch = (change: Partial<Variant>) => {
  const { version, commit_message, ...body } = patchBody(
    { ...variant, ...change },
    variant.source!,
    STORED,
    publication,
  );
  expect({ version, commit_message }).toEqual({ version: 3, commit_message: null });
  return body;
};

describe('a variant under the name of its source', () => {
  it('sends nothing that was not changed', () => expect(patch({})).toEqual({}));

  it('sends unchanged messages as they are stored', () => {
    const changed = variant.messages.with(2, { ...variant.messages[2]!, text: 'c' }).toSpliced(1, 1);
    expect(patch({ messages: changed })).toEqual({ messages: [user('@@@rules@@@'), user('c')] });
  });

  it('sends unchanged tools as they are stored', () => {
    expect(patch({ tools: JSON.stringify([tool('f'), tool('h')]) })).toEqual({
      tools: [{ type: 'registry', tool_registry_id: 1 }, tool('h')],
    });
    expect(patch({ tools: '' })).toEqual({ tools: null });
  });

  it('sends changed parameters, and the names of removed ones', () => {
    expect(patch({ maxTokens: '6', parameters: '{"temperature": "{{ t }}"}' })).toEqual({
      model_parameters: { max_tokens: 6 },
      removed_model_parameters: ['top_p'],
    });
  });

  it('sends another model, and is refused without one', () => {
    expect(patch({ model: 'gpt-5' })).toEqual({ model: { provider: 'openai', name: 'gpt-5' } });
    expect(() => patch({ model: '' })).toThrow('A version cannot lose its model.');
  });

  it('is refused when a completion changes its syntax of variables', () => {
    const completion = { type: 'completion', content: [{ type: 'text', text: 'a' }] } as unknown as PromptTemplate;
    const one = fromVersion({ id: 7, prompt_name: 'p', version: 3, prompt_template: completion }, MODEL);
    const changed: Variant = { ...one, format: 'jinja2' };
    expect(() => patchBody(changed, one.source!, completion, publication)).toThrow('Publish it under another name.');
  });
});

it('has both a provider and a model under another name, or neither', () => {
  expect(() => publishBody({ ...variant, model: '' }, 'q', publication)).toThrow('Choose both a provider and a model');
  expect(publishBody(variant, 'q', { message: 'm', label: 'l' })).toMatchObject({
    prompt_template: { prompt_name: 'q' },
    prompt_version: { commit_message: 'm', metadata: { model: { name: 'gpt' } } },
    release_labels: ['l'],
  });
});
