import { describe, expect, it } from 'vitest';
import { recalculate } from '../support/external-cells.js';
import { addColumn, cellsOf, newSheet, settled } from '../support/factories.js';
import type { VendorReply } from '../support/fake-vendors.js';
import {
  cancelAll,
  computeColumn,
  ECHO,
  fresh,
  inlinePrompt,
  lastMessage,
  messagesOf,
  refusalOf,
  stepsOf,
  useModelApp,
} from '../support/model-app.js';
import { publishPrompt } from '../support/prompts.js';
import { until } from '../support/until.js';

const used = useModelApp({ WHILE_ITERATIONS: '4' });

const repeat = (text = 'Write about {item}.') => ({
  loop_type: 'prompt',
  prompt_config: { inline_template: inlinePrompt(text) },
});

describe('FOR_LOOP', () => {
  const loop = (more: object, list: unknown = '["a", "b"]', others: Record<string, unknown[]> = {}) =>
    computeColumn(used, 'FOR_LOOP', { ...repeat(), ...more }, { 'Column A': [list], ...others });

  it('runs the prompt for each item of a list', async () => {
    const mapping = { iterator_source: 'Column A', variable_mappings: { item: '_iterator_item' } };
    const { cells } = await loop({ ...mapping, return_all_outputs: true }, JSON.stringify([fresh('a'), { b: 1 }]));
    const outputs = used.vendors.calls.map((asked) => `You said: ${lastMessage(asked)}`);
    expect(outputs[1]).toBe('You said: Write about {"b":1}.');
    expect(cells[0]).toMatchObject({
      status: 'completed',
      value: { iterations: 2, outputs, final_output: outputs[1] },
    });
    expect(cells[0]!.request_metrics).toMatchObject({ request_count: 2 });
  });

  it('holds the final output alone by default', async () => {
    const { cells } = await loop({ iterator_source: 'Column A', variable_mappings: { item: '_iterator_item' } });
    expect(cells[0]!.value).toBe('You said: Write about b.');
  });

  it('runs a number of times, and passes the index and earlier outputs to the prompt', async () => {
    used.vendors.reply = () => ({ text: `out ${used.vendors.calls.length}` });
    const config = {
      ...repeat('{number}: {before}, {subject}'),
      max_iterations: 3,
      variable_mappings: { number: 'loop_index', before: 'previous_outputs', subject: 'Column A' },
    };
    const { cells } = await loop(config, 'loop_index');
    expect(cells[0]!.value).toBe('out 3');
    expect(used.vendors.calls.map(lastMessage)).toEqual([
      '0: [], loop_index',
      '1: ["out 1"], loop_index',
      '2: ["out 1","out 2"], loop_index',
    ]);
  });

  it('takes columns from the mappings in its prompt_config', async () => {
    const prompt_config = {
      inline_template: inlinePrompt('{item} for {who}'),
      prompt_template_variable_mappings: { item: '_iterator_item', who: 'Who' },
      chat_history_source: 'Said',
    };
    const history = JSON.stringify([{ role: 'user', content: 'And now?' }]);
    const { column, cells } = await loop({ prompt_config, iterator_source: 'Column A' }, [fresh('x')], {
      Who: ['Ada'],
      Said: [history],
    });
    expect(column.dependencies.map(({ config_key: key }) => key).sort()).toEqual([
      'chat_history_source',
      'iterator_source',
      'variable_mappings',
    ]);
    expect(cells[0]!.value).toBe('You said: And now?');
    expect(messagesOf(used.vendors.calls[0]!)[0]!.content).toMatch(/^x \d+ for Ada$/);
  });

  it.each([
    ['nothing', '[]', { iterations: 0, outputs: [], final_output: null }],
    ['one item', '["only"]', { iterations: 1 }],
  ])('runs for a list of %s', async (_, list, value) => {
    const mapping = { iterator_source: 'Column A', variable_mappings: { item: '_iterator_item' } };
    const { cells } = await loop({ ...mapping, return_all_outputs: true }, list);
    expect(cells[0]).toMatchObject({ status: 'completed', value });
  });

  it.each([
    ['a text', 'one, two', '"one, two"'],
    ['an object', '{"a": 1}', '"{"a": 1}"'],
    ['nothing', ' ', '" "'],
    ['JSON that is none', '["a"', '"["a""'],
  ])('fails when the iterator is %s', async (_, list, shown) => {
    const { cells } = await loop({ iterator_source: 'Column A', variable_mappings: { item: '_iterator_item' } }, list);
    expect(cells[0]!.error_message).toBe(`The iterator_source is no JSON list: ${shown}.`);
    expect(used.vendors.calls).toHaveLength(0);
  });

  it('fails when the list is too long', async () => {
    const list = JSON.stringify(Array.from({ length: 1001 }, (_, index) => index));
    const { cells } = await loop({ iterator_source: 'Column A', variable_mappings: { item: '_iterator_item' } }, list);
    expect(cells[0]!.error_message).toBe(
      'The list of the iterator_source has 1001 items, and a loop makes 1000 iterations at most. Split the list.',
    );
  });

  it('names the iteration that failed, and pays nothing again', async () => {
    used.vendors.reply = ({ body }) =>
      JSON.stringify(body).includes('bad') ? { status: 400, message: 'No.' } : { text: 'fine' };
    const { cells } = await loop(
      { iterator_source: 'Column A', variable_mappings: { item: '_iterator_item' } },
      JSON.stringify([fresh('good'), 'bad', 'never']),
    );
    expect(cells[0]!.error_message).toBe('Iteration 2 failed: openai answered 400: No.');
    expect(used.vendors.calls).toHaveLength(2);
  });

  it('fails before anything is spent where a variable is not mapped', async () => {
    const { cells } = await loop({ iterator_source: 'Column A' });
    expect(cells[0]!.error_message).toBe('The prompt asks for "item", which variable_mappings maps to no column.');
    expect(used.vendors.calls).toHaveLength(0);
  });

  it('has a step for each iteration', async () => {
    const mapping = { iterator_source: 'Column A', variable_mappings: { item: '_iterator_item' } };
    const { cells } = await loop(mapping, JSON.stringify([fresh('a'), 'b', 'c']));
    expect(await stepsOf(used, cells[0]!)).toEqual(
      [1, 2, 3].map((number) => ({ name: `iteration ${number}`, calls: 1 })),
    );
  });

  it('ends the call under way when it is cancelled, and begins no other', async () => {
    used.vendors.reply = () => (used.vendors.calls.length < 2 ? { text: 'fine' } : 'hang');
    const sheet = await newSheet(used.me, [JSON.stringify([fresh('a'), 'b', 'c'])]);
    const mapping = { iterator_source: 'Column A', variable_mappings: { item: '_iterator_item' } };
    await addColumn(used.me, sheet, { title: 'Result', type: 'FOR_LOOP', config: { ...repeat(), ...mapping } });
    await until(() => Promise.resolve(used.vendors.calls.length === 2));
    await cancelAll(used, sheet);
    await until(() => Promise.resolve(used.vendors.hungUp === 1));
    expect(used.vendors.calls).toHaveLength(2);
  });

  it('goes stale when the label that its prompt uses is moved', async () => {
    const name = fresh('looped');
    await publishPrompt(used.me, name, { message: 'First: {item}', model: ECHO, labels: ['live'] });
    const config = {
      prompt_config: { template: { name, label: 'live' } },
      iterator_source: 'Column A',
      variable_mappings: { item: '_iterator_item' },
    };
    const { sheet, column, cells } = await loop(config);
    expect(cells[0]!.value).toBe('First: b');
    await publishPrompt(used.me, name, { message: 'Second: {item}', model: ECHO, labels: ['live'] });
    await until(async () => (await cellsOf(used.me, sheet, column.id))[0]!.status === 'stale');
    await recalculate(used.me, sheet);
    await settled(used.me, sheet);
    expect((await cellsOf(used.me, sheet, column.id))[0]!.value).toBe('Second: b');
  });

  it('follows columns that are renamed, and says which one was deleted', async () => {
    const { sheet, column } = await loop(
      {
        prompt_config: {
          inline_template: inlinePrompt('{item} for {who}', ECHO),
          prompt_template_variable_mappings: { item: '_iterator_item', who: 'Who' },
        },
        iterator_source: 'Column A',
      },
      '["a"]',
      { Who: ['Ada'] },
    );
    const { column_id: who } = column.dependencies.find(({ column_id: id }) => id !== sheet.columnId)!;
    const shown = async () => {
      await recalculate(used.me, sheet, { force: true });
      await settled(used.me, sheet);
      const [cell] = await cellsOf(used.me, sheet, column.id);
      return cell!.error_message ?? cell!.value;
    };
    await used.me.patch(`${sheet.path}/columns/${who}`, { title: 'Whom' });
    expect(await shown()).toBe('a for Ada');
    await used.me.delete(`${sheet.path}/columns/${who}`);
    expect(await shown()).toContain('A column that variable_mappings "who" refers to was deleted.');
  });

  it('goes stale with the column that it goes through', async () => {
    const { sheet, column, cells } = await loop({
      iterator_source: 'Column A',
      variable_mappings: { item: '_iterator_item' },
    });
    expect(cells[0]!.status).toBe('completed');
    const [source] = await cellsOf(used.me, sheet, sheet.columnId);
    await used.me.patch(`${sheet.path}/cells/${source!.id}`, { value: '["c"]' });
    expect((await cellsOf(used.me, sheet, column.id))[0]!.status).toBe('stale');
  });

  it.each([
    [{}, 'give either iterator_source or max_iterations'],
    [{ iterator_source: 'Column A', max_iterations: 2 }, 'give either iterator_source or max_iterations'],
    [{ max_iterations: 0 }, 'max_iterations'],
    [{ max_iterations: 1001 }, 'less than or equal to 1000'],
    [{ iterator_source: 'Nowhere' }, 'Nowhere'],
    [{ max_iterations: 1, variable_mappings: { a: '_iterator_item' } }, 'no _iterator_item without an iterator_source'],
    [{ max_iterations: 1, variable_mappings: { a: 'Nowhere' } }, 'Nowhere'],
    [{ max_iterations: 1, variable_mappings: 'x' }, 'variable_mappings'],
    [{ max_iterations: 1, loop_type: 'code' }, 'loop_type'],
    [{ max_iterations: 1, loop_type: 'workflow' }, 'loop_type is workflow: give workflow_config and no other'],
    [{ max_iterations: 1, workflow_config: { workflow_id: 1 } }, 'give prompt_config and no other'],
    [{ max_iterations: 1, prompt_config: null }, 'give prompt_config'],
    [{ max_iterations: 1, prompt_config: 'x' }, 'prompt_config'],
    [{ max_iterations: 1, prompt_config: {} }, 'give either template or inline_template'],
    [{ max_iterations: 1, prompt_config: { template: { name: '' } } }, 'prompt_config.template.name'],
    [
      { max_iterations: 1, prompt_config: { template: { name: 'x' }, prompt_template_variable_mappings: 1 } },
      'mappings',
    ],
  ])('cannot be made with %j', async (more, saying) => {
    expect(await refusalOf(used, 'FOR_LOOP', { ...repeat(), ...more })).toContain(saying);
  });
});

describe('WHILE_LOOP', () => {
  const loop = (more: object, texts: Record<string, unknown[]> = { 'Column A': [fresh('x')] }) => {
    const config = { ...repeat(), variable_mappings: { item: 'Column A' }, return_all_outputs: true, ...more };
    return computeColumn(used, 'WHILE_LOOP', config, texts);
  };
  const inTurn = (...texts: string[]) => {
    used.vendors.reply = (): VendorReply => ({ text: texts[used.vendors.calls.length - 1] ?? texts.at(-1)! });
  };

  it.each([
    ['true', '{"done": false}', '{"done": true}'],
    ['a text', '{"done": ""}', '{"done": "yes"}'],
    ['a number', '{"done": 0}', '{"done": 1}'],
    ['there at all', '{"other": 1}', '{"done": {"a": null}}'],
    ['a text that is not "false"', '{"done": "False"}', '{"done": "true"}'],
    ['in a block of code', 'Not yet, sorry.', '```json\n{"done": true}\n```'],
  ])('ends when what its path finds is %s', async (_, before, after) => {
    inTurn(before, before, after, 'never');
    const { cells } = await loop({ end_condition_json_path: '$.done' });
    expect(cells[0]!.value).toEqual({ iterations: 3, outputs: [before, before, after], final_output: after });
  });

  it.each(['', 'false', ' NULL\n'])('ends without a path when the output is %j', async (output) => {
    inTurn('go on', output, 'never');
    const { cells } = await loop({});
    expect(cells[0]!.value).toMatchObject({ iterations: 2, final_output: output });
  });

  it('makes as many iterations as the server says when nothing ends it, or as the column says', async () => {
    inTurn('{"done": false}');
    expect((await loop({ end_condition_json_path: '$.done' })).cells[0]!.value).toMatchObject({ iterations: 4 });
    const { cells } = await loop({ end_condition_json_path: '$.done', max_iterations: 6 });
    expect(cells[0]).toMatchObject({ status: 'completed', value: { iterations: 6 } });
    expect(used.vendors.calls).toHaveLength(10);
  });

  it('reads JSON that the prompt demands', async () => {
    inTurn('{"n": 1}', '{"n": 1, "done": true}');
    const model = { parameters: { response_format: { type: 'json_object' } } };
    const { cells } = await loop({
      prompt_config: { inline_template: inlinePrompt('{item}', model) },
      end_condition_json_path: 'done',
    });
    expect(cells[0]!.value).toEqual({
      iterations: 2,
      outputs: [{ n: 1 }, { n: 1, done: true }],
      final_output: { n: 1, done: true },
    });
  });

  it('passes earlier outputs to the prompt', async () => {
    inTurn('first', 'false');
    await loop({ ...repeat('{item} {before}'), variable_mappings: { item: 'Column A', before: 'previous_outputs' } });
    expect(lastMessage(used.vendors.calls[1]!)).toMatch(/^x \d+ \["first"\]$/);
  });

  it('names the iteration that failed', async () => {
    used.vendors.reply = () => (used.vendors.calls.length === 1 ? { text: 'on' } : { status: 400, message: 'No.' });
    const { cells } = await loop({});
    expect(cells[0]!.error_message).toBe('Iteration 2 failed: openai answered 400: No.');
  });

  it('makes a thousand iterations, and not one more', async () => {
    const prompt_config = { inline_template: inlinePrompt('{item}', ECHO) };
    const { cells } = await loop({ prompt_config, max_iterations: 1000, return_all_outputs: false });
    expect(cells[0]).toMatchObject({ status: 'completed', value: expect.stringMatching(/^x \d+$/) });
    expect(cells[0]!.request_metrics).toMatchObject({ request_count: 1000 });
  });

  it.each([
    [{ end_condition_json_path: '$[' }, 'not a valid JSONPath'],
    [{ max_iterations: 1001 }, 'less than or equal to 1000'],
    [{ variable_mappings: { item: '_iterator_item' } }, '_iterator_item'],
    [{ prompt_config: null }, 'give prompt_config'],
    [{ return_all_outputs: 'yes' }, 'return_all_outputs'],
  ])('cannot be made with %j', async (more, saying) => {
    expect(await refusalOf(used, 'WHILE_LOOP', { ...repeat(), ...more })).toContain(saying);
  });
});

describe('workflows', () => {
  const NOT_FOUND = 'Workflow 7 was not found in this workspace.';

  it.each([
    ['WORKFLOW', { workflow_id: 7, workflow_label: 'live', input_mappings: { thing: 'Column A', other: null } }],
    [
      'FOR_LOOP',
      {
        loop_type: 'workflow',
        workflow_config: { workflow_id: 7, input_mappings: { thing: '_iterator_item' } },
        iterator_source: 'Column A',
      },
    ],
    [
      'WHILE_LOOP',
      { loop_type: 'WORKFLOW', workflow_config: { workflow_id: 7, input_mappings: { thing: 'Column A' } } },
    ],
  ])('in a %s report a workflow that is missing', async (type, config) => {
    const { cells } = await computeColumn(used, type, config, { 'Column A': ['["a"]'] });
    const message = type === 'WORKFLOW' ? NOT_FOUND : `Iteration 1 failed: ${NOT_FOUND}`;
    expect(cells[0]).toMatchObject({ status: 'error', error_message: message });
  });

  it.each([
    ['WORKFLOW', {}, 'workflow_id is required'],
    ['WORKFLOW', { workflow_id: 7 }, 'input_mappings is required'],
    ['WORKFLOW', { workflow_id: 'x', input_mappings: {} }, 'workflow_id'],
    ['WORKFLOW', { workflow_id: 0, input_mappings: {} }, 'workflow_id'],
    ['WORKFLOW', { workflow_id: 7, workflow_version_number: 0, input_mappings: {} }, 'workflow_version_number'],
    ['WORKFLOW', { workflow_id: 7, workflow_label: '', input_mappings: {} }, 'workflow_label'],
    ['WORKFLOW', { workflow_id: 7, input_mappings: { a: 'Nowhere' } }, 'Nowhere'],
    ['WHILE_LOOP', { loop_type: 'workflow', workflow_config: { workflow_id: 0 } }, 'workflow_config.workflow_id'],
  ])('in a %s cannot be configured with %j', async (type, config, saying) => {
    expect(await refusalOf(used, type, config)).toContain(saying);
  });
});

it('the list of column types says what each of them takes', async () => {
  const { column_types: types } = (await used.me.get('/api/public/v2/column-types')) as {
    column_types: { type: string; aliases: string[]; source_keys: string[]; config_schema: { required?: string[] } }[];
  };
  const shown = (name: string) => types.find(({ type }) => type === name)!;
  expect(shown('LLM_ASSERTION')).toMatchObject({
    aliases: ['SCORE'],
    source_keys: ['source', 'prompt_source', 'variable_mappings'],
  });
  expect(shown('FOR_LOOP').source_keys.sort()).toEqual(['chat_history_source', 'iterator_source', 'variable_mappings']);
  const computing = ['AI_DATA_EXTRACTION', 'COSINE_SIMILARITY', 'CONVERSATION_SIMULATOR', 'WHILE_LOOP', 'WORKFLOW'];
  for (const name of computing) expect(shown(name)).toMatchObject({ kind: 'external', computed: true });
});
