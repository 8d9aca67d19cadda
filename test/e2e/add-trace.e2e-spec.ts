import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { addColumn, cellsOf, newSheet, readRows, settled, type TestSheet, versionOf } from '../support/factories.js';
import { at, llmSpan, send, span, spanId, text, traceId } from '../support/otlp.js';
import { TestApp } from '../support/test-app.js';
import { addTrace, askToAddTrace, columnsByTitle, traceBody } from '../support/traces.js';
import { nameVersion, restore, versionsOf } from '../support/versions.js';

let app: TestApp;
let me: Client;
beforeAll(async () => {
  app = await TestApp.start();
  me = app.client;
});
afterAll(() => app.stop());

interface Node {
  name: string;
  span_id: string;
  start: string;
  end: string | null;
  output: unknown;
  attributes: Record<string, unknown>;
  request_log: Record<string, unknown> | null;
  children: Node[];
}

const shapeOf = ({ name, children }: Node): string =>
  children.length === 0 ? name : `${name}(${children.map(shapeOf).join(' ')})`;

/** A run of an agent that asks a model and calls a tool, as it arrives: what ends first comes first. */
async function sendRun(
  client = me,
  more: { model?: string } = {},
): Promise<{ trace: string; root: string; tool: string }> {
  const [trace, root, tool] = [traceId(), spanId(), spanId()];
  const within = { traceId: trace, parentSpanId: root };
  const [call, search] = [
    llmSpan({ input: 'May I?', output: 'You may.', ...more }, { ...within, ...at(1) }),
    span({
      ...within,
      ...at(3),
      spanId: tool,
      name: 'Tool: search',
      attributes: [text('function_input', '[{"q":"refund"}]'), text('function_output', '"30 days"')],
    }),
  ];
  await send(client, [call, search]);
  const output = text('eval.output', '{"answer":42}');
  await send(client, [span({ traceId: trace, spanId: root, name: 'Eval: refunds', ...at(0), attributes: [output] })]);
  return { trace, root, tool };
}

/** A sheet with the columns that clients make for an evaluation. */
async function evaluationSheet(): Promise<TestSheet> {
  const sheet = await newSheet(me);
  await me.patch(`${sheet.path}/columns/${sheet.columnId}`, { title: 'input' });
  await addColumn(me, sheet, { title: 'Trace', type: 'TEXT' });
  return sheet;
}

describe('a trace that is added to a sheet', () => {
  it('becomes a row with the tree of its spans', async () => {
    const sheet = await evaluationSheet();
    const { trace } = await sendRun();
    const added = await addTrace(me, sheet, trace.toUpperCase());
    expect(added).toMatchObject({ success: true, rows_added: 1, mode: 'trace', row_index: 1 });

    const columns = await columnsByTitle(me, sheet);
    expect(Object.keys(columns)).toEqual(['input', 'Trace', 'Trace.price', 'Trace.latency']);
    expect(columns.Trace).toMatchObject({ type: 'TRACE', config: {} });
    expect(Object.keys(added.row.cells).sort()).toEqual(
      Object.values(columns)
        .map(({ id }) => id)
        .sort(),
    );
    const cell = (title: string) => added.row.cells[columns[title]!.id]!;
    expect(cell('input')).toMatchObject({ status: 'completed', value: null });
    expect(cell('Trace')).toMatchObject({ status: 'completed', display_value: 'Eval: refunds' });
    expect(cell('Trace.latency').value).toBe(1500);
    expect(cell('Trace.price').value).toBeGreaterThan(0);

    const root = cell('Trace').value as Node;
    expect(shapeOf(root)).toBe('Eval: refunds(chat gpt-4o-mini Tool: search)');
    expect(root).toMatchObject({
      start: '2026-05-28T20:26:40.000000Z',
      end: '2026-05-28T20:26:41.500000Z',
      output: { answer: 42 },
      attributes: { 'eval.output': '{"answer":42}' },
      request_log: null,
    });
    expect(root.children[1]).toMatchObject({ output: '30 days', attributes: { function_input: '[{"q":"refund"}]' } });
    expect(root.children[0]).toMatchObject({
      output: 'You may.',
      request_log: {
        id: expect.any(Number),
        provider_type: 'openai',
        engine: 'gpt-4o-mini',
        price: cell('Trace.price').value,
        function_kwargs: {
          model: 'gpt-4o-mini',
          messages: [{ role: 'user', content: [{ type: 'text', text: 'May I?' }] }],
        },
        request_response: { choices: [{ message: { role: 'assistant', content: 'You may.' } }] },
      },
    });
    expect(cell('Trace')).toMatchObject({
      request_metrics: {
        request_count: 1,
        request_ids: [root.children[0]!.request_log!.id],
        latency_ms: 1500,
        input_tokens: 3,
        output_tokens: 2,
        trace_ids: [trace],
      },
    });
  });

  it('writes answers in the format of their vendor', async () => {
    const sheet = await evaluationSheet();
    const id = traceId();
    await send(me, [llmSpan({ provider: 'anthropic', model: 'claude-sonnet-4-5', output: 'Yes.' }, { traceId: id })]);
    const added = await addTrace(me, sheet, id);
    const { Trace } = await columnsByTitle(me, sheet);
    expect(added.row.cells[Trace!.id]!.value).toMatchObject({
      request_log: { request_response: { content: [{ type: 'text', text: 'Yes.' }] } },
    });
  });

  it('has no price where nothing is known of one', async () => {
    const sheet = await evaluationSheet();
    const id = traceId();
    await send(me, [span({ traceId: id, name: 'Eval: free' })]);
    const [unpriced, { trace }] = [await addTrace(me, sheet, id), await sendRun(me, { model: 'in-house-1' })];
    const columns = await columnsByTitle(me, sheet);
    const priceOf = (added: typeof unpriced) => added.row.cells[columns['Trace.price']!.id];
    expect(priceOf(unpriced)).toMatchObject({ status: 'completed', value: null });
    expect(priceOf(await addTrace(me, sheet, trace))).toMatchObject({ value: null });
  });

  it('is read by what computes with it', async () => {
    const sheet = await evaluationSheet();
    const { trace } = await sendRun();
    const trajectory = await addColumn(me, sheet, {
      title: 'Tools',
      type: 'TRAJECTORY',
      config: { trace_source: 'Trace', accepted_scenarios: [['search']] },
    });
    await settled(me, sheet);
    const added = await addTrace(me, sheet, trace);
    expect(added.row.cells[trajectory.id]).toMatchObject({ status: 'stale', value: null });
    await me.post(`${sheet.path}/operations`, { operation: 'recalculate', column_ids: [trajectory.id] }, 202);
    await settled(me, sheet);
    expect((await cellsOf(me, sheet, trajectory.id)).map(({ value }) => value)).toEqual([null, true]);
  });

  it('is computed with at once where the sheet follows its inputs', async () => {
    const sheet = await evaluationSheet();
    await me.patch(sheet.path, { auto_recalculate: 'all' });
    const config = { source: 'Trace', max_tool_calls: 0 };
    const calls = await addColumn(me, sheet, { title: 'Calls', type: 'MAX_TOOL_CALLS', config });
    const code = { language: 'JAVASCRIPT', code: 'return data.Trace && data.Trace.children.length;' };
    const count = await addColumn(me, sheet, { title: 'Spans', type: 'CODE_EXECUTION', config: code });
    await settled(me, sheet);
    await addTrace(me, sheet, (await sendRun()).trace);
    await settled(me, sheet);
    expect((await cellsOf(me, sheet, calls.id)).map(({ value }) => value)).toEqual([null, false]);
    expect((await cellsOf(me, sheet, count.id)).map(({ value }) => value)).toEqual([null, 2]);
  });

  it('brings a column along where there is none', async () => {
    const sheet = await newSheet(me, ['a']);
    const { trace } = await sendRun();
    await addTrace(me, sheet, trace);
    expect(Object.keys(await columnsByTitle(me, sheet))).toEqual(['Column A', 'Trace', 'Trace.price', 'Trace.latency']);
  });

  it('keeps the earlier texts of the column', async () => {
    const sheet = await newSheet(me, ['a trace']);
    await me.patch(`${sheet.path}/columns/${sheet.columnId}`, { title: 'Trace' });
    const config = { source: 'Trace', type: 'chars' };
    const length = await addColumn(me, sheet, { title: 'Length', type: 'COUNT', config });
    await settled(me, sheet);
    await addTrace(me, sheet, (await sendRun()).trace);
    const [first, second] = await cellsOf(me, sheet, sheet.columnId);
    expect(first).toMatchObject({ value: 'a trace', display_value: 'a trace' });
    expect(second).toMatchObject({ display_value: 'Eval: refunds' });
    // The column type of the source changed, so the dependent column reads its new values.
    expect(await cellsOf(me, sheet, length.id)).toMatchObject([{ status: 'stale', value: 7 }, { status: 'stale' }]);
  });

  it('is one version of the sheet, which can be restored', async () => {
    const sheet = await evaluationSheet();
    const before = await nameVersion(me, sheet, 'before');
    const { trace } = await sendRun();
    const { version } = await addTrace(me, sheet, trace);
    expect(version).toBe(before.version_number + 1);
    const [latest] = await versionsOf(me, sheet);
    expect(latest).toMatchObject({
      version_number: version,
      deltas: [
        { type: 'trace_import', row_index: 1, trace_id: trace, span_id: null, metadata: { eval_name: 'eval' } },
        { type: 'column.update', before: { type: 'TEXT' }, after: { type: 'TRACE' } },
      ],
    });
    expect((await addTrace(me, sheet, (await sendRun()).trace)).version).toBe(version + 1);
    await restore(me, sheet, before);
    const { columns, data } = await readRows(me, sheet);
    expect([columns.map(({ type }) => type), data.length]).toEqual([['TEXT', 'TEXT'], 1]);
  });

  it('is a row of its own each time, also when many come at once', async () => {
    const sheet = await evaluationSheet();
    const { trace } = await sendRun();
    const added = await Promise.all(Array.from({ length: 8 }, () => addTrace(me, sheet, trace)));
    expect(added.map(({ row_index }) => row_index).sort()).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    expect(await versionOf(me, sheet)).toBe(Math.max(...added.map(({ version }) => version)));
    const columns = await columnsByTitle(me, sheet);
    expect(Object.keys(columns)).toEqual(['input', 'Trace', 'Trace.price', 'Trace.latency']);
    expect((await readRows(me, sheet)).data).toHaveLength(9);
  });

  it('is added once for the same Idempotency-Key', async () => {
    const sheet = await evaluationSheet();
    const { trace } = await sendRun();
    const client = me.with({ 'idempotency-key': traceId() });
    expect(await addTrace(client, sheet, trace)).toEqual(await addTrace(client, sheet, trace));
    expect((await readRows(me, sheet)).data).toHaveLength(2);
  });
});

describe('a span that is added to a sheet', () => {
  it('contains the tree of its spans', async () => {
    const sheet = await evaluationSheet();
    const { trace, tool } = await sendRun();
    const added = await addTrace(me, sheet, trace, { span_id: tool.toUpperCase() });
    expect(added.mode).toBe('span');
    const columns = await columnsByTitle(me, sheet);
    const value = added.row.cells[columns.Trace!.id]!.value as Node;
    expect([shapeOf(value), value.span_id]).toEqual(['Tool: search', tool]);
    // The call was beside it.
    expect(added.row.cells[columns['Trace.price']!.id]!.value).toBeNull();
  });
});

describe('spans that do not hang together', () => {
  it('are below the root all the same', async () => {
    const sheet = await evaluationSheet();
    const [trace, root] = [traceId(), spanId()];
    await send(me, [
      span({ traceId: trace, name: 'lost', parentSpanId: spanId(), ...at(0) }),
      span({ traceId: trace, spanId: root, name: 'root', ...at(1) }),
      span({ traceId: trace, name: 'second root', ...at(2) }),
      span({ traceId: trace, name: 'inside', parentSpanId: root, ...at(3) }),
    ]);
    const added = await addTrace(me, sheet, trace);
    const { Trace } = await columnsByTitle(me, sheet);
    expect(shapeOf(added.row.cells[Trace!.id]!.value as Node)).toBe('root(inside lost second root)');
  });
});

describe('a trace that is not there yet', () => {
  it('is waited for', async () => {
    const sheet = await evaluationSheet();
    const id = traceId();
    const adding = addTrace(me, sheet, id);
    await send(me, [span({ traceId: id, name: 'late' })]);
    const { Trace } = await columnsByTitle(me, sheet);
    expect((await adding).row.cells[Trace!.id]).toMatchObject({ display_value: 'late' });
  });

  it('is unknown after a while', async () => {
    const sheet = await evaluationSheet();
    const answer = await askToAddTrace(me, traceBody(sheet, traceId()));
    expect(answer).toMatchObject({ status: 404, body: { success: false, error: 'trace_not_found' } });
    expect((await readRows(me, sheet)).data).toHaveLength(1);
  });
});

describe('what cannot be added', () => {
  let sheet: TestSheet;
  let known: string;
  beforeAll(async () => {
    sheet = await evaluationSheet();
    known = (await sendRun()).trace;
  });

  it.each<[string, object, number, string]>([
    ['no trace', { trace_id: undefined }, 422, 'trace_id'],
    ['a blank trace', { trace_id: '' }, 422, 'trace_id'],
    ['a trace of another type', { trace_id: 7 }, 422, 'trace_id'],
    ['a trace with an endless name', { trace_id: 'x'.repeat(2000) }, 422, 'trace_id'],
    ['no table', { smart_table_id: null }, 422, 'smart_table_id'],
    ['no sheet', { sheet_id: undefined }, 422, 'sheet_id'],
    ['no id of a sheet', { sheet_id: 'first' }, 422, 'sheet_id'],
    ['metadata that are a text', { metadata: 'eval' }, 422, 'metadata'],
    ['endless metadata', { metadata: { note: 'x'.repeat(10_001) } }, 422, 'metadata'],
    ['a dataset as well', { dataset_group_id: 1 }, 422, 'dataset_group_id'],
    ['an unknown dataset', { dataset_group_id: 999_999, smart_table_id: null, sheet_id: null }, 404, 'Dataset group'],
    ['another table', { smart_table_id: '00000000-0000-4000-8000-000000000000' }, 404, 'Table'],
    ['another sheet', { sheet_id: '00000000-0000-4000-8000-000000000000' }, 404, 'Sheet'],
    ['a span of no trace', { span_id: 'ffffffffffffffff' }, 404, 'Span'],
    ['a trace with characters nobody can store', { trace_id: 'a\u0000\ud800' }, 404, 'Trace'],
  ])('is %s', async (_, more, status, words) => {
    const answer = await askToAddTrace(me, traceBody(sheet, known, more));
    expect(answer.status).toBe(status);
    expect(JSON.stringify(answer.body)).toContain(words);
    expect((await readRows(me, sheet)).data).toHaveLength(1);
  });

  it('is a trace of somebody else', async () => {
    const stranger = await app.stranger();
    const { trace } = await sendRun(stranger);
    expect(await askToAddTrace(me, traceBody(sheet, trace))).toMatchObject({ status: 404 });
    expect(await askToAddTrace(stranger, traceBody(sheet, trace))).toMatchObject({ status: 404 });
  });

  it('is anything where "Trace" is computed', async () => {
    const computed = await newSheet(me, ['a']);
    await addColumn(me, computed, { title: 'Trace', type: 'COUNT', config: { source: 'Column A', type: 'chars' } });
    const answer = await askToAddTrace(me, traceBody(computed, known));
    expect(answer).toMatchObject({ status: 400, body: { error: 'trace_column_computed' } });
  });

  it('is a trace that no cell can hold, but a span of it can', async () => {
    const [trace, root, small] = [traceId(), spanId(), spanId()];
    await send(me, [span({ traceId: trace, spanId: root, ...at(0) })]);
    await send(me, [span({ traceId: trace, parentSpanId: root, spanId: small, name: 'small', ...at(1) })]);
    const note = 'é'.repeat(1_500_000);
    for (let part = 0; part < 8; part++) {
      await send(me, [span({ traceId: trace, parentSpanId: root, ...at(2), attributes: [text('note', note)] })]);
    }
    const answer = await askToAddTrace(me, traceBody(sheet, trace));
    expect(answer).toMatchObject({ status: 400, body: { error: 'trace_too_large' } });
    expect((await readRows(me, sheet)).data).toHaveLength(1);
  });
});
