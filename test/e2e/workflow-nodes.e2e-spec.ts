import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AskedCall, VendorReply } from '../support/fake-vendors.js';
import { McpServerProcess, registerServer } from '../support/mcp-servers.js';
import { formOf, inlinePrompt, messagesOf, useModelApp } from '../support/model-app.js';
import { createTool, executionOf } from '../support/tools.js';
import { WaitingService } from '../support/waiting-service.js';
import { code, edge, freshName, ran, saveWorkflow, type TestNode, when } from '../support/workflow-runs.js';

const used = useModelApp();
let service: WaitingService;
let tools: McpServerProcess;
let server: number;
beforeAll(async () => {
  service = await WaitingService.start();
  tools = await McpServerProcess.start({ transport: 'streamable_http' });
  const { workspaces } = (await used.app.operator().get('/api/admin/v1/workspaces')) as {
    workspaces: { id: number }[];
  };
  server = (
    await registerServer(used.me, workspaces[0]!.id, { url: tools.url, transport: 'streamable_http', auth: null })
  ).id;
});
afterAll(async () => {
  await service.stop();
  await tools.stop();
});

const INPUTS = {
  text: 'string',
  word: 'string',
  one: 'integer',
  two: 'number',
  json: 'object',
  list: 'array',
  xml: 'string',
  diff: 'string',
  blank: 'string',
  trace: 'object',
  yes: 'boolean',
  no: 'boolean',
} as const;
const GIVEN = {
  text: 'Order #12 and #7. Done!',
  word: 'Done',
  one: 3,
  two: 5.5,
  json: { a: [1, 2, { b: 7 }] },
  list: [4, 9, 1],
  xml: '<r><i>x</i><i>y</i></r>',
  diff: '--- a\n+++ b\n@@ -1 +1 @@\n-Done\n+Left',
  blank: '',
  yes: true,
  no: false,
  trace: { name: 'root', children: [{ name: 'Tool: search', children: [] }] },
};

const reply = (asked: AskedCall) => {
  const form = formOf(asked);
  if (form?.includes('completed')) return { text: '{"reasoning": "So.", "completed": true}' };
  if (form?.includes('value')) return { text: '{"reasoning": "Because.", "citation": "", "value": true}' };
  if (form) return { text: '{"found": true, "answer": "12"}' };
  return { text: `said ${messagesOf(asked).at(-1)?.content ?? ''}` };
};

/** An answer that asks for a tool. */
function asks(name: string, given: object): VendorReply {
  const tool_calls = [{ id: 'call_1', type: 'function', function: { name, arguments: JSON.stringify(given) } }];
  const message = { role: 'assistant', content: null, refusal: null, tool_calls };
  const choices = [{ index: 0, message, finish_reason: 'tool_calls', logprobs: null }];
  const usage = { prompt_tokens: 12, completion_tokens: 5, total_tokens: 17 };
  return { raw: JSON.stringify({ id: 'c', object: 'chat.completion', created: 1, model: 'gpt-4.1', choices, usage }) };
}

const SAY = {
  inline_template: inlinePrompt('Say {text}'),
  prompt_template_variable_mappings: { text: 'word' },
};

/** Configuration of a node of each type, and its value for the inputs. */
const NODES: [type: string, configuration: () => object, value: unknown][] = [
  ['ABSOLUTE_NUMERIC_DISTANCE', () => ({ sources: ['one', 'two'] }), 2.5],
  ['AI_DATA_EXTRACTION', () => ({ source: 'text', query: 'The number' }), '12'],
  ['ALL', () => ({ sources: ['yes', 'yes'] }), true],
  ['ANY', () => ({ sources: ['yes', 'no'] }), true],
  ['APPLY_DIFF', () => ({ content_source: 'word', diff_source: 'diff' }), 'Left'],
  ['ASSERT_VALID', () => ({ source: 'json', type: 'object' }), true],
  ['COALESCE', () => ({ sources: ['blank', 'one'] }), 3],
  ['CODE_EXECUTION', () => ({ language: 'PYTHON', code: 'return data["one"] + len(data["list"])' }), 6],
  ['COMBINE_COLUMNS', () => ({ sources: ['one', 'word'] }), { one: 3, word: 'Done' }],
  ['COMPARE', () => ({ sources: ['word', 'text'], comparison_type: { type: 'STRING' } }), false],
  ['CONTAINS', () => ({ source: 'text', value_source: 'word' }), true],
  [
    'CONVERSATION_SIMULATOR',
    () => ({ ...SAY, user_persona: 'In a hurry.', max_turns: 1 }),
    expect.arrayContaining([expect.objectContaining({ role: 'assistant' })]),
  ],
  ['COSINE_SIMILARITY', () => ({ sources: ['word', 'word'] }), 1],
  ['COUNT', () => ({ source: 'text', type: 'sentences' }), 2],
  ['ENDPOINT', () => ({ url: service.url }), expect.stringContaining('"WORD":"DONE","ONE":3')],
  [
    'FOR_LOOP',
    () => ({
      loop_type: 'prompt',
      prompt_config: { inline_template: inlinePrompt('Say {text}') },
      iterator_source: 'list',
      variable_mappings: { text: '_iterator_item' },
    }),
    'said Say 1',
  ],
  ['JSON_PATH', () => ({ source: 'json', json_path: '$.a[2].b' }), 7],
  [
    'LLM_ASSERTION',
    () => ({ source: 'text', prompt: 'Is it polite?' }),
    { 'Is it polite?': { value: true, reasoning: 'Because.' } },
  ],
  ['MATH_OPERATOR', () => ({ sources: ['one', 'two'], operator: 'lt' }), true],
  ['MCP', () => ({ mcp_server_id: server, tool_name: 'json', input_mappings: {} }), '{"a":1}'],
  ['MAX_TOOL_CALLS', () => ({ source: 'trace', max_tool_calls: 0 }), false],
  ['MIN_MAX', () => ({ source: 'list', type: 'max' }), 9],
  ['NO_INVALID_TOOL_CALLS', () => ({ source: 'trace', allowed_tools: ['search'] }), true],
  ['PARSE_VALUE', () => ({ source: 'one', type: 'string' }), '3'],
  ['PROMPT_TEMPLATE', () => SAY, 'said Say Done'],
  ['REGEX', () => ({ source: 'text', regex_pattern: '#\\d' }), true],
  ['REGEX_EXTRACTION', () => ({ source: 'text', regex_pattern: '#(\\d+)' }), ['12', '7']],
  ['STRUCTURE', () => ({ source: 'json', schema: { required: ['a'] } }), true],
  ['TOOL_EVALUATOR', () => ({ source: 'trace', expected_tools: ['search'] }), true],
  ['TRAJECTORY', () => ({ trace_source: 'trace', accepted_scenarios: [['search']], mode: 'strict' }), true],
  ['VARIABLE', () => ({ value: { type: 'json', value: [1] } }), [1]],
  [
    'WHILE_LOOP',
    () => ({
      loop_type: 'prompt',
      prompt_config: { inline_template: inlinePrompt('Say {text}') },
      max_iterations: 2,
      variable_mappings: { text: 'loop_index' },
    }),
    'said Say 1',
  ],
  ['XML_PATH', () => ({ source: 'xml', xml_path: './/i', type: 'findall' }), ['x', 'y']],
];

describe('a node', () => {
  it.each(NODES)('can be of the type %s', async (node_type, configuration, value) => {
    used.vendors.reply = reply;
    const node = { name: 'Node', node_type, configuration: configuration() };
    const follows = code('After', 'return JSON.stringify(data.Node ?? null)', ['Node']);
    const flow = await saveWorkflow(used.me, { inputs: INPUTS, nodes: [node, follows] });
    const { Node, After } = await ran(used.me, flow.id, GIVEN);
    expect(Node).toMatchObject({ status: 'SUCCESS', value });
    expect(JSON.parse(After!.value as string)).toEqual(Node!.value);
  });

  it('can be of every type that the registry knows, each of which is tried here', async () => {
    const body = {
      name: freshName(),
      required_input_variables: {},
      nodes: [{ name: 'A', node_type: 'NONE', configuration: {}, dependencies: [], is_output_node: true }],
    };
    const { message } = (await used.me.post('/rest/workflows', body, 400)) as { message: string };
    const known = /Use one of (.*)\./.exec(message)![1]!.split(', ');
    // Workflows in workflows have a file of their own.
    expect([...NODES.map(([type]) => type), 'WORKFLOW'].sort()).toEqual(known.sort());
  });
});

describe('a PROMPT_TEMPLATE node', () => {
  it('runs the tools that its model asks for', async () => {
    const name = freshName('add').replace(' ', '_');
    const id = await createTool(used.me, name, { execution: executionOf('javascript', 'return args.a + args.b;') });
    const isTold = ({ body }: AskedCall) => (body.messages as { role: string }[]).some(({ role }) => role === 'tool');
    used.vendors.reply = (asked) => (isTold(asked) ? { text: `Told: ${asked.text}` } : asks(name, { a: 1, b: 2 }));
    const template = inlinePrompt('Add them');
    const tools = [{ type: 'registry', tool_registry_id: id }];
    const prompt_template = { ...template.prompt_template, tools };
    const configuration = { inline_template: { ...template, prompt_template }, prompt_template_variable_mappings: {} };
    const flow = await saveWorkflow(used.me, { nodes: [{ name: 'Sum', node_type: 'PROMPT_TEMPLATE', configuration }] });
    expect((await ran(used.me, flow.id)).Sum).toMatchObject({ status: 'SUCCESS', value: 'Told: 3' });
  });

  it('in a branch that is not taken calls no model', async () => {
    used.vendors.reply = reply;
    const prompt: TestNode = {
      name: 'Asked',
      node_type: 'PROMPT_TEMPLATE',
      configuration: SAY,
      dependencies: ['Gate'],
    };
    const flow = await saveWorkflow(used.me, {
      inputs: { word: 'string', gate: 'boolean' },
      nodes: [{ name: 'Gate', node_type: 'COALESCE', configuration: { sources: ['gate', 'word'] } }, prompt],
      edges: [edge('Gate', 'Asked', when({ of: 'Gate' }, '=', true))],
    });
    expect((await ran(used.me, flow.id, { word: 'x', gate: false })).Asked).toMatchObject({ status: 'SKIPPED' });
    expect(used.vendors.calls).toHaveLength(0);
    expect((await ran(used.me, flow.id, { word: 'x', gate: true })).Asked).toMatchObject({ value: 'said Say x' });
  });
});
