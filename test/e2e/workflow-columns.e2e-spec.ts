import { describe, expect, it } from 'vitest';
import { type Metered, recalculate } from '../support/external-cells.js';
import { newDataset, newReport, readReportRows, readReportScore, runReport } from '../support/evaluations.js';
import { addColumn, settled } from '../support/factories.js';
import { cancelAll, computeColumn, inlinePrompt, sheetOf, useModelApp } from '../support/model-app.js';
import { until } from '../support/until.js';
import { WaitingService } from '../support/waiting-service.js';
import { code, edge, outcomes, ran, saveWorkflow, when } from '../support/workflow-runs.js';

const used = useModelApp();

/** Says its input in capitals, by a model and code. */
const shout = () =>
  saveWorkflow(used.me, {
    inputs: { text: 'string' },
    nodes: [
      {
        name: 'Said',
        node_type: 'PROMPT_TEMPLATE',
        configuration: {
          inline_template: inlinePrompt('Say {text}'),
          prompt_template_variable_mappings: { text: 'text' },
        },
      },
      { ...code('Loud', 'return data.Said.toUpperCase()', ['Said']), is_output_node: true },
    ],
  });

const valuesOf = (cells: Metered[]) => cells.map(({ value, error_message }) => error_message ?? value);

const column = async (config: object, texts: Record<string, unknown[]>, type = 'WORKFLOW') =>
  valuesOf((await computeColumn(used, type, config, texts)).cells);

describe('a WORKFLOW column', () => {
  it('holds the output of a run for each row, and what the run has cost', async () => {
    used.vendors.reply = ({ text }) => ({ text: `Yes: ${text}` });
    const flow = await shout();
    const config = { workflow_id: flow.id, input_mappings: { text: 'Column A' } };
    const { cells } = await computeColumn(used, 'WORKFLOW', config, { 'Column A': ['one', 'two'] });
    expect(valuesOf(cells)).toEqual(['YES: SAY ONE', 'YES: SAY TWO']);
    const metrics = cells[0]!.request_metrics as { trace_ids: string[]; price: number; request_ids: number[] };
    expect(metrics).toMatchObject({ request_count: 1, price: expect.any(Number), trace_ids: [expect.any(String)] });
    const trace = (await used.me.get(`/api/public/v2/traces/${metrics.trace_ids[0]}`)) as { spans: { name: string }[] };
    expect(trace.spans.map(({ name }) => name)).toContain('Said');
  });

  it('takes the version or the label that it names, and texts for the types of inputs', async () => {
    const first = await saveWorkflow(used.me, {
      inputs: { n: 'integer', list: 'array', flag: 'boolean' },
      nodes: [code('Out', 'return [1, data.n + 1, data.list[0], data.flag]')],
      release_labels: ['live'],
    });
    await saveWorkflow(used.me, { workflow_name: first.name, nodes: [code('Out', 'return 2')] });
    const texts = { 'Column A': ['41'], list: ['["x"]'], flag: ['True'] };
    const mapped = { workflow_id: first.id, input_mappings: { n: 'Column A', list: 'list', flag: 'flag' } };
    expect(await column({ ...mapped, workflow_version_number: 1 }, texts)).toEqual([[1, 42, 'x', true]]);
    expect(await column({ ...mapped, workflow_label: 'live' }, texts)).toEqual([[1, 42, 'x', true]]);
    expect(await column(mapped, texts)).toEqual([2]);
  });

  it('says why a cell has no output', async () => {
    const typed = await saveWorkflow(used.me, { inputs: { n: 'number' }, nodes: [code('Out', 'return data.n')] });
    const broken = await saveWorkflow(used.me, { nodes: [code('Out', 'throw new Error("oh")')] });
    const skipped = await saveWorkflow(used.me, {
      inputs: { x: 'string' },
      nodes: [code('Out', 'return 1', ['x'])],
      edges: [edge('x', 'Out', when({ of: 'x' }, '=', 'never'))],
    });
    const cases: [object, string | RegExp][] = [
      [
        { workflow_id: typed.id, input_mappings: { n: 'Column A' } },
        /input "n" of the workflow should be of the type number/,
      ],
      [
        { workflow_id: typed.id, input_mappings: {} },
        'The workflow asks for "n", which input_mappings maps to nothing.',
      ],
      [{ workflow_id: broken.id, input_mappings: {} }, 'The workflow has no output: "Out" failed: Error: oh (line 1)'],
      [
        { workflow_id: skipped.id, input_mappings: { x: 'Column A' } },
        'The workflow has no output: every output node was skipped.',
      ],
      [{ workflow_id: 2_000_000_000, input_mappings: {} }, 'Workflow 2000000000 was not found in this workspace.'],
      [{ workflow_id: broken.id, workflow_version_number: 9, input_mappings: {} }, /has no version 9/],
      [{ workflow_id: broken.id, workflow_label: 'none', input_mappings: {} }, /has no release label none/],
    ];
    for (const [config, why] of cases) {
      expect(await column(config, { 'Column A': ['x'] })).toEqual([
        typeof why === 'string' ? why : expect.stringMatching(why),
      ]);
    }
  });

  it('is computed while more of its cells wait than there are places', async () => {
    const inner = await saveWorkflow(used.me, { inputs: { n: 'string' }, nodes: [code('Out', 'return data.n + "!"')] });
    const outer = await saveWorkflow(used.me, {
      inputs: { n: 'string' },
      nodes: [
        { name: 'In', node_type: 'WORKFLOW', configuration: { workflow_id: inner.id, input_mappings: { n: 'n' } } },
      ],
    });
    const names = Array.from({ length: 60 }, (_, index) => `row ${index}`);
    const values = await column({ workflow_id: outer.id, input_mappings: { n: 'Column A' } }, { 'Column A': names });
    expect(values).toEqual(names.map((name) => `${name}!`));
  });

  it('cancels the runs that it has started when it is cancelled', async () => {
    const service = await WaitingService.start();
    service.delayMs = null;
    const held = { name: 'Held', node_type: 'ENDPOINT', configuration: { url: service.url } };
    const flow = await saveWorkflow(used.me, { inputs: { x: 'string' }, nodes: [held] });
    const sheet = await sheetOf(used.me, { 'Column A': ['a'] });
    const config = { workflow_id: flow.id, input_mappings: { x: 'Column A' } };
    await addColumn(used.me, sheet, { title: 'Result', type: 'WORKFLOW', config });
    await until(() => Promise.resolve(service.open === 1));
    await cancelAll(used, sheet);
    await until(() => Promise.resolve(service.hungUp === 1));
    const runs = () => used.me.get(`/workflows/${flow.id}/runs`) as Promise<{ items: object[] }>;
    await until(async () => JSON.stringify((await runs()).items).includes('cancelled'));
    await service.stop();
  });

  it('is recomputed on request', async () => {
    const flow = await saveWorkflow(used.me, { nodes: [code('Out', 'return 1')] });
    const config = { workflow_id: flow.id, input_mappings: {} };
    const { sheet } = await computeColumn(used, 'WORKFLOW', config, { 'Column A': ['a'] });
    await recalculate(used.me, sheet, { statuses: [] });
    await settled(used.me, sheet);
    const { items } = (await used.me.get(`/workflows/${flow.id}/runs`)) as { items: object[] };
    expect(items).toHaveLength(2);
  });
});

describe('workflows in workflows', () => {
  it('can call themselves, but not for ever', async () => {
    const flow = await saveWorkflow(used.me, { inputs: { n: 'integer' }, nodes: [code('Out', 'return 0')] });
    const again = {
      name: 'Again',
      node_type: 'WORKFLOW',
      configuration: { workflow_id: flow.id, input_mappings: { n: 'Less' } },
      dependencies: ['Less', 'n'],
    };
    await saveWorkflow(used.me, {
      workflow_name: flow.name,
      inputs: { n: 'integer' },
      nodes: [
        code('Less', 'return data.n - 1'),
        again,
        {
          name: 'Sum',
          node_type: 'CODE_EXECUTION',
          configuration: { language: 'JAVASCRIPT', code: 'return data.n + (data.Again ?? 0)' },
          dependencies: ['Again', 'Less'],
        },
      ],
      edges: [edge('n', 'Again', when({ of: 'n' }, '>', 1))],
    });
    expect(outcomes(await ran(used.me, flow.id, { n: 5 })).Sum).toBe(15);
    expect(outcomes(await ran(used.me, flow.id, { n: 9 })).Sum).toMatch('"Again" failed');
  });
});

describe('loops', () => {
  const LOOP = async () => {
    const flow = await saveWorkflow(used.me, {
      inputs: { item: 'string', index: 'integer', before: 'array', all: 'string' },
      nodes: [code('Out', 'return `${data.index} ${data.item} ${data.before.length} ${data.all}`')],
    });
    return { workflow_id: flow.id };
  };
  const special = { index: 'loop_index', before: 'previous_outputs' };

  it('run a workflow for each item of a list', async () => {
    const config = {
      loop_type: 'workflow',
      workflow_config: await LOOP(),
      iterator_source: 'Column A',
      variable_mappings: { item: '_iterator_item', all: 'more', ...special },
      return_all_outputs: true,
    };
    expect(await column(config, { 'Column A': ['["a", "b", "c"]'], more: ['x'] }, 'FOR_LOOP')).toEqual([
      { iterations: 3, outputs: ['0 a 0 x', '1 b 1 x', '2 c 2 x'], final_output: '2 c 2 x' },
    ]);
  });

  it('run a workflow until its output says that it is done', async () => {
    const flow = await saveWorkflow(used.me, {
      inputs: { index: 'integer' },
      nodes: [code('Out', 'return {done: data.index === 3}')],
    });
    const config = {
      loop_type: 'workflow',
      workflow_config: { workflow_id: flow.id },
      end_condition_json_path: '$.done',
      variable_mappings: { index: 'loop_index' },
      return_all_outputs: true,
    };
    expect(await column(config, { 'Column A': ['x'] }, 'WHILE_LOOP')).toMatchObject([{ iterations: 4 }]);
  });

  it('say which iteration has failed', async () => {
    const flow = await saveWorkflow(used.me, {
      inputs: { index: 'integer' },
      nodes: [code('Out', 'if (data.index === 1) throw new Error("one"); return 1')],
    });
    const config = {
      loop_type: 'workflow',
      workflow_config: { workflow_id: flow.id },
      max_iterations: 3,
      variable_mappings: { index: 'loop_index' },
    };
    expect(await column(config, { 'Column A': ['x'] }, 'FOR_LOOP')).toEqual([
      'Iteration 2 failed: The workflow has no output: "Out" failed: Error: one (line 1)',
    ]);
  });

  it('can be nodes', async () => {
    const flow = await saveWorkflow(used.me, {
      inputs: { list: 'array' },
      nodes: [
        {
          name: 'Loop',
          node_type: 'FOR_LOOP',
          configuration: {
            loop_type: 'workflow',
            workflow_config: await LOOP(),
            iterator_source: 'list',
            variable_mappings: { item: '_iterator_item', all: 'list', ...special },
          },
        },
      ],
    });
    expect(outcomes(await ran(used.me, flow.id, { list: ['p', 'q'] }))).toEqual({ Loop: '1 q 1 ["p","q"]' });
  });
});

it('works in evaluations as well, and is scored', async () => {
  const flow = await saveWorkflow(used.me, {
    inputs: { q: 'string' },
    nodes: [code('Out', 'return data.q.length > 1')],
  });
  const dataset = await newDataset(used.me, [{ q: 'a' }, { q: 'bb' }]);
  const configuration = { workflow_id: flow.id, input_mappings: { q: 'q' } };
  const { id } = await newReport(used.me, dataset, [
    { column_type: 'WORKFLOW', name: 'Flow', configuration, is_part_of_score: true },
  ]);
  const { report } = await runReport(used.me, id);
  const { rows } = await readReportRows(used.me, report.id);
  expect(rows.map(([, cell]) => cell)).toMatchObject([
    { status: 'PASSED', value: false },
    { status: 'PASSED', value: true },
  ]);
  expect((await readReportScore(used.me, report.id)).overall_score).toBe(50);
});
