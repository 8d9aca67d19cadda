import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { PROMPTS, publishPrompt, type ReadPrompt } from '../support/prompts.js';
import { TestApp } from '../support/test-app.js';
import { createTool, definitionOf, saveVersion } from '../support/tools.js';

let app: TestApp;
let me: Client;
beforeAll(async () => {
  app = await TestApp.own({ works: false });
  me = app.client;
});
afterAll(() => app.stop());

const OPENAI = { model: { provider: 'openai', name: 'gpt-4.1-mini', parameters: {} } };
const managed = (id: number) => `/api/admin/v1/workspaces/1/tools/${id}`;
const label = (id: number, name: string, version_number: number) =>
  me.put(`${managed(id)}/labels/${name}`, { version_number });

let count = 0;
/** A prompt with these tools. */
async function promptWith(...tools: object[]): Promise<string> {
  const name = `with tools ${count++}`;
  const template = {
    type: 'chat',
    messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi {name}' }] }],
    tools,
  };
  await publishPrompt(me, name, { template, model: OPENAI.model });
  return name;
}

type WithTools = Omit<ReadPrompt, 'prompt_template'> & { prompt_template: { tools: object[] } };
const url = (name: string) => `${PROMPTS}/${encodeURIComponent(name)}`;
const render = async (name: string, body: object = {}) => (await me.post(url(name), body)) as WithTools;
const read = async (name: string, query = '') => (await me.get(url(name) + query)) as WithTools;
const reference = (id: number, rest: object = {}) => ({ type: 'registry', tool_registry_id: id, ...rest });
const resolved = (name: string) => ({
  type: 'function',
  function: { ...definitionOf(name).function, strict: false, parameters: { type: 'object', properties: {} } },
});

describe('a prompt that refers to a tool of the registry', () => {
  it('gets it, in the template and in the arguments for the model', async () => {
    const id = await createTool(me, 'lookup');
    const own = { type: 'function', function: { name: 'own', description: 'Own.', parameters: { type: 'object' } } };
    const name = await promptWith(own, reference(id));
    const {
      prompt_template: template,
      llm_kwargs: kwargs,
      warning,
    } = await render(name, { input_variables: { name: 'x' } });
    expect(template.tools).toEqual([expect.objectContaining({ type: 'function' }), resolved('lookup')]);
    const names = (kwargs!.tools as { function: { name: string } }[]).map((tool) => tool.function.name);
    expect([names, warning]).toEqual([['own', 'lookup'], null]);
    expect((await read(name, '?include_llm_kwargs=true')).llm_kwargs).toMatchObject({
      tools: [expect.anything(), { type: 'function', function: { name: 'lookup' } }],
    });
  });

  it.each(['anthropic', 'google'])('gets it as %s wants it', async (provider) => {
    const name = await promptWith(reference(await createTool(me, `for-${provider}`)));
    const { llm_kwargs: kwargs } = await render(name, { provider, model: 'some-model' });
    expect(JSON.stringify(kwargs)).toContain(`"name":"for-${provider}"`);
  });

  it('gets the version of the label before that of the number, and otherwise the latest', async () => {
    const id = await createTool(me, 'v1');
    await saveVersion(me, id, definitionOf('v2'));
    await saveVersion(me, id, definitionOf('v3'));
    await label(id, 'prod', 2);
    const name = await promptWith(
      reference(id),
      reference(id, { version_number: 1 }),
      reference(id, { label: 'prod' }),
      reference(id, { label: 'prod', version_number: 1 }),
      reference(id, { label: null, version_number: null }),
    );
    const expected = ['v3', 'v1', 'v2', 'v2', 'v3'].map(resolved);
    expect((await render(name)).prompt_template.tools).toEqual(expected);
    expect((await read(name)).prompt_template.tools).toEqual(expected);
  });

  it('gets the current state: a new version, a moved label', async () => {
    const id = await createTool(me, 'live 1');
    await label(id, 'prod', 1);
    const name = await promptWith(reference(id), reference(id, { label: 'prod' }));
    const tools = async () => (await render(name)).prompt_template.tools;
    expect(await tools()).toEqual([resolved('live 1'), resolved('live 1')]);
    await saveVersion(me, id, definitionOf('live 2'));
    expect(await tools()).toEqual([resolved('live 2'), resolved('live 1')]);
    await label(id, 'prod', 2);
    expect(await tools()).toEqual([resolved('live 2'), resolved('live 2')]);
  });

  it('keeps the reference when it is read as it was published', async () => {
    const id = await createTool(me, 'kept');
    const name = await promptWith(reference(id, { label: 'prod' }));
    expect((await read(name, '?resolve_snippets=false')).prompt_template.tools).toEqual([
      reference(id, { label: 'prod' }),
    ]);
  });

  it('drops references to missing tools with a warning', async () => {
    const id = await createTool(me, 'here');
    const unnamed = await createTool(me, 'unnamed', { tool_definition: { type: 'function' } });
    const theirs = await createTool(await app.stranger(), 'theirs');
    const name = await promptWith(
      reference(id),
      reference(id, { label: 'nowhere' }),
      reference(id, { version_number: 9 }),
      reference(999_999),
      reference(unnamed),
      reference(theirs),
      reference(2 ** 40),
      reference(id, { version_number: 2 ** 40 }),
    );
    const { prompt_template: template, llm_kwargs: kwargs, warning } = await render(name);
    expect(template.tools).toEqual([resolved('here')]);
    expect(kwargs!.tools).toHaveLength(1);
    expect(warning).toContain('The registry tool 999999 was not found and left out.');
    expect(warning).toContain(`The registry tool ${unnamed} was not found`);
    expect(warning).toContain(`The registry tool ${theirs} was not found`);
    expect((await read(name)).prompt_template.tools).toHaveLength(8);
  });

  it('has it no more when the tool is deleted', async () => {
    const [id, other] = [await createTool(me, 'doomed'), await createTool(me, 'stays')];
    const name = await promptWith(reference(id), reference(other), reference(id, { version_number: 1 }));
    await me.delete(managed(id));
    const { prompt_template: template, warning } = await render(name);
    expect([template.tools, warning]).toEqual([[resolved('stays')], expect.not.stringContaining('registry')]);
    expect((await read(name)).prompt_template.tools).toEqual([resolved('stays')]);
    // A tool of the same name is another one.
    await createTool(me, 'doomed');
    expect((await render(name)).prompt_template.tools).toEqual([resolved('stays')]);
  });

  it('fills its variables into the tool, unless they are to be left', async () => {
    const description = 'Finds the orders of {{ customer }}.';
    const tool_definition = { type: 'function', function: { name: 'orders', description } };
    const name = await promptWith(reference(await createTool(me, 'orders', { tool_definition })));
    const descriptionOf = ({ prompt_template: { tools } }: WithTools) =>
      (tools[0] as { function: { description: string } }).function.description;
    expect(descriptionOf(await render(name, { input_variables: { customer: 'Ann' } }))).toBe(
      'Finds the orders of Ann.',
    );
    expect(descriptionOf(await render(name, { skip_input_variable_rendering: true }))).toBe(description);
    const { llm_kwargs: kwargs } = await render(name, { skip_input_variable_rendering: true });
    expect(JSON.stringify(kwargs)).toContain(description);
  });

  it('gets it in lists with arguments for the model, too', async () => {
    const name = await promptWith(reference(await createTool(me, 'in a list')));
    const { items } = (await me.get(
      `/v1/prompt-templates?name=${encodeURIComponent(name)}&skip_input_variable_rendering=true`,
    )) as {
      items: { llm_kwargs: { tools: object[] } }[];
    };
    expect(items[0]!.llm_kwargs.tools).toEqual([expect.objectContaining({ type: 'function' })]);
  });
});
