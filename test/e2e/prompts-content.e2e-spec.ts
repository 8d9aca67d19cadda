import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { every } from '../support/every.js';
import { promptBody, promptUrl, PUBLISH, publishPrompt, readPrompt, renderPrompt } from '../support/prompts.js';
import { TestApp } from '../support/test-app.js';

let app: TestApp;
let me: Client;
beforeAll(async () => {
  app = await TestApp.start({ works: false });
  me = app.client;
});
afterAll(() => app.stop());

type Json = Record<string, unknown>;
const text = { type: 'text', text: 'Hi', id: null, annotations: null, thought_signature: null };
const given = { type: 'text', text: 'Hi' };
const messageDefaults = {
  input_variables: [],
  template_format: 'f-string',
  name: null,
  raw_request_display_role: '',
  dataset_examples: [],
};
const call = { name: 'lookup', arguments: '{"a":1}' };
const TEMPLATE = ['body', 'prompt_version', 'prompt_template'];

/** Publishes the prompt and returns its stored template. */
async function stored(template: object): Promise<Json> {
  const published = await publishPrompt(me, 'content', { template });
  const { prompt_template: read } = await readPrompt(me, 'content', '?resolve_snippets=false');
  expect(read).toEqual(published.prompt_template);
  return read as unknown as Json;
}
const storedMessage = async (message: object) =>
  ((await stored({ type: 'chat', messages: [message] })).messages as Json[])[0]!;
const storedPart = async (part: object) =>
  ((await storedMessage({ role: 'user', content: [part] })).content as Json[])[0]!;
const storedTool = async (tool: object) =>
  ((await stored({ type: 'chat', messages: [], tools: [tool] })).tools as Json[])[0]!;

describe('messages of every role', () => {
  const messages: [sent: Json, defaults: Json][] = [
    [{ role: 'system', content: [given] }, {}],
    [{ role: 'user', content: [given] }, {}],
    [{ role: 'developer', content: [given] }, {}],
    [{ role: 'user', content: [] }, {}],
    [{ role: 'assistant' }, { content: null, function_call: null, tool_calls: null }],
    [{ role: 'assistant', content: [given], function_call: call }, { tool_calls: null }],
    [{ role: 'assistant', content: null, tool_calls: [] }, { function_call: null }],
    [{ role: 'tool', content: [given], tool_call_id: 'c1' }, {}],
    [{ role: 'function', name: 'lookup' }, { content: null }],
    [{ role: 'function', name: 'lookup', content: [given] }, {}],
    [
      { role: 'placeholder', name: 'history' },
      { content: null, input_variables: ['history'] },
    ],
    [{ role: 'user', content: [given], name: 'Ada', template_format: 'jinja2', raw_request_display_role: 'x' }, {}],
    [{ role: 'user', content: [given], dataset_examples: [{ a: 1 }], colour: 'red' }, {}],
  ];

  it('are stored with their defaults filled in and unknown fields kept', async () => {
    await every(messages, async ([sent, defaults]) => {
      const content = Array.isArray(sent.content) && sent.content.length > 0 ? { content: [text] } : {};
      expect(await storedMessage(sent)).toEqual({ ...messageDefaults, ...defaults, ...sent, ...content });
    });
  });

  it('keep tool calls of assistants with the metadata of providers', async () => {
    const provider_metadata = { signature: 'abc' };
    const calls = [
      { id: 'c1', type: 'function', function: call },
      { id: 'c2', type: 'function', tool_id: 't', function: call, provider_metadata },
    ];
    const { tool_calls: kept } = await storedMessage({ role: 'assistant', tool_calls: calls });
    expect(kept).toEqual([{ ...calls[0], tool_id: null }, calls[1]]);
  });
});

describe('content parts of every type', () => {
  const annotations = [{ type: 'url_citation', title: 't', url: 'u', start_index: 0, end_index: 1 }];
  const parts: [sent: Json, defaults: Json][] = [
    [given, { id: null, annotations: null, thought_signature: null }],
    [{ type: 'text', text: '', id: 'i', annotations, thought_signature: 's' }, {}],
    [
      { type: 'thinking', thinking: 'hm' },
      { signature: null, id: null },
    ],
    [
      { type: 'code', code: '1 + 1' },
      { id: null, container_id: null, language: null },
    ],
    [{ type: 'image_url', image_url: { url: 'https://x/y.png', detail: 'low' } }, { image_variable: null }],
    [{ type: 'image_url', image_url: { url: '', detail: null }, image_variable: null }, {}],
    [{ type: 'media', media: { title: 'a', type: 'application/pdf', url: 'u', format: 'url' } }, {}],
    [{ type: 'media_variable', name: 'photos' }, {}],
    [
      { type: 'output_media', url: 'u' },
      { id: null, mime_type: 'image/png', media_type: 'image', provider_metadata: null },
    ],
    [{ type: 'server_tool_use', id: 's', name: 'web_search' }, { input: {} }],
    [{ type: 'web_search_tool_result', tool_use_id: 's' }, { content: [] }],
    [{ type: 'code_execution_result', output: '2' }, { outcome: 'OUTCOME_OK' }],
    [{ type: 'mcp_list_tools' }, { id: null, server_label: '', tools: [], error: null }],
    [
      { type: 'mcp_call' },
      { id: null, name: '', server_label: '', arguments: '', output: null, error: null, approval_request_id: null },
    ],
    [{ type: 'mcp_approval_request' }, { id: null, name: '', arguments: '', server_label: '' }],
    [{ type: 'mcp_approval_response', approval_request_id: 'a', approve: false }, {}],
    [{ type: 'bash_code_execution_tool_result', tool_use_id: 's' }, { content: {} }],
    [{ type: 'text_editor_code_execution_tool_result', tool_use_id: 's', content: { a: 1 } }, {}],
    [{ type: 'shell_call' }, { id: null, call_id: null, action: {}, status: null }],
    [{ type: 'shell_call_output' }, { id: null, call_id: null, output: [], status: null }],
    [{ type: 'apply_patch_call' }, { id: null, call_id: null, operation: {}, status: null }],
    [{ type: 'apply_patch_call_output' }, { id: null, call_id: null, output: null, status: null }],
  ];

  it('are stored with their defaults filled in and unknown fields kept', async () => {
    await every(parts, async ([sent, defaults]) => {
      expect(await storedPart({ ...sent, colour: 'red' })).toEqual({ ...sent, ...defaults, colour: 'red' });
    });
  });

  it('are stored in completion prompts as well', async () => {
    const content = parts.map(([part]) => part);
    const { content: kept } = await stored({ type: 'completion', content });
    expect(kept).toEqual(parts.map(([part, defaults]) => ({ ...part, ...defaults })));
  });

  it('have defaults inside media', async () => {
    const media = { title: 'media', type: 'image/jpeg', url: null, format: 'neither' };
    expect(await storedPart({ type: 'media', media: {} })).toEqual({ type: 'media', media });
  });
});

describe('tools of every kind', () => {
  const hosted = { id: 't', name: 'n', description: 'd', provider: 'openai', config: { a: [1] } };
  const kinds = ['web_search', 'file_search', 'code_interpreter', 'image_generation', 'google_maps', 'url_context'];
  const tools: Json[] = [
    ...[...kinds, 'mcp', 'bash', 'shell', 'apply_patch', 'text_editor'].map((type) => ({ ...hosted, type })),
    { type: 'mcp', mcp_server_id: 7 },
    { type: 'registry', tool_registry_id: 7, label: 'prod' },
    { type: 'registry', tool_registry_id: 7, version_number: 2 },
    { type: 'variable', name: 'tools' },
  ];

  it('are stored as they came', async () => {
    await every(tools, async (tool) => expect(await storedTool(tool)).toEqual(tool));
  });

  it('are functions whose defaults are filled in, also in the older list of functions', async () => {
    const named = { name: 'lookup' };
    const filled = { ...named, description: '', strict: false, parameters: { type: 'object', properties: {} } };
    expect(await storedTool({ type: 'function', function: named })).toEqual({ type: 'function', function: filled });
    const { functions } = await stored({ type: 'chat', messages: [], functions: [named] });
    expect(functions).toEqual([filled]);
  });

  it('can be chosen by a word or by name', async () => {
    for (const choice of ['auto', 'none', 'required', { type: 'function', function: { name: 'lookup' } }, null]) {
      expect(await stored({ type: 'chat', messages: [], tool_choice: choice })).toMatchObject({ tool_choice: choice });
    }
    for (const choice of ['auto', { name: 'lookup' }, null]) {
      expect(await stored({ type: 'chat', messages: [], function_call: choice })).toMatchObject({
        function_call: choice,
      });
    }
  });
});

describe('content that is no prompt', () => {
  const message = (message: unknown) => ({ type: 'chat', messages: [{ role: 'user', content: [] }, message] });
  const part = (part: unknown) => message({ role: 'user', content: [given, part] });
  const tool = (tool: unknown) => ({ type: 'chat', messages: [], tools: [tool] });
  const inMessage = [...TEMPLATE, 'messages', 1];
  const inPart = [...inMessage, 'content', 1];
  const cases: [what: string, template: unknown, loc: (string | number)[]][] = [
    ['no object', 'text', TEMPLATE],
    ['no type', { messages: [] }, [...TEMPLATE, 'type']],
    ['an unknown type', { type: 'poem' }, [...TEMPLATE, 'type']],
    ['a chat without messages', { type: 'chat' }, [...TEMPLATE, 'messages']],
    ['a completion without content', { type: 'completion' }, [...TEMPLATE, 'content']],
    [
      'an unknown format',
      { type: 'completion', content: [], template_format: 'mustache' },
      [...TEMPLATE, 'template_format'],
    ],
    ['no role', message({ content: [] }), [...inMessage, 'role']],
    ['an unknown role', message({ role: 'critic', content: [] }), [...inMessage, 'role']],
    ['a message that is no object', message('hello'), inMessage],
    ['a user message without content', message({ role: 'user' }), [...inMessage, 'content']],
    ['content that is a text', message({ role: 'user', content: 'hello' }), [...inMessage, 'content']],
    ['a tool message without its call', message({ role: 'tool', content: [] }), [...inMessage, 'tool_call_id']],
    ['a function message without name', message({ role: 'function' }), [...inMessage, 'name']],
    ['a placeholder without name', message({ role: 'placeholder' }), [...inMessage, 'name']],
    ['an unknown part', part({ type: 'hologram' }), [...inPart, 'type']],
    ['a part without type', part({ text: 'x' }), [...inPart, 'type']],
    ['a text part without text', part({ type: 'text' }), [...inPart, 'text']],
    ['an image without URL', part({ type: 'image_url', image_url: {} }), [...inPart, 'image_url', 'url']],
    ['media in an unknown format', part({ type: 'media', media: { format: 'tape' } }), [...inPart, 'media', 'format']],
    ['an unknown tool', tool({ type: 'hammer' }), [...TEMPLATE, 'tools', 0, 'type']],
    [
      'a function without name',
      tool({ type: 'function', function: {} }),
      [...TEMPLATE, 'tools', 0, 'function', 'name'],
    ],
    [
      'a hosted tool without config',
      tool({ type: 'bash', id: 'b', name: 'b', description: '', provider: 'p' }),
      [...TEMPLATE, 'tools', 0, 'config'],
    ],
    ['a registered tool without its id', tool({ type: 'registry' }), [...TEMPLATE, 'tools', 0, 'tool_registry_id']],
    [
      'a tool call without arguments',
      message({ role: 'assistant', tool_calls: [{ id: 'c', function: { name: 'x' } }] }),
      [...inMessage, 'tool_calls', 0, 'function', 'arguments'],
    ],
  ];

  it.each(cases)('is rejected with its path: %s', async (_, template, loc) => {
    const body = promptBody('refused', { template: template as object });
    const { detail } = (await me.post(PUBLISH, body, 422)) as { detail: object[] };
    expect(detail).toContainEqual({ loc, msg: expect.any(String), type: expect.any(String) });
    await me.get(promptUrl('refused'), 404);
  });
});

describe('the order of keys', () => {
  const schema = {
    type: 'object',
    properties: {
      zeta: { type: 'string' },
      alpha: { type: 'string' },
      mid: { enum: ['b', 'a'] },
    },
    required: ['zeta', 'alpha'],
    additionalProperties: false,
  };
  const responseFormat = { type: 'json_schema', json_schema: { strict: true, schema, name: 'answer' } };

  it('is preserved in tool schemas and response formats, wherever they are read', async () => {
    const tools = [{ type: 'function', function: { name: 'f', description: 'd', strict: false, parameters: schema } }];
    const parameters = { top_p: 1, response_format: responseFormat, temperature: 0 };
    await publishPrompt(me, 'ordered', {
      template: { type: 'chat', messages: [{ role: 'user', content: [given] }], tools },
      model: { provider: 'openai', name: 'gpt-4o-mini', parameters },
    });
    const expected = [JSON.stringify(schema), JSON.stringify(parameters)];
    const raw = await readPrompt(me, 'ordered', '?include_llm_kwargs=true');
    const rendered = await renderPrompt(me, 'ordered', { input_variables: { a: 'b' } });
    for (const { prompt_template: template, metadata, llm_kwargs: kwargs } of [raw, rendered]) {
      const [tool] = (template as unknown as { tools: typeof tools }).tools;
      expect([tool!.function.parameters, metadata!.model!.parameters].map((value) => JSON.stringify(value))).toEqual(
        expected,
      );
      const sent = kwargs as unknown as { tools: typeof tools; response_format: object };
      expect(JSON.stringify(sent.tools[0]!.function.parameters)).toBe(expected[0]);
      expect(JSON.stringify(sent.response_format)).toBe(JSON.stringify(responseFormat));
    }
  });
});

describe('the input variables', () => {
  it('are found by the server, in the order they appear, whatever the client says', async () => {
    const template = {
      type: 'chat',
      input_variables: ['wrong'],
      messages: [
        { role: 'system', content: [{ type: 'text', text: '{b} {a} {b}' }], input_variables: ['wrong'] },
        { role: 'placeholder', name: 'history' },
        {
          role: 'user',
          template_format: 'jinja2',
          content: [
            { type: 'text', text: '{{ c }} {a} {% for x in items %}{{ x }}{% endfor %}' },
            { type: 'media_variable', name: 'photos' },
          ],
        },
      ],
      tools: [{ type: 'variable', name: 'extra_tools' }],
    };
    const { prompt_template: found } = await publishPrompt(me, 'variables', { template });
    expect(found.messages!.map(({ input_variables: names }) => names)).toEqual([
      ['b', 'a'],
      ['history'],
      ['c', 'items', 'photos'],
    ]);
    expect(found.input_variables).toEqual(['b', 'a', 'history', 'c', 'items', 'photos', 'extra_tools']);
  });
});
