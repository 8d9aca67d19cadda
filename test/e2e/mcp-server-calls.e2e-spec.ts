import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestApp } from '../support/test-app.js';
import { failure, ToolClient, withoutJson } from '../support/tool-client.js';

const PUBLIC = '/api/public/v2';
const TEMPLATES = '/prompt-templates';
const PUBLISH = '/rest/prompt-templates';
const FOLDERS = `${PUBLIC}/folders`;
const TOOLS = `${PUBLIC}/tool-registry`;
const SKILLS = `${PUBLIC}/skill-collections`;
const BAD_ROUTE = 'no such thing';

let app: TestApp;
let tools: ToolClient;
beforeAll(async () => {
  app = await TestApp.start();
  await app.listen();
  tools = new ToolClient(await app.app.getUrl(), app.apiKey, app.contract);
});
afterAll(() => app.stop());

const chat = (text: string) => ({ type: 'chat', messages: [{ role: 'user', content: [{ type: 'text', text }] }] });
const MODEL = { model: { provider: 'openai', name: 'gpt-4.1-mini', parameters: { temperature: 0.5 } } };

interface Published {
  id: number;
  prompt_version_id: number;
  version_number: number;
}

function publish(name: string, text: string, more: { head?: object; rest?: object } = {}): Promise<Published> {
  return tools.post<Published>(PUBLISH, {
    prompt_template: { prompt_name: name, tags: ['support', 'greeting'], ...more.head },
    prompt_version: { prompt_template: chat(text), commit_message: 'As asked', metadata: MODEL },
    ...more.rest,
  });
}

describe('prompt templates', () => {
  const NAME = 'support/greeting: #1 & more';
  const path = `${TEMPLATES}/${encodeURIComponent(NAME)}`;

  it('are published, got, listed and patched', async () => {
    const first = await publish(NAME, 'Hello {name}', { rest: { release_labels: ['prod'] } });
    expect(first).toMatchObject({ id: expect.any(Number), version_number: 1, release_labels: ['prod'] });
    expect(await publish(NAME, 'Good day {name}')).toMatchObject({ id: first.id, version_number: 2 });

    const got = await tools.getTemplate(NAME, { label: 'prod', input_variables: { name: 'Ada' }, provider: 'openai' });
    expect(got).toMatchObject({ prompt_name: NAME, version: 1, llm_kwargs: { model: 'gpt-4.1-mini' } });
    expect(JSON.stringify(got.prompt_template)).toContain('Hello Ada');
    expect(await tools.getTemplate(String(first.id), { version: 2 })).toMatchObject({ prompt_name: NAME, version: 2 });

    const raw = await tools.get(path, {
      version: 1,
      resolve_snippets: false,
      include_llm_kwargs: true,
      label: undefined,
    });
    expect(raw).toMatchObject({ success: true, prompt_name: NAME, version: 1, llm_kwargs: { temperature: 0.5 } });
    expect(JSON.stringify(raw.prompt_template)).toContain('Hello {name}');

    const query = {
      page: 1,
      per_page: 5,
      name: 'GREETING',
      tags: ['support', 'greeting'],
      is_snippet: false,
      label: null,
    };
    expect(
      await tools.get(TEMPLATES, { ...query, status: 'active', sort_by: 'name', sort_order: 'asc' }),
    ).toMatchObject({
      items: [{ id: first.id, prompt_name: NAME }],
      page: 1,
      pages: 1,
      total: 1,
    });
    expect(await tools.get(TEMPLATES, { tags: ['support', 'nothing'] })).toMatchObject({ items: [], total: 0 });

    const messages = { '0': { role: 'user', content: [{ type: 'text', text: 'Bye {name}' }] } };
    const change = { label: 'prod', messages, model_parameters: { max_tokens: 9 }, response_format: null };
    expect(await tools.patch(`${PUBLISH}/${encodeURIComponent(NAME)}`, change)).toMatchObject({ version_number: 3 });
    const patched = await tools.get(path, { include_llm_kwargs: true });
    expect(patched).toMatchObject({ version: 3, llm_kwargs: { temperature: 0.5, max_tokens: 9 } });
  });

  it('have labels that are created, moved and deleted', async () => {
    const { id } = await publish('labelled', 'One');
    await publish('labelled', 'Two');
    const label = await tools.post<{ id: number }>(`/prompts/${id}/label`, { prompt_version_number: 1, name: 'prod' });
    expect(label).toMatchObject({ id: expect.any(Number), name: 'prod', prompt_id: id });
    expect(await tools.patch(`/prompt-labels/${label.id}`, { prompt_version_number: 2 })).toMatchObject({
      id: label.id,
    });
    expect(await tools.get(`${TEMPLATES}/labelled/labels`)).toEqual({
      release_labels: [
        {
          release_label: 'prod',
          release_label_id: label.id,
          prompt_version_number: 2,
          prompt_version_id: expect.any(Number),
        },
      ],
    });
    await withoutJson(tools.delete(`/prompt-labels/${label.id}`));
    expect(await tools.get(`${TEMPLATES}/labelled/labels`)).toEqual({ release_labels: [] });
  });

  it('list the prompts that use a snippet', async () => {
    const completion = {
      type: 'completion',
      content: [{ type: 'text', text: 'Be kind.' }],
      template_format: 'f-string',
    };
    await tools.post(PUBLISH, {
      prompt_template: { prompt_name: 'kindness', is_snippet: true },
      prompt_version: { prompt_template: completion },
    });
    const { id } = await publish('kind', '@@@kindness@@@ Hello.');
    expect(await tools.get(`${TEMPLATES}/kindness/snippet-usage`, { prompt_version_number: 1 })).toMatchObject({
      success: true,
      snippet_name: 'kindness',
      snippet_usage: [{ prompt_registry_id: id, prompt_name: 'kind', version_numbers: [1] }],
      total_prompts_using_snippet: 1,
    });
    expect(JSON.stringify(await tools.getTemplate('kind'))).toContain('Be kind. Hello.');
    expect((await failure(publish('unkind', '@@@no such snippet@@@')))[0]).toBe(422);
  });

  it('that are missing, and invalid requests, fail with a message', async () => {
    expect(await failure(tools.getTemplate(BAD_ROUTE))).toEqual([404, expect.stringContaining(BAD_ROUTE)]);
    expect(await failure(tools.get(`${TEMPLATES}/kind`, { version: 1, label: 'prod' }))).toEqual([
      422,
      expect.stringContaining('label'),
    ]);
    expect(await failure(tools.post(PUBLISH, { prompt_template: {} }))).toEqual([422, expect.stringMatching(/\w+/)]);
  });
});

describe('request logs and spans', () => {
  it('are logged, searched and read', async () => {
    const said = (role: string, text: string) => ({
      type: 'chat',
      messages: [{ role, content: [{ type: 'text', text }] }],
    });
    const logged = await tools.post<{ id: number }>('/log-request', {
      provider: 'openai',
      model: 'gpt-4.1-mini',
      input: said('user', 'Where is my umbrella?'),
      output: said('assistant', 'On its way.'),
      request_start_time: '2026-11-20T10:00:00Z',
      request_end_time: '2026-11-20T10:00:01Z',
      tags: ['asked'],
      metadata: { plan: 'pro' },
    });
    expect(logged.id).toEqual(expect.any(Number));
    const filter_group = { logic: 'AND', filters: [{ field: 'tags', operator: 'in', value: ['asked'] }] };
    const search = { filter_group, page: 1, per_page: 10, sort_by: 'request_start_time', sort_order: 'desc' };
    expect(await tools.post(`${PUBLIC}/requests/search`, search)).toMatchObject({ items: [{ id: logged.id }] });
    expect(await tools.get(`${PUBLIC}/requests/${logged.id}`)).toMatchObject({ success: true });

    const span = {
      name: 'step',
      context: { trace_id: 'ab'.repeat(16), span_id: 'cd'.repeat(8), trace_state: '' },
      kind: 'SpanKind.INTERNAL',
      parent_id: null,
      start_time: 1_780_000_000_000_000_000,
      end_time: 1_780_000_001_000_000_000,
      status: { status_code: 'StatusCode.OK' },
      attributes: { plan: 'pro' },
      resource: { attributes: { 'service.name': 'asked' }, schema_url: '' },
    };
    expect(await tools.post('/spans-bulk', { spans: [span] })).toMatchObject({ success: true });
    expect(await tools.get(`${PUBLIC}/traces/${'ab'.repeat(16)}`)).toMatchObject({ spans: [{ name: 'step' }] });
  });
});

describe('folders', () => {
  it('are created, renamed, listed, found by their path, filled and emptied', async () => {
    const newFolder = async (name: string, parent_id?: number) => {
      const { folder } = await tools.post<{ folder: { id: number } }>(FOLDERS, { name, parent_id });
      return folder.id;
    };
    const parent = await newFolder('Support');
    const child = await newFolder('Draft answers', parent);
    expect(await tools.patch(`${FOLDERS}/${child}`, { name: 'Answers' })).toMatchObject({
      folder: { name: 'Answers' },
    });
    expect(await tools.get(`${FOLDERS}/resolve-id`, { path: 'Support.Answers' })).toEqual({ id: child });
    expect(await tools.get(`${FOLDERS}/resolve-id`, { path: 'Support/Answers' })).toEqual({ id: child });

    const { id: prompt } = await publish('in a folder', 'Hello');
    const entities = [{ id: prompt, type: 'PROMPT' }];
    expect(await tools.post(`${FOLDERS}/entities`, { entities, folder_id: child })).toEqual({ moved_count: 1 });
    const query = { folder_id: parent, filter_type: ['FOLDER', 'PROMPT'], flatten: true, include_metadata: true };
    expect(await tools.get(`${FOLDERS}/entities`, { ...query, tags: undefined, search_query: null })).toMatchObject({
      entities: [
        { id: child, type: 'FOLDER', name: 'Answers' },
        { id: prompt, type: 'PROMPT', name: 'in a folder', metadata: { latest_version_number: 1 } },
      ],
    });
    expect(await tools.get(`${FOLDERS}/entities`, { folder_id: parent, flatten: false })).toMatchObject({
      entities: [{ id: child }],
    });
    const doomed = { entities: [{ id: parent, type: 'FOLDER' }] };
    expect(await failure(tools.delete(`${FOLDERS}/entities`, doomed))).toEqual([400, expect.stringMatching(/\w+/)]);
    expect(await tools.delete(`${FOLDERS}/entities`, { ...doomed, cascade: true })).toEqual({ moved_count: 3 });
    expect((await failure(tools.get(`${FOLDERS}/resolve-id`, { path: 'Support' })))[0]).toBe(404);
  });
});

describe('tools and environment variables', () => {
  const definition = { type: 'function', function: { name: 'add', parameters: { type: 'object', properties: {} } } };
  const execution = (code: string) => ({ type: 'code', language: 'javascript', code });

  it('are listed, created, changed and tried', async () => {
    const body = {
      name: 'add',
      description: 'Adds',
      tool_definition: definition,
      execution: execution('return args.a;'),
    };
    const { tool_registry: tool } = await tools.post<{ tool_registry: { id: number } }>(TOOLS, body);
    const version = {
      tool_definition: definition,
      execution: execution('return args.a + args.b;'),
      commit_message: null,
    };
    expect(await tools.post(`${TOOLS}/add/versions`, version)).toMatchObject({ version: { version_number: 2 } });
    expect(await tools.get(TOOLS, { sort_by: 'name', sort_order: 'asc' })).toMatchObject({
      tool_registries: [{ id: tool.id, name: 'add' }],
    });
    expect(await tools.get(`${TOOLS}/${tool.id}`, { version: '1', label: undefined })).toMatchObject({
      tool_registry: { name: 'add', version: { version_number: 1 }, tool_definition: definition },
    });
    expect(await tools.post(`${TOOLS}/add/test-execute`, { inputs: { a: 1, b: 2 } })).toMatchObject({
      success: true,
      result: { status: 'success', result: 3 },
    });
    const overridden = { inputs: { a: 1 }, execution: execution('throw new Error("no")') };
    expect(await tools.post(`${TOOLS}/add/test-execute?version=1`, overridden)).toMatchObject({
      result: { status: 'error', error: { message: expect.stringContaining('no') } },
    });
  });

  it('are created with their names alone: somebody fills them in', async () => {
    expect(await tools.post(`${PUBLIC}/env-vars`, { key: 'API_TOKEN' })).toMatchObject({
      workspace_env_var: { key: 'API_TOKEN', is_empty: true },
    });
    expect(await tools.get(`${PUBLIC}/env-vars`)).toMatchObject({ workspace_env_vars: [{ key: 'API_TOKEN' }] });
    expect(await tools.post(`${TOOLS}/add/env-vars`, { key: 'OWN_TOKEN' })).toMatchObject({
      tool_env_var: { key: 'OWN_TOKEN', is_empty: true },
    });
    expect(await tools.get(`${TOOLS}/add/env-vars`)).toMatchObject({ tool_env_vars: [{ key: 'OWN_TOKEN' }] });
    expect((await failure(tools.post(`${PUBLIC}/env-vars`, { key: 'API_TOKEN' })))[0]).toBe(409);
    expect((await failure(tools.post(`${PUBLIC}/env-vars`, { key: 'LD_PRELOAD' })))[0]).toBe(422);
  });
});

describe('skill collections', () => {
  it('are created, listed, read, renamed and saved', async () => {
    const files = [{ path: 'greet/SKILL.md', content: '# Greet' }];
    const created = await tools.post<{ skill_collection: { id: string } }>(SKILLS, {
      name: 'greetings',
      provider: 'claude',
      description: 'How to greet',
      files,
    });
    const { id } = created.skill_collection;
    expect(created).toMatchObject({
      skill_collection: { name: 'greetings', provider: 'claude_code', description: 'How to greet' },
      version: { number: 1 },
    });
    expect(await tools.get(SKILLS, { sort_by: 'name' })).toMatchObject({ skill_collections: [{ id }] });
    expect(await tools.patch(`${SKILLS}/greetings`, { name: 'welcomes', description: '' })).toMatchObject({
      skill_collection: { id, name: 'welcomes' },
    });
    const changes = {
      file_updates: [{ path: 'leave/SKILL.md', content: '# Leave' }],
      moves: [{ old_path: 'greet/SKILL.md', new_path: 'hello/SKILL.md' }],
      deletes: [],
      release_label: 'prod',
    };
    expect(await tools.post(`${SKILLS}/${id}/versions`, changes)).toMatchObject({
      version: { number: 2, release_label: 'prod' },
    });
    expect(await tools.get(`${SKILLS}/welcomes`, { label: 'prod', version: undefined, format: 'json' })).toMatchObject({
      skill_collection: { id },
      version: { number: 2 },
      files: { '.claude/skills/hello/SKILL.md': '# Greet', '.claude/skills/leave/SKILL.md': '# Leave' },
    });
    expect((await failure(tools.get(`${SKILLS}/welcomes`, { label: 'prod', version: 1 })))[0]).toBe(400);
  });
});

describe('a client with a wrong key', () => {
  it('gets 401', async () => {
    const stranger = new ToolClient(await app.app.getUrl(), `pl_${'x'.repeat(46)}`, app.contract);
    expect((await failure(stranger.get(TOOLS)))[0]).toBe(401);
    expect((await failure(stranger.getTemplate('kind')))[0]).toBe(401);
    expect((await failure(stranger.delete(`${FOLDERS}/entities`, { entities: [] })))[0]).toBe(401);
  });
});
