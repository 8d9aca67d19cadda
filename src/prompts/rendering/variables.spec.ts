import { afterAll, expect, it } from 'vitest';
import { JinjaSandbox } from '../../platform/sandbox/jinja-sandbox.js';
import { Sandbox } from '../../platform/sandbox/sandbox.js';
import { chat, completion, placeholder, text, user } from './prompt.fixture.js';
import { collectInputVariables } from './variables.js';

const owner = { workspaceId: 1, keyId: null };
const sandbox = new Sandbox();
const jinja = new JinjaSandbox(sandbox);
afterAll(() => sandbox.onApplicationShutdown());

it('lists the variables of each message and of the whole prompt', async () => {
  const prompt = chat([
    user('{b} and {a} and {b}'),
    user('{{ c.x }}{% for d in ds %}{{ d }}{% endfor %}{{ a }} {not_this}', 'jinja2'),
    placeholder('history'),
    user([
      { type: 'media_variable', name: 'pictures' },
      text('{e}'),
      { type: 'image_url', image_url: { url: '' }, image_variable: 'photo' },
    ]),
  ]);
  const collected = await collectInputVariables(jinja, prompt, {}, owner);
  expect(collected.type === 'chat' && collected.messages.map((message) => message.input_variables)).toEqual([
    ['b', 'a'],
    ['c', 'ds', 'a'],
    ['history'],
    ['pictures', 'e', 'photo'],
  ]);
  expect(collected.input_variables).toEqual(['b', 'a', 'c', 'ds', 'history', 'pictures', 'e', 'photo']);
});

it('adds those of tools, functions and the response format to the template only', async () => {
  const schema = {
    type: 'json_schema',
    json_schema: {
      name: 'answer',
      schema: {
        description: 'About {{ subject }}',
        properties: {
          kind: { enum: { type: 'enum_variable', name: 'kinds' } },
          who: { type: 'variable', name: 'person' },
        },
      },
    },
  };
  const prompt = chat([user('{a}')], {
    tools: [
      { type: 'variable', name: 'more_tools' },
      { type: 'function', function: { name: 'f', description: 'For {{ user_id }} {plain}', parameters: {} } },
      { type: 'registry', tool_registry_id: 1 },
    ],
    functions: [{ name: 'g', description: '{{ legacy }}' }],
  });
  const collected = await collectInputVariables(jinja, prompt, { response_format: schema, stop: '{{ no }}' }, owner);
  expect(collected.input_variables).toEqual(['a', 'more_tools', 'user_id', 'legacy', 'subject', 'kinds', 'person']);
  expect(collected.type === 'chat' && collected.messages[0].input_variables).toEqual(['a']);
});

it.each([
  [completion('{a}{{b}}'), ['a']],
  [completion('{{ a }}{b}', 'jinja2'), ['a']],
  [completion('{{ a', 'jinja2'), []],
  [completion('{"json": 1}'), []],
  [completion('{"json": "{a}"} for {b}'), ['a', 'b']],
])('lists the variables of a completion: %j', async (prompt, names) => {
  expect(
    (await collectInputVariables(jinja, { ...prompt, input_variables: ['stale'] }, {}, owner)).input_variables,
  ).toEqual(names);
});

it('never changes the given prompt', async () => {
  const prompt = chat([user('{a}')], { input_variables: ['stale'] });
  const before = structuredClone(prompt);
  await collectInputVariables(jinja, prompt, {}, owner);
  expect(prompt).toEqual(before);
});
