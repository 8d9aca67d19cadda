import { describe, expect, it } from 'vitest';
import { type Metered, recalculate } from '../support/external-cells.js';
import { addColumn, cellsOf, settled } from '../support/factories.js';
import { type AskedCall, type AskedTool as Asked, asks } from '../support/fake-vendors.js';
import { computeColumn, sheetOf, useModelApp } from '../support/model-app.js';
import { publishPrompt } from '../support/prompts.js';
import { createTool, definitionOf, executionOf, TOOLS } from '../support/tools.js';
import { until } from '../support/until.js';

const used = useModelApp();

const call = (name: string, given: unknown, id = 'call_1'): Asked => ({
  id,
  name,
  arguments: typeof given === 'string' ? given : JSON.stringify(given),
});

type Said = { role: string; content: unknown; tool_calls?: object[]; tool_call_id?: string };
const saidIn = ({ body }: AskedCall) => body.messages as Said[];
/** Results of tools that the last call sent to the model. */
const results = () =>
  saidIn(used.vendors.calls.at(-1)!)
    .filter(({ role }) => role === 'tool')
    .map(({ content }) => (typeof content === 'string' ? content : (content as { text: string }[])[0]!.text));

/** Makes the model call these tools first, and then answer with its last message. */
function asksOnce(...calls: Asked[]): void {
  used.vendors.reply = (asked) =>
    saidIn(asked).some(({ role }) => role === 'tool') ? { text: `Told: ${asked.text}` } : asks(...calls);
}

let count = 0;
/** A text that no other test has asked about, so that no result is reused. */
const fresh = (text: string) => `${text} ${++count}`;

function inline(...tools: object[]) {
  const messages = [{ role: 'user', content: [{ type: 'text', text: `${fresh('Tell me about')} {thing}` }] }];
  const metadata = { model: { provider: 'openai', name: 'gpt-4.1-mini', parameters: {} } };
  return {
    inline_template: { inline: true, prompt_template: { type: 'chat', messages, tools }, metadata },
    prompt_template_variable_mappings: { thing: 'Column A' },
  };
}

const reference = (id: number, rest: object = {}) => ({ type: 'registry', tool_registry_id: id, ...rest });
const tool = (name: string, code: string, language: 'python' | 'javascript' = 'javascript') =>
  createTool(used.me, name, { execution: executionOf(language, code) });

async function cellOf(config: object): Promise<Metered> {
  return (await computeColumn(used, 'PROMPT_TEMPLATE', config, { 'Column A': ['rain'] })).cells[0]!;
}

describe('a prompt column whose model asks for a tool of the registry', () => {
  it.each(['python', 'javascript'] as const)(
    'runs its code in %s and holds the final answer of the model',
    async (language) => {
      const name = fresh('add').replace(' ', '-');
      const code = { python: "return {'sum': args['a'] + args['b']}", javascript: 'return { sum: args.a + args.b };' };
      const id = await tool(name, code[language], language);
      asksOnce(call(name, { a: 1, b: 2 }));
      const cell = await cellOf(inline(reference(id)));
      expect([cell.status, cell.value]).toEqual(['completed', 'Told: {"sum":3}']);
      const [first, second] = used.vendors.calls;
      expect((first!.body.tools as object[])[0]).toMatchObject({ function: { name } });
      expect(saidIn(second!).slice(-2)).toMatchObject([
        { role: 'assistant', tool_calls: [{ id: 'call_1', function: { name } }] },
        { role: 'tool', tool_call_id: 'call_1' },
      ]);
      // Both calls are logged, and both count for the cell.
      expect(cell.request_metrics).toMatchObject({ request_count: 2, input_tokens: 24 });
      const [trace] = (cell.request_metrics as { trace_ids: string[] }).trace_ids;
      expect(JSON.stringify(await used.me.get(`/api/public/v2/traces/${trace}`))).toContain(`tool ${name}`);
    },
  );

  it('runs all tools of a turn, and of several turns', async () => {
    const [one, two] = [await tool('one', 'return args.n + 1;'), await tool('two', 'return args.n * 2;')];
    used.vendors.reply = (asked) => {
      const told = saidIn(asked).filter(({ role }) => role === 'tool').length;
      if (told === 0) return asks(call('one', { n: 1 }, 'a'), call('two', { n: 5 }, 'b'));
      return told === 2 ? asks(call('one', { n: 10 }, 'c')) : { text: 'Done' };
    };
    expect((await cellOf(inline(reference(one), reference(two)))).value).toBe('Done');
    expect(results()).toEqual(['2', '10', '11']);
    expect(used.vendors.calls).toHaveLength(3);
  });

  it('gives its code the variables of the workspace and of the tool', async () => {
    const id = await tool('secret_keeper', 'return process.env.TURN_KEY;');
    await used.me.post(`${TOOLS}/${id}/env-vars`, { key: 'TURN_KEY', value: 'from the tool' }, 201);
    asksOnce(call('secret_keeper', {}));
    expect((await cellOf(inline(reference(id)))).value).toBe('Told: from the tool');
  });

  it.each([
    [
      'what the code throws',
      'throw new RangeError("too far");',
      '{}',
      { type: 'RangeError', message: 'too far (line 1)' },
    ],
    [
      'that it takes too long',
      'for (;;);',
      '{}',
      { type: 'TimeoutError', message: expect.stringContaining('1.5 seconds') },
    ],
    ['arguments that are no JSON', 'return 1;', '{"a":', { type: 'ArgumentError', message: expect.any(String) }],
    ['arguments that are no object', 'return 1;', '[1]', { type: 'ArgumentError', message: expect.any(String) }],
  ])('reports to the model %s', async (_, code, given, error) => {
    const name = fresh('faulty').replace(' ', '_');
    asksOnce(call(name, given));
    const config = inline(reference(await tool(name, code)));
    const limit = error.type === 'TimeoutError' ? { toolTimeLimitMs: 1500 } : {};
    expect((await used.app.withSettings(limit, () => cellOf(config))).status).toBe('completed');
    expect(JSON.parse(results()[0]!)).toEqual({ error });
  });

  it('gives no arguments where the model writes none, and replaces what cannot be stored', async () => {
    const id = await tool('silent', 'return [Object.keys(args).length, "a\\u0000b"];');
    asksOnce(call('silent', ''));
    expect((await cellOf(inline(reference(id)))).status).toBe('completed');
    expect(results()).toEqual(['[0,"a\\u0000b"]']);
  });

  it('asks the model ten times and no more', async () => {
    const id = await tool('endless', 'return 1;');
    used.vendors.reply = () => asks(call('endless', {}));
    const cell = await cellOf(inline(reference(id)));
    expect([cell.status, used.vendors.calls.length]).toEqual(['completed', 10]);
    expect(JSON.stringify(cell.value)).toContain('endless');
    expect(cell.request_metrics).toMatchObject({ request_count: 10 });
  });

  it('stops at a turn that asks for another tool as well, and runs none of them', async () => {
    const id = await tool('runnable', 'return 1;');
    const other = {
      type: 'function',
      function: { name: 'elsewhere', description: '', parameters: { type: 'object' } },
    };
    const codeless = await createTool(used.me, 'codeless');
    for (const name of ['elsewhere', 'codeless', 'unheard_of']) {
      used.vendors.reset();
      used.vendors.reply = () => asks(call('runnable', {}, 'a'), call(name, {}, 'b'));
      const cell = await cellOf(inline(reference(id), reference(codeless), other));
      expect([cell.status, used.vendors.calls.length]).toEqual(['completed', 1]);
      expect(JSON.stringify(cell.value)).toContain(name);
    }
  });

  it('says why a tool cannot be run at all', async () => {
    const id = await tool('unreadable', 'return 1;');
    const added = (await used.me.post(`${TOOLS}/${id}/env-vars`, { key: 'BROKEN', value: 'x' }, 201)) as {
      tool_env_var: { id: number };
    };
    await used.app.sql(`UPDATE env_vars SET value = '\\x01' || value WHERE id = $1`, [added.tool_env_var.id]);
    asksOnce(call('unreadable', {}));
    const cell = await cellOf(inline(reference(id)));
    expect([cell.status, JSON.stringify(cell)]).toEqual(['error', expect.stringContaining('BROKEN')]);
  });

  it('goes stale when the tool that it means is another one, and is then computed with that', async () => {
    const id = await tool('changing', 'return "first";');
    asksOnce(call('changing', {}));
    const name = fresh('with a changing tool');
    const { inline_template: inlined } = inline(reference(id));
    const { prompt_template: template, metadata } = inlined;
    await publishPrompt(used.me, name, { template, model: metadata.model });
    const sheet = await sheetOf(used.me, { 'Column A': ['rain'] });
    const add = (title: string, config: object) =>
      addColumn(used.me, sheet, { title, type: 'PROMPT_TEMPLATE', config });
    const mappings = { prompt_template_variable_mappings: { thing: 'Column A' } };
    const [registered, written, labelled] = [
      await add('Registered', { template: { name }, ...mappings }),
      await add('Written', inline(reference(id))),
      await add('Labelled', inline(reference(id, { label: 'prod' }))),
    ];
    await settled(used.me, sheet);
    const states = async () => {
      const cells = [registered, written, labelled].map(
        async (column) => (await cellsOf(used.me, sheet, column.id))[0]!,
      );
      return (await Promise.all(cells)).map(({ status, value }) => `${status}: ${String(value)}`);
    };
    expect((await states()).slice(0, 2)).toEqual(['completed: Told: first', 'completed: Told: first']);

    const version = {
      tool_definition: definitionOf('changing'),
      execution: executionOf('javascript', 'return "second";'),
    };
    await used.me.post(`${TOOLS}/${id}/versions`, version, 201);
    await until(async () => (await states()).filter((state) => state.startsWith('stale')).length === 2);
    expect((await states())[2]).toMatch(/^completed/);
    await recalculate(used.me, sheet, { column_ids: [registered.id, written.id], force: false });
    await settled(used.me, sheet);
    expect((await states()).slice(0, 2)).toEqual(['completed: Told: second', 'completed: Told: second']);

    await used.me.put(`/api/admin/v1/workspaces/1/tools/${id}/labels/prod`, { version_number: 1 });
    await until(async () => (await states())[2]!.startsWith('stale'));
    expect((await states()).slice(0, 2).every((state) => state.startsWith('completed'))).toBe(true);
    await recalculate(used.me, sheet, { column_ids: [labelled.id], force: false });
    await settled(used.me, sheet);
    expect((await states())[2]).toBe('completed: Told: first');

    await used.me.delete(`/api/admin/v1/workspaces/1/tools/${id}`);
    await until(async () => (await states()).every((state) => state.startsWith('stale')));
  });
});
