import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { llmSpan, send, span, text, traceId } from '../support/otlp.js';
import { publishPrompt } from '../support/prompts.js';
import { TestApp } from '../support/test-app.js';

const SEARCH = '/api/public/v2/traces/search';

let app: TestApp;
let me: Client;
beforeAll(async () => {
  app = await TestApp.start();
  me = app.client;
});
afterAll(() => app.stop());

interface Item {
  trace_id: string;
  name: string;
}
interface Found {
  items: Item[];
}

async function names(filterGroup: unknown, more: object = {}, client = me): Promise<string[]> {
  const found = (await client.post(SEARCH, { filter_group: filterGroup, per_page: 100, ...more })) as Found;
  return found.items.map((item) => item.name).sort();
}

const is = (field: string, value: unknown) => ({ field, operator: 'is', value });
const int = (key: string, intValue: number) => ({ key, value: { intValue } });
const at = (second: number) => `${1_780_000_000 + second}000000000`;

/** A trace with these spans; the first is the root. */
async function sendTrace(client: Client, spans: object[]): Promise<string> {
  const id = traceId();
  const [root, ...others] = spans.map((fields, index) =>
    span({ traceId: id, startTimeUnixNano: at(index), endTimeUnixNano: at(index + 1), ...fields }),
  );
  await send(client, [root, ...others.map((each) => ({ parentSpanId: root!.spanId, ...each }))]);
  return id;
}

describe('a trace that was just sent', () => {
  it('is found at once, by all values of its spans', async () => {
    const client = await app.stranger();
    const prompt = await publishPrompt(client, 'greeting', {});
    const id = traceId();
    const root = span({
      traceId: id,
      name: 'checkout',
      kind: 2,
      status: { code: 1 },
      startTimeUnixNano: at(0),
      endTimeUnixNano: at(9),
      attributes: [
        text('user.id', 'ada'),
        text('promptlayer.tags', '["beta"]'),
        text('promptlayer.metadata.plan', 'pro'),
        text('promptlayer.workflow.id', 'w1'),
        text('promptlayer.workflow.version', '3'),
        text('function_output', 'Done.'),
      ],
    });
    const call = llmSpan(
      { input: 'What is new?', output: 'Nothing.', more: { 'promptlayer.prompt.name': 'greeting' } },
      { traceId: id, parentSpanId: root.spanId, startTimeUnixNano: at(1), endTimeUnixNano: at(3) },
    );
    const tool = span({
      traceId: id,
      parentSpanId: call.spanId,
      name: 'Tool: search',
      startTimeUnixNano: at(2),
      endTimeUnixNano: at(4),
    });
    await send(client, [tool, call, root]);
    expect(await client.post(SEARCH, {})).toMatchObject({
      success: true,
      total: 1,
      total_is_exact: true,
      items: [
        {
          trace_id: id,
          name: 'checkout',
          status: 'OK',
          duration_ms: 9000,
          span_count: 3,
          depth: 3,
          input_tokens: 3,
          output_tokens: 2,
          total_tokens: 5,
          models_used: ['gpt-4o-mini'],
          tool_names: ['search'],
          prompts: [{ id: prompt.id, name: 'greeting', version: 1 }],
          workflows: [{ id: 'w1', name: null, version: '3' }],
          user_id: 'ada',
          session_id: null,
          tags: ['beta'],
          metadata: { plan: 'pro', user_id: 'ada' },
          is_closed: false,
          root_span: { span_id: root.spanId, name: 'checkout', kind: 'SpanKind.SERVER', status: 'StatusCode.OK' },
          first_input: '[user]: What is new?',
          last_output: 'Done.',
        },
      ],
    });
    await client.post(`/api/public/v2/traces/${id}/close`, undefined, 201);
    expect(await names({ filters: [{ field: 'is_closed', operator: 'is_true' }] }, {}, client)).toEqual(['checkout']);
  });

  it('is found by what it says now when a span is sent again', async () => {
    const client = await app.stranger();
    const one = span({ name: 'before', attributes: [text('color', 'red')] });
    await send(client, [one]);
    const byColor = (value: string) =>
      names(
        { filters: [{ field: 'span_attributes', operator: 'key_equals', nested_key: 'color', value }] },
        {},
        client,
      );
    expect(await byColor('red')).toEqual(['before']);
    await send(client, [{ ...one, name: 'after', attributes: [text('color', 'blue')] }]);
    expect([await byColor('red'), await byColor('blue')]).toEqual([[], ['after']]);
  });

  it('is nobody else’s', async () => {
    await sendTrace(me, [{ name: 'mine' }]);
    const stranger = await app.stranger();
    expect(await names(null, {}, stranger)).toEqual([]);
    expect(await names({ filters: [is('trace_name', 'mine')] }, {}, stranger)).toEqual([]);
    expect(await names(null, { q: 'mine' }, stranger)).toEqual([]);
  });
});

describe('conditions on spans', () => {
  let client: Client;
  beforeAll(async () => {
    client = await app.stranger();
    const tool = (name: string, code: number) => ({ attributes: [text('tool.name', name)], status: { code } });
    await sendTrace(client, [{ name: 'one span has both' }, tool('search', 2), tool('pay', 1)]);
    await sendTrace(client, [{ name: 'two spans have one each' }, tool('search', 1), tool('pay', 2)]);
    await sendTrace(client, [{ name: 'only the first' }, tool('search', 1)]);
  });
  const both = [is('span_tool_name', 'search'), is('span_status', 'ERROR')];

  it('may be met by different spans in AND, and by one span in SPAN_AND', async () => {
    expect(await names({ logic: 'AND', filters: both }, {}, client)).toEqual([
      'one span has both',
      'two spans have one each',
    ]);
    expect(await names({ logic: 'SPAN_AND', filters: both }, {}, client)).toEqual(['one span has both']);
  });

  it('are alternatives for one span in SPAN_OR, whose inner groups stay on that span', async () => {
    const paid = { filters: [is('span_tool_name', 'pay'), is('span_status', 'ERROR')] };
    const found = await names({ logic: 'SPAN_OR', filters: [paid, is('span_name', 'only the first')] }, {}, client);
    expect(found).toEqual(['only the first', 'two spans have one each']);
  });

  it('mean that no span has the value when they are negative in AND, and that this span has not in SPAN_AND', async () => {
    const not = { field: 'span_tool_name', operator: 'is_not', value: 'pay' };
    expect(await names({ filters: [not] }, {}, client)).toEqual(['only the first']);
    expect(await names({ logic: 'SPAN_AND', filters: [not, is('span_status', 'ERROR')] }, {}, client)).toEqual([
      'one span has both',
    ]);
  });

  it('cannot stand beside a condition on the trace in SPAN_AND or SPAN_OR', async () => {
    for (const logic of ['SPAN_AND', 'SPAN_OR']) {
      const nested = { logic, filters: [{ filters: [is('trace_name', 'x')] }] };
      expect(await client.post(SEARCH, { filter_group: nested }, 400)).toMatchObject({ error: 'filter_invalid' });
    }
  });
});

describe('every field', () => {
  let client: Client;
  let ids: Record<string, string>;
  let promptId: number;
  beforeAll(async () => {
    client = await app.stranger();
    promptId = (await publishPrompt(client, 'greeting', {})).id;
    const id = traceId();
    const root = span({
      traceId: id,
      name: 'order',
      status: { code: 1 },
      startTimeUnixNano: at(0),
      endTimeUnixNano: at(10),
      attributes: [
        text('user.id', 'ada'),
        text('promptlayer.tags', 'vip'),
        text('workflow_id', 'w1'),
        text('workflow_version', '2'),
      ],
    });
    const call = llmSpan(
      {
        input: 'Order a lamp',
        output: '{"lamp":{"price":12}}',
        more: {
          'promptlayer.prompt.name': 'greeting',
          'promptlayer.prompt.input_variables': '{"item":{"name":"lamp"}}',
        },
      },
      { traceId: id, parentSpanId: root.spanId, startTimeUnixNano: at(1), endTimeUnixNano: at(3) },
    );
    const tool = span({
      traceId: id,
      parentSpanId: call.spanId,
      name: 'Tool: pay',
      kind: 3,
      status: { code: 2, message: 'card declined' },
      startTimeUnixNano: at(2),
      endTimeUnixNano: at(4),
      attributes: [
        text('args', '{"card":{"type":"visa"}}'),
        int('amount', 12),
        { key: 'fee', value: { doubleValue: 5e-7 } },
        text('http.route', '/pay'),
      ],
    });
    ids = { trace: id, root: root.spanId as string, tool: tool.spanId as string };
    const member = (key: string, value: object) => ({ key, value: { kvlistValue: { values: [{ key, value }] } } });
    const resource = {
      attributes: [
        text('service.name', 'shop'),
        text('deployment.environment.name', 'production'),
        text('session.id', 'chat/7'),
        text('tracesheet.origin', 'evaluation'),
        text('build.info', '{"git":{"commit.sha":"c0ffee"},"tags":["a","b"]}'),
        member('host.cpu', { stringValue: 'arm' }),
      ],
    };
    const body = { resourceSpans: [{ resource, scopeSpans: [{ spans: [root, call, tool] }] }] };
    await client.with({ 'content-type': 'application/json' }).request('POST', '/v1/traces', JSON.stringify(body));
    await sendTrace(client, [{ name: 'other', startTimeUnixNano: at(100), endTimeUnixNano: at(100) }]);
  });

  /** Conditions that hold for the trace "order" and not for the trace "other". */
  const cases = (): [string, string, unknown?, string?][] => [
    ['trace_id', 'is', ids.trace!.toUpperCase()],
    ['trace_name', 'starts_with', 'ORD'],
    ['trace_status', 'is', 'StatusCode.ERROR'],
    ['trace_start', 'before', '2026-05-28T20:27:00Z'],
    ['trace_end', 'between', ['2026-05-28T20:26:40Z', '2026-05-28T20:26:50Z']],
    ['trace_duration_ms', 'gte', '10000'],
    ['trace_total_cost_usd', 'gt', 0],
    ['trace_total_tokens', 'eq', 5],
    ['trace_input_tokens', 'eq', 3],
    ['trace_output_tokens', 'eq', 2],
    ['trace_span_count', 'eq', 3],
    ['trace_depth', 'gt', 2],
    ['trace_models_used', 'contains', 'gpt-4o-mini'],
    ['trace_tool_names', 'in', ['pay', 'x']],
    ['trace_prompt_ids', 'contains', promptId],
    ['trace_prompt_versions', 'contains', { prompt_id: promptId, version: 1 }],
    ['trace_prompt_versions', 'contains', `${promptId}:1`],
    ['trace_prompt_versions', 'key_equals', 1, String(promptId)],
    ['trace_prompt_versions', 'is_not_empty', null, String(promptId)],
    ['trace_workflow_ids', 'contains', 'w1'],
    ['trace_workflow_versions', 'contains', 'w1:2'],
    ['trace_tags', 'contains', 'vip'],
    ['trace_metadata', 'key_equals', 'ada', 'user_id'],
    ['trace_metadata_keys', 'contains', 'user_id'],
    ['trace_origin', 'is_not', 'application'],
    ['trace_environment', 'in', ['production', 'staging']],
    ['trace_session_id', 'is', 'chat/7'],
    ['trace_user_id', 'is', 'ada'],
    ['user_id', 'in', ['ada']],
    ['span_id', 'is', ids.tool],
    ['span_parent_id', 'is', ids.root],
    ['span_name', 'contains', 'pay'],
    ['span_type', 'is', 'LLM_CALL'],
    ['node_type', 'is', 'LLM_CALL'],
    ['span_kind', 'is', 'SpanKind.CLIENT'],
    ['span_status', 'is', 'ERROR'],
    ['span_start', 'is', '2026-05-28T20:26:42Z'],
    ['span_end', 'is', '2026-05-28T20:26:43Z'],
    ['span_duration_ms', 'between', [1999, 2001]],
    ['span_cost_usd', 'gt', 0],
    ['span_tokens', 'eq', 5],
    ['span_input_tokens', 'is_not_null'],
    ['span_output_tokens', 'lt', 3],
    ['span_model', 'is', 'gpt-4o-mini'],
    ['span_provider', 'is', 'openai'],
    ['span_tool_name', 'is', 'pay'],
    ['span_prompt_id', 'is', String(promptId)],
    ['span_prompt_version', 'eq', 1],
    ['span_workflow_id', 'is', 'w1'],
    ['span_workflow_version', 'is', 2],
    ['subtree_prompt_ids', 'contains', promptId],
    ['subtree_workflow_ids', 'in', ['w1']],
    ['span_input', 'contains', 'a LAMP'],
    ['span_output', 'starts_with', 'lamp.price: 12'],
    ['span_exception', 'contains', 'declined'],
    ['span_output_keys', 'contains', 'lamp.price'],
    ['span_output_values', 'key_equals', 12, 'lamp.price'],
    ['span_output_values', 'key_contains', '12'],
    ['span_output_values', 'is_not_empty', null, 'lamp'],
    ['span_attributes', 'key_equals', '/pay', 'http.route'],
    ['span_attributes', 'key_equals', 'visa', 'args.card.type'],
    ['span_attributes', 'key_contains', 'VIS', 'args'],
    ['span_attributes', 'in', ['12'], 'amount'],
    ['span_attributes', 'key_equals', 5e-7, 'fee'],
    ['span_resource', 'key_equals', 'shop', 'service.name'],
    ['span_resource', 'key_equals', 'c0ffee', 'build.info.git.commit.sha'],
    ['span_resource', 'in', ['b', 'z'], 'build.info.tags'],
    ['span_resource', 'is_not_empty', null, 'build.info.git'],
    ['span_resource', 'key_contains', 'AR', 'host.cpu.host.cpu'],
    ['span_input_variables', 'key_equals', 'lamp', 'item.name'],
    ['has_request_log', 'is_true'],
  ];

  it('finds the trace that fulfils a condition on it, and only that', async () => {
    for (const [field, operator, value, key] of cases()) {
      const filter = { field, operator, value, nested_key: key };
      expect([filter, await names({ filters: [filter] }, {}, client)]).toEqual([filter, ['order']]);
    }
  });

  it('is listed with its level and its operators, and is among the cases above', async () => {
    const { fields } = (await client.get(`${SEARCH}/fields`)) as { fields: { field: string; level: string }[] };
    // Scores come from feeds of sheets, and are tried there.
    const tried = new Set([...cases().map(([field]) => field), 'is_closed', 'trace_scores']);
    expect(fields.map(({ field }) => field).sort()).toEqual([...tried].sort());
    expect(fields).toContainEqual({
      field: 'span_tool_name',
      level: 'span',
      class: 'string',
      operators: ['is', 'is_not', 'in', 'not_in'],
      has_keys: false,
    });
  });

  it('counts the prompts and workflows below a span as its own', async () => {
    const onRoot = (filter: object) => ({ logic: 'SPAN_AND', filters: [is('span_name', 'order'), filter] });
    const below = { field: 'subtree_prompt_ids', operator: 'contains', value: promptId };
    expect(await names(onRoot(below), {}, client)).toEqual(['order']);
    expect(await names(onRoot({ field: 'span_prompt_id', operator: 'is', value: promptId }), {}, client)).toEqual([]);
  });
});

describe('free text', () => {
  it('finds words in any span of a trace, in names, inputs and outputs, by their beginnings', async () => {
    const client = await app.stranger();
    await sendTrace(client, [
      { name: 'Weather report' },
      { name: 'ask', attributes: [text('function_input', "Don't tell me it's Paris")] },
      { name: 'answer', attributes: [text('function_output', 'It is 30 % in Zürich')] },
    ]);
    await sendTrace(client, [{ name: 'something else' }]);
    for (const q of ['paris', 'dont zür', 'REPORT 30', '"in zürich"', 'weath', '%', 'pairs', 'dont zürcih']) {
      expect([q, await names(null, { q }, client)]).toEqual([q, ['Weather report']]);
    }
    for (const q of ['aris', 'paris london', '"in paris"', '"pairs"', 'qaris']) {
      expect([q, await names(null, { q }, client)]).toEqual([q, []]);
    }
    expect(await names(null, { q: '  ' }, client)).toHaveLength(2);
  });

  it('finds phrases in one text, and no trace that lacks words beside each other', async () => {
    const client = await app.stranger();
    await Promise.all([
      sendTrace(client, [
        { name: 'near' },
        { name: 'ask', attributes: [text('function_input', 'a red kite')] },
        { name: 'answer', attributes: [text('function_output', 'it soars')] },
      ]),
      sendTrace(client, [
        { name: 'far' },
        { name: 'ask', attributes: [text('function_input', 'a kite')] },
        { name: 'answer', attributes: [text('function_output', 'infrared kite; it is red')] },
      ]),
    ]);
    const found = async (q: string) => (await names(null, { q }, client)).toSorted();
    const contains = (value: string) => ({ filters: [{ field: 'span_output', operator: 'contains', value }] });
    expect(await found('red kite')).toEqual(['far', 'near']);
    expect(await found('"red kit"')).toEqual(['near']);
    expect(await found('"kite it"')).toEqual([]);
    expect(await names(contains('ared kite; it is'), {}, client)).toEqual(['far']);
  });

  it('finds every word of a trace with more words than the index takes, and no other', async () => {
    const client = await app.stranger();
    const words = Array.from({ length: 22_000 }, (_, index) => (index + 50_000).toString(36));
    await sendTrace(client, [
      { name: 'long' },
      ...[0, 1, 2, 3].map((part) => {
        const some = words.slice(part * 5500, (part + 1) * 5500);
        return { name: `part ${part}`, attributes: [text('function_input', some.join(' '))] };
      }),
    ]);
    await sendTrace(client, [{ name: `short ${words[0]}` }]);
    const found = async (q: string) => (await names(null, { q }, client)).toSorted();
    expect(await found(words.at(-1)!)).toEqual(['long']);
    expect(await found(words[0]!)).toEqual(['long', `short ${words[0]}`]);
    expect(await found('short')).toEqual([`short ${words[0]}`]);
    expect(await found('prat')).toEqual(['long']);
  });
});
