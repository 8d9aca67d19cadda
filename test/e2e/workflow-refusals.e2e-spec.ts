import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { TestApp } from '../support/test-app.js';
import {
  countNode,
  createWorkflow,
  graphOf,
  readWorkflow,
  SAVE,
  saveWorkflow,
  workflowPath,
} from '../support/workflows.js';

let app: TestApp;
let me: Client;
beforeAll(async () => {
  app = await TestApp.start({ works: false });
  me = app.client;
});
afterAll(() => app.stop());

const nodeOf = (node_type: string, configuration: object, rest: object = {}) => ({
  name: 'Node',
  node_type,
  configuration,
  dependencies: [],
  is_output_node: true,
  ...rest,
});
const conditional = {
  position: 0,
  operator: '=',
  left_config: { type: 'source', source: { name: 'Length' } },
  right_config: { type: 'static_value', static_value: 1 },
};
const edge = {
  source_node_name: 'Length',
  target_node_name: 'Again',
  is_and: true,
  conditionals: [conditional],
};
const pair = graphOf(countNode('Length'), countNode('Again', 'Length'));
const withEdge = (rest: object) => ({ ...pair, edges: [{ ...edge, ...rest }] });
const withConditional = (rest: object) => withEdge({ conditionals: [{ ...conditional, ...rest }] });

const PROMPT = { inline: true, prompt_template: { type: 'completion', content: [{ type: 'text', text: 'Hi {q}' }] } };
const MAPPED = { prompt_template_variable_mappings: { q: 'question' } };

const ALLOWED: [type: string, configuration: object][] = [
  ['ABSOLUTE_NUMERIC_DISTANCE', { sources: ['question', 'more'] }],
  ['AI_DATA_EXTRACTION', { source: 'question', query: 'Names' }],
  ['ALL', { sources: ['question', 'more'] }],
  ['ANY', { sources: ['question'] }],
  ['APPLY_DIFF', { content_source: 'question', diff_source: 'more' }],
  ['ASSERT_VALID', { source: 'question', type: 'object' }],
  ['COALESCE', { sources: ['question', 'more'] }],
  ['CODE_EXECUTION', { code: 'return 1', language: 'python' }],
  ['code', { code: 'return 1', language: 'JAVASCRIPT' }],
  ['COMBINE_COLUMNS', { sources: ['question', 'more'], format: '{question}: {more}' }],
  ['compare', { source1: 'question', source2: 'more' }],
  ['comparison', { sources: ['question', 'more'], comparison_type: { type: 'JSON' } }],
  ['CONTAINS', { source: 'question', value_source: 'more' }],
  ['CONVERSATION_SIMULATOR', { template: { name: 'agent' }, user_persona: 'A child', ...MAPPED }],
  ['COSINE_SIMILARITY', { sources: ['question', 'more'] }],
  ['COUNT', { source: 'question', type: 'words' }],
  ['ENDPOINT', { url: 'https://example.com' }],
  [
    'FOR_LOOP',
    {
      loop_type: 'prompt',
      prompt_config: { inline_template: PROMPT },
      iterator_source: 'question',
      variable_mappings: { q: '_iterator_item' },
    },
  ],
  ['JSON_PATH', { source: 'question', json_path: '$.a' }],
  ['LLM_ASSERTION', { source: 'question', prompt: 'Is it polite?' }],
  ['MATH_OPERATOR', { sources: ['question'], operator: 'gt', value: 3 }],
  ['MAX_TOOL_CALLS', { source: 'question', max_tool_calls: 2 }],
  ['MCP', { server_url: 'https://example.com/mcp', function_name: 'f', input_mappings: { a: 'question' } }],
  ['MIN_MAX', { source: 'question', type: 'max' }],
  ['NO_INVALID_TOOL_CALLS', { source: 'question', allowed_tools: ['search'] }],
  ['PARSE_VALUE', { source: 'question', type: 'number' }],
  ['PROMPT_TEMPLATE', { template: { name: 'greeting', label: 'prod' }, ...MAPPED }],
  ['llm', { inline_template: PROMPT, ...MAPPED }],
  ['REGEX', { source: 'question', regex_pattern: 'a+' }],
  ['REGEX_EXTRACTION', { source: 'question', pattern: '(a)' }],
  ['STRUCTURE', { source: 'question', schema: { type: 'object' } }],
  ['TOOL_EVALUATOR', { source: 'question', expected_tools: ['search'] }],
  ['TRAJECTORY', { trace_source: 'question', accepted_scenarios: [['a']] }],
  ['VARIABLE', { value: { type: 'string', value: 'x' } }],
  [
    'WHILE_LOOP',
    {
      loop_type: 'prompt',
      prompt_config: { inline_template: PROMPT },
      max_iterations: 2,
      variable_mappings: { q: 'loop_index' },
    },
  ],
  ['XML_PATH', { source: 'question', xml_path: '//a' }],
];

describe('a node', () => {
  it.each(ALLOWED)('may have the type %s', async (type, configuration) => {
    const body = {
      nodes: [nodeOf(type, configuration)],
      required_input_variables: { question: 'string', more: 'string' },
    };
    const saved = await saveWorkflow(me, { name: `of ${type}`, ...body });
    const { nodes } = await readWorkflow(me, saved.workflow_id);
    expect(nodes[0]).toMatchObject({ configuration, node_type: saved.nodes[0]!.node_type });
    expect(nodes[0]!.node_type).toMatch(/^[A-Z_]+$/);
  });

  it('may run a workflow', async () => {
    const workflow_id = await createWorkflow(me, 'inner');
    const node = nodeOf('workflow', { workflow_id, input_mappings: { question: 'question' } });
    expect((await saveWorkflow(me, { name: 'outer', ...graphOf(node) })).nodes).toMatchObject([
      { node_type: 'WORKFLOW' },
    ]);
  });

  it('is here tried with every type whose cells are computed', async () => {
    const { message } = (await me.post(SAVE, { name: 'never', ...graphOf(nodeOf('NOPE', {})) }, 400)) as {
      message: string;
    };
    const known = /Use one of (.*)\.$/.exec(message)![1]!.split(', ');
    const tried = ALLOWED.map(([type]) => type).filter((type) => type === type.toUpperCase());
    expect([...tried, 'COMPARE', 'WORKFLOW'].sort()).toEqual(known);
  });

  it.each([
    ['TEXT', {}],
    ['TRACE', {}],
    ['HUMAN', { data_type: 'string', ui_element: { type: 'text' } }],
    ['COMPOSITION', { source_table_id: 'x' }],
    ['DATASET', {}],
    ['COLUMN_AGGREGATE', {}],
    ['EXECUTION_METADATA', {}],
    ['NOPE', {}],
    ['', {}],
    ['constructor', {}],
    ['\u0000', {}],
  ])('cannot have the type %j', async (type, configuration) => {
    const body = { name: 'never', ...graphOf(nodeOf(type, configuration)) };
    expect(await me.post(SAVE, body, 400)).toMatchObject({
      success: false,
      error: 'workflow_invalid',
      message: expect.stringMatching(/The node "Node" has the type .*, which no node can have\. Use one of .*COUNT/),
    });
  });

  it('cannot refer to what the workspace does not have', async () => {
    const mcp = { mcp_server_id: 999_999, tool_name: 'f', input_mappings: { a: 'question' } };
    const refused = await me.post(SAVE, { name: 'never', ...graphOf(nodeOf('MCP', mcp)) }, 400);
    expect(refused).toMatchObject({ message: expect.stringMatching(/The node "Node" cannot be computed: .*999999/) });
    await me.get(workflowPath('never'), 404);
  });
});

describe('a workflow is refused and nothing is saved', () => {
  const REFUSED: [what: string, body: object, message: string][] = [
    ['without nodes', { nodes: [] }, 'No node is an output node.'],
    [
      'without an output node',
      graphOf(countNode('Length', 'question', { is_output_node: false })),
      'No node is an output node. Set is_output_node',
    ],
    ['with a node that has no name', graphOf(countNode('')), '"" cannot be a name.'],
    ['with two nodes of one name', graphOf(countNode('A'), countNode('A')), 'Two nodes are named "A".'],
    [
      'with a node and an input of one name',
      graphOf(countNode('question')),
      'A node and an input are both named "question".',
    ],
    [
      'with an input of an unknown type',
      { ...graphOf(), required_input_variables: { question: 'str' } },
      'The input "question" has "str" as its type. Use one of string,',
    ],
    [
      'with an input whose type is no text',
      { ...graphOf(), required_input_variables: { question: null } },
      'a value that is no text',
    ],
    [
      'with a source that is not there',
      graphOf(countNode('A', 'Question')),
      'The node "A" depends on "Question", which is neither an input nor a node.',
    ],
    [
      'with a source that is no dependency',
      graphOf(countNode('A'), countNode('B', 'A', { dependencies: [] })),
      'The node "B" names "A" as source without depending on it.',
    ],
    [
      'with a configuration that does not fit',
      graphOf(nodeOf('COUNT', { source: 'question' })),
      'The node "Node" cannot be computed: The config does not fit the column type COUNT: type is required.',
    ],
    [
      'with a pattern that is none',
      graphOf(nodeOf('REGEX', { source: 'question', regex_pattern: '(' })),
      'The node "Node" cannot be computed',
    ],
    [
      'with a circle',
      graphOf(countNode('A', 'B'), countNode('B', 'A')),
      'These nodes depend on each other: A → B → A.',
    ],
    ['with an edge from nowhere', withEdge({ source_node_name: 'Z' }), 'The edge from "Z" to "Again" begins at'],
    [
      'with an edge to nowhere',
      withEdge({ target_node_name: 'Z' }),
      'The edge from "Length" to "Z" ends at what is no node.',
    ],
    [
      'with an edge that is no dependency',
      { ...graphOf(countNode('Length'), countNode('Again')), edges: [edge] },
      'Add it to the dependencies of "Again".',
    ],
    ['with an edge twice', { ...pair, edges: [edge, edge] }, 'There are two edges from "Length" to "Again".'],
    ['with a side without a type', withConditional({ left_config: {} }), 'has a left_config that should be'],
    [
      'with a side that names nothing',
      withConditional({ left_config: { type: 'source', source: {} } }),
      'has a left_config that should be',
    ],
    [
      'with a side that is not there',
      withConditional({ right_config: { type: 'source', source: { name: 'Z' } } }),
      'names "Z"',
    ],
    ['without a right side', withConditional({ right_config: null }), 'has no right_config, which = compares with.'],
    [
      'with too many nodes',
      graphOf(...Array.from({ length: 201 }, (_, index) => countNode(`n${index}`))),
      'at most 200 nodes',
    ],
    ['with more faults than one', graphOf(countNode('A', 'x'), countNode('B', 'y')), 'The node "B"'],
  ];

  it.each(REFUSED)('%s', async (_, body, message) => {
    const external_ids = [{ source: 'crm', external_id: 'never' }];
    const refused = await me.post(SAVE, { name: 'never', external_ids, ...body }, 400);
    expect(refused).toMatchObject({
      success: false,
      error: 'workflow_invalid',
      message: expect.stringContaining(message),
      faults: expect.arrayContaining([expect.stringContaining(message)]),
    });
    await me.get(workflowPath('never'), 404);
  });

  it.each([
    [{}],
    [{ nodes: null }],
    [{ nodes: {} }],
    [{ nodes: 'Length' }],
    [{ nodes: [7] }],
    [{ nodes: [[]] }],
    [{ nodes: [null] }],
    [{ nodes: [{}] }],
    [{ nodes: [{ ...countNode('A'), name: undefined }] }],
    [{ nodes: [{ ...countNode('A'), name: 7 }] }],
    [{ nodes: [{ ...countNode('A'), name: 'x'.repeat(256) }] }],
    [{ nodes: [{ ...countNode('A'), node_type: null }] }],
    [{ nodes: [{ ...countNode('A'), configuration: undefined }] }],
    [{ nodes: [{ ...countNode('A'), configuration: [] }] }],
    [{ nodes: [{ ...countNode('A'), dependencies: 'B' }] }],
    [{ nodes: [{ ...countNode('A'), dependencies: [{}] }] }],
    [{ nodes: [{ ...countNode('A'), is_output_node: undefined }] }],
    [{ nodes: [{ ...countNode('A'), is_output_node: 1 }] }],
    [{ ...graphOf(), name: '' }],
    [{ ...graphOf(), name: 'x'.repeat(256) }],
    [{ ...graphOf(), name: 7 }],
    [{ ...graphOf(), name: undefined, workflow_id: 0 }],
    [{ ...graphOf(), name: undefined, workflow_id: '1' }],
    [{ ...graphOf(), name: undefined, workflow_id: 1e300 }],
    [{ ...graphOf(), folder_id: 0 }],
    [{ ...graphOf(), tags: [''] }],
    [{ ...graphOf(), external_ids: [{ source: 'a' }] }],
    [{ ...graphOf(), external_ids: [{ source: 'a', external_id: 'b', more: 1 }] }],
    [{ ...graphOf(), commit_message: 'x'.repeat(1001) }],
    [{ ...graphOf(), required_input_variables: ['question'] }],
    [{ ...graphOf(), release_labels: [7] }],
    [withEdge({ conditionals: [] })],
    [withEdge({ conditionals: undefined })],
    [withEdge({ is_and: 'yes' })],
    [withConditional({ operator: '==' })],
    [withConditional({ position: -1 })],
    [withConditional({ position: 0.5 })],
    [withConditional({ left_config: null })],
    [withConditional({ left_config: 'Length' })],
  ])('when it does not fit the schema: %j', async (body) => {
    expect(await me.post(SAVE, { name: 'never', ...body }, 422)).toMatchObject({ detail: expect.any(Array) });
    await me.get(workflowPath('never'), 404);
  });
});

describe('what is odd and no fault', () => {
  it('is kept as far as it can be', async () => {
    const name = 'a\u0000b\ud800 Ü';
    const long = '1234567890123456789012345678901234567890';
    const value = `{"name": ${JSON.stringify(name)}, "required_input_variables": {"__proto__": "string", "a": "Integer"}, "nodes": [{"name": "N", "node_type": "variable", "configuration": {"value": {"type": "json", "value": {"__proto__": 1, "n": ${long}}}}, "is_output_node": true, "id": "ignored", "more": 1}], "more": true}`;
    const { status, body } = await me.with({ 'content-type': 'application/json' }).request('POST', SAVE, value);
    expect([status, body]).toMatchObject([201, { workflow_name: 'a\uFFFDb\uFFFD Ü', release_labels: null }]);
    const { bytes } = await me.request('GET', workflowPath((body as { workflow_id: number }).workflow_id));
    const text = bytes.toString();
    expect(text).toContain(`"value":{"__proto__":1,"n":${long}}`);
    expect(text).toContain('"required_input_variables":{"__proto__":"string","a":"integer"}');
  });

  it('is a workflow of 200 nodes, each after the last', async () => {
    const nodes = Array.from({ length: 200 }, (_, index) =>
      countNode(`n${index}`, index === 0 ? 'question' : `n${index - 1}`, { is_output_node: index === 199 }),
    );
    const id = await createWorkflow(me, 'long', graphOf(...nodes));
    expect((await readWorkflow(me, id)).nodes).toMatchObject(nodes);
  });

  it('is a repeated dependency, an input as one, and null in place of what may be left out', async () => {
    const node = countNode('Again', 'Length', { dependencies: ['Length', 'question', 'Length'] });
    const id = await createWorkflow(me, 'nulls', {
      ...graphOf(countNode('Length', 'question', { dependencies: null }), node),
      edges: null,
      release_labels: null,
      external_ids: null,
      folder_id: null,
      tags: null,
      commit_message: null,
    });
    const { nodes, edges } = await readWorkflow(me, id);
    expect([nodes.map(({ dependencies }) => dependencies), edges]).toEqual([[[], ['Length', 'question']], []]);
  });
});
