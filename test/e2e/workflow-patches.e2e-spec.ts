import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { TestApp } from '../support/test-app.js';
import {
  countNode,
  createWorkflow,
  graphOf,
  patchPath,
  patchWorkflow,
  readWorkflow,
  saveWorkflow,
} from '../support/workflows.js';

let app: TestApp;
let me: Client;
beforeAll(async () => {
  app = await TestApp.start({ works: false });
  me = app.client;
});
afterAll(() => app.stop());

const edge = (source: string, target: string, value: unknown = 1) => ({
  source_node_name: source,
  target_node_name: target,
  is_and: false,
  conditionals: [
    {
      position: 0,
      operator: '!=',
      left_config: { type: 'source', source: { name: source } },
      right_config: { type: 'static_value', static_value: value },
    },
  ],
});
const chars = (source: string, rest: object = {}) => ({
  node_type: 'COUNT',
  configuration: { source, type: 'chars' },
  dependencies: [source],
  ...rest,
});

/** Three nodes in a row with an edge between each two. */
async function chain(name: string): Promise<number> {
  return createWorkflow(me, name, {
    ...graphOf(
      countNode('A', 'question', { is_output_node: false }),
      countNode('B', 'A', { is_output_node: false }),
      countNode('C', 'B'),
    ),
    edges: [edge('A', 'B'), edge('B', 'C')],
    commit_message: 'Base',
  });
}

const shape = async (id: number, query = '') => {
  const { nodes, edges, required_input_variables: inputs } = await readWorkflow(me, id, query);
  return {
    nodes: nodes.map(({ name }) => name),
    edges: edges.map((each) => `${each.source_node_name}${each.target_node_name}`),
    inputs,
  };
};

describe('a patch', () => {
  it('adds, changes and removes the nodes that it names, and keeps the others', async () => {
    const id = await chain('patched');
    const before = await readWorkflow(me, id);
    const saved = await patchWorkflow(me, id, {
      nodes: {
        C: null,
        B: { configuration: { type: 'chars', min_count: 2 }, is_output_node: true },
        D: chars('question'),
      },
      commit_message: 'Changed',
    });
    expect(saved).toMatchObject({
      success: true,
      workflow_id: id,
      version_number: 2,
      base_version: 1,
      release_labels: null,
      external_ids: [],
      nodes: [{ name: 'A' }, { name: 'B', is_output_node: true }, { name: 'D', is_output_node: false }],
    });
    const after = await readWorkflow(me, id);
    expect(after).toMatchObject({ version: 2, commit_message: 'Changed' });
    expect(after.nodes.map(({ configuration }) => configuration)).toEqual([
      { source: 'question', type: 'words' },
      { source: 'A', type: 'chars', min_count: 2 },
      { source: 'question', type: 'chars' },
    ]);
    // Every version has nodes and edges of its own.
    expect(after.nodes[0]!.id).not.toBe(before.nodes[0]!.id);
    expect(after.nodes[0]!.workflow_version_id).toBe(saved.workflow_version_id);
    expect(after.edges).toMatchObject([edge('A', 'B')]);
    expect(await readWorkflow(me, id, '?version=1')).toEqual({
      ...before,
      workflow: { ...before.workflow, latest_version_number: 2 },
    });
  });

  it('merges objects in a configuration, replaces everything else, and takes null as a value', async () => {
    const configuration = {
      inline_template: {
        inline: true,
        prompt_template: { type: 'completion', content: [{ type: 'text', text: '{q}' }] },
        metadata: { model: { provider: 'openai', name: 'one', parameters: { temperature: 1, stop: ['a', 'b'] } } },
      },
      prompt_template_variable_mappings: { q: 'question' },
    };
    const node = { name: 'Ask', node_type: 'PROMPT_TEMPLATE', configuration, dependencies: [], is_output_node: true };
    const id = await createWorkflow(me, 'merged', graphOf(node));
    const parameters = { stop: ['c'], seed: 7 };
    const change = { inline_template: { metadata: { model: { parameters } } }, chat_history_source: null };
    await patchWorkflow(me, id, { nodes: { Ask: { configuration: change } } });
    const { configuration: merged } = (await readWorkflow(me, id)).nodes[0]!;
    const model = { provider: 'openai', name: 'one', parameters: { temperature: 1, stop: ['c'], seed: 7 } };
    expect(merged).toEqual({
      inline_template: { ...configuration.inline_template, metadata: { model } },
      prompt_template_variable_mappings: { q: 'question' },
      chat_history_source: null,
    });
    expect(JSON.stringify(merged)).toContain(JSON.stringify(model));
  });

  it('replaces dependencies, inputs and edges where it gives them, and copies them otherwise', async () => {
    const id = await chain('copied');
    expect(await shape(id)).toEqual({ nodes: ['A', 'B', 'C'], edges: ['AB', 'BC'], inputs: { question: 'string' } });
    await patchWorkflow(me, id, { nodes: null, edges: null, required_input_variables: null });
    expect(await shape(id)).toEqual({ nodes: ['A', 'B', 'C'], edges: ['AB', 'BC'], inputs: { question: 'string' } });
    await patchWorkflow(me, id, { edges: [] });
    expect((await shape(id)).edges).toEqual([]);
    await patchWorkflow(me, id, { base_version: 1, edges: [edge('B', 'C', [1, null])] });
    expect((await shape(id)).edges).toEqual(['BC']);
    await patchWorkflow(me, id, {
      required_input_variables: { question: 'object', more: 'array' },
      nodes: { C: { configuration: { source: 'more' }, dependencies: [] } },
      edges: [],
    });
    expect((await shape(id)).inputs).toEqual({ question: 'object', more: 'array' });
    expect((await readWorkflow(me, id)).nodes[2]!.dependencies).toEqual([]);
    // An empty patch is a version all the same.
    expect(await patchWorkflow(me, id, {})).toMatchObject({ version_number: 6, base_version: 5 });
  });

  it('starts from the version that it names, by number or by label', async () => {
    const id = await createWorkflow(me, 'based', { ...graphOf(countNode('One')), release_labels: ['prod'] });
    await saveWorkflow(me, { workflow_id: id, ...graphOf(countNode('Two')) });
    const add = { nodes: { New: chars('question') } };
    expect(await patchWorkflow(me, id, { ...add, base_version: 1 })).toMatchObject({
      base_version: 1,
      version_number: 3,
    });
    expect((await shape(id)).nodes).toEqual(['One', 'New']);
    expect(await patchWorkflow(me, 'based', { ...add, base_label: 'prod', release_labels: ['prod'] })).toMatchObject({
      base_version: 1,
      version_number: 4,
      release_labels: ['prod'],
    });
    expect(await patchWorkflow(me, id, { base_label: 'prod' })).toMatchObject({ base_version: 4 });
    expect(await patchWorkflow(me, id, { ...add, base_version: 2 })).toMatchObject({ base_version: 2 });
    expect((await shape(id)).nodes).toEqual(['Two', 'New']);
  });

  it('can change the type of a node, and one whose name objects have', async () => {
    const id = await createWorkflow(me, 'odd names', graphOf(countNode('__proto__'), countNode('constructor')));
    const json = me.with({ 'content-type': 'application/json' });
    // JSON text, because `__proto__` is not a key in an object literal of JavaScript.
    const body =
      '{"nodes": {"__proto__": {"node_type": "contains", "configuration": {"value": "x"}}, "toString": {"node_type": "COUNT", "configuration": {"source": "question", "type": "chars"}}}}';
    expect(await json.request('PATCH', patchPath(id), body)).toMatchObject({ status: 201 });
    const { nodes } = await readWorkflow(me, id);
    expect(nodes.map(({ name, node_type }) => [name, node_type])).toEqual([
      ['__proto__', 'CONTAINS'],
      ['constructor', 'COUNT'],
      ['toString', 'COUNT'],
    ]);
    expect(nodes[0]!.configuration).toEqual({ source: 'question', type: 'words', value: 'x' });
  });
});

describe('a patch is refused and nothing is saved', () => {
  const REFUSED: [what: string, body: object, message: string][] = [
    ['when nodes still depend on one that it removes', { nodes: { A: null } }, 'The node "B" depends on "A"'],
    ['when no output node is left', { nodes: { C: { is_output_node: false } } }, 'No node is an output node.'],
    ['when it removes a node that is not there', { nodes: { Z: null } }, 'There is no node "Z" to remove.'],
    [
      'when a new node has no type',
      { nodes: { D: { configuration: {} } } },
      'The node "D" is new: it needs node_type.',
    ],
    ['when a new node has nothing', { nodes: { D: {} } }, 'The node "D" is new: it needs node_type and configuration.'],
    ['when a node gets an unknown type', { nodes: { A: { node_type: 'TEXT' } } }, 'The node "A" has the type "TEXT"'],
    [
      'when the configuration fits no more',
      { nodes: { A: { configuration: { type: 'lines' } } } },
      'The node "A" cannot be computed',
    ],
    [
      'when nodes would depend on each other',
      { nodes: { A: { dependencies: ['C'] } } },
      'These nodes depend on each other: A → C → B → A.',
    ],
    [
      'when an edge leads to a removed node',
      { nodes: { C: null, B: { is_output_node: true } }, edges: [edge('B', 'C')] },
      'ends at what is no node',
    ],
    [
      'when a copied edge has no dependency any more',
      { nodes: { C: { configuration: { source: 'question' }, dependencies: [] } } },
      'The edge from "B" to "C" ends at a node that does not depend on "B".',
    ],
    ['when an input is gone that a node reads', { required_input_variables: {} }, 'The node "A" depends on "question"'],
    [
      'when a node would have the name of an input',
      { nodes: { question: chars('A') } },
      'A node and an input are both named "question".',
    ],
    ['when a name is too long', { nodes: { ['x'.repeat(256)]: chars('question') } }, 'cannot be a name'],
    [
      'when two versions are named',
      { base_version: 1, base_label: 'prod' },
      'either the number of a version or a label',
    ],
  ];
  let id: number;
  beforeAll(async () => {
    id = await chain('refused');
  });

  it.each(REFUSED)('%s', async (_, body, message) => {
    const refused = await me.patch(patchPath(id), { ...body, release_labels: ['new'] }, 400);
    expect(refused).toMatchObject({
      success: false,
      error: expect.any(String),
      message: expect.stringContaining(message),
    });
    expect(await readWorkflow(me, id)).toMatchObject({ version: 1, release_labels: [] });
  });

  it.each([
    [{ base_version: 9 }, 'workflow_version_not_found'],
    [{ base_label: 'nowhere' }, 'workflow_label_not_found'],
  ])('when its base is not there: %j', async (body, error) => {
    expect(await me.patch(patchPath(id), body, 404)).toMatchObject({ error });
    expect(await me.patch(patchPath('nobody'), body, 404)).toMatchObject({ error: 'workflow_not_found' });
  });

  it.each([
    [{ base_version: 0 }],
    [{ base_version: '1' }],
    [{ base_version: 1e300 }],
    [{ nodes: [] }],
    [{ nodes: 'A' }],
    [{ nodes: { A: 7 } }],
    [{ nodes: { A: [] } }],
    [{ nodes: { A: { node_type: 7 } } }],
    [{ nodes: { A: { configuration: [] } } }],
    [{ nodes: { A: { configuration: 'x' } } }],
    [{ nodes: { A: { dependencies: 'B' } } }],
    [{ nodes: { A: { dependencies: [7] } } }],
    [{ nodes: { A: { is_output_node: 'yes' } } }],
    [{ edges: {} }],
    [{ edges: [{}] }],
    [{ edges: [{ ...edge('A', 'B'), conditionals: [] }] }],
    [{ required_input_variables: [] }],
    [{ release_labels: 'prod' }],
    [{ release_labels: [''] }],
    [{ commit_message: 'x'.repeat(1001) }],
  ])('when it does not fit the schema: %j', async (body) => {
    expect(await me.patch(patchPath(id), body, 422)).toMatchObject({ detail: expect.any(Array) });
  });

  it('and says which node does not fit', async () => {
    const body = { nodes: { A: { is_output_node: 'yes' } } };
    expect(await me.patch(patchPath(id), body, 422)).toMatchObject({
      detail: [{ loc: ['body', 'nodes', 'A', 'is_output_node'] }],
    });
  });
});
