import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type BulkAnswer, bulkBody, bulkSpan, loggedCall, sendBulk, START, storeBulk } from '../support/bulk.js';
import type { Client } from '../support/client.js';
import { llmSpan, readSpans, send, span, spanId, traceId } from '../support/otlp.js';
import { publishPrompt } from '../support/prompts.js';
import { TestApp } from '../support/test-app.js';

let app: TestApp;
let me: Client;
beforeAll(async () => {
  app = await TestApp.own({ works: false });
  me = app.client;
});
afterAll(() => app.stop());

interface Detail {
  model: string;
  price: number;
  input_tokens: number;
  latency_ms: number;
  request_start_time: string;
  trace_id: string;
  span_id: string;
  function_name: string;
  prompt_name: string | null;
  scores?: { name: string; score: number }[];
}
const readLog = (id: number) => me.get(`/api/public/v2/requests/${id}`) as Promise<Detail>;
const close = (id: string) => me.post(`/api/public/v2/traces/${id}/close`, undefined, 201);

describe('a bulk request', () => {
  it('stores its spans as they are, to the nanosecond, and answers in their order', async () => {
    const id = traceId();
    const sent = ['b', 'a'].map((name) =>
      bulkSpan(
        {
          name,
          kind: 'SpanKind.PRODUCER',
          parent_id: 'not-hex',
          status: { status_code: 'StatusCode.ERROR', description: 'broken' },
          attributes: { deep: { list: [1, null, 'x'] }, big: 1 },
          events: [{ name: 'e', timestamp: '2026-05-28T20:26:40.123456789Z', attributes: { k: 1 } }],
          links: [{ context: { trace_id: id, span_id: 'l', trace_state: 's' }, attributes: {} }],
          resource: { attributes: { n: 1, flag: true }, schema_url: 'u' },
        },
        { trace_id: id, trace_state: 'state' },
      ),
    );
    const answer = await storeBulk(me, sent);
    expect(answer.spans.map(({ name }) => name)).toEqual(['b', 'a']);
    expect(answer.request_logs).toBeNull();
    expect(Object.keys(answer)).not.toContain('rejected_span_ids');
    const [first] = await readSpans(me, id);
    expect(first).toMatchObject({
      id: answer.spans.find(({ span_id }) => span_id === first!.span_id)!.id,
      parent_id: 'not-hex',
      kind: 'SpanKind.PRODUCER',
      status: { status_code: 'StatusCode.ERROR', description: 'broken' },
      start_time: '2026-05-28T20:26:40.000000Z',
      duration_ms: 1500,
      attributes: { deep: { list: [1, null, 'x'] }, big: 1 },
      events: [{ name: 'e', timestamp: '2026-05-28T20:26:40.123456Z', attributes: { k: 1 } }],
      links: [{ context: { trace_id: id, span_id: 'l', trace_state: 's' } }],
      resource: { attributes: { n: 1, flag: true }, schema_url: 'u' },
      trace_state: 'state',
    });
    const [row] = (await app.sql('SELECT start_ns FROM spans WHERE trace_id = $1', [id])) as { start_ns: string }[];
    expect(row!.start_ns).toBe(String(START));
  });

  it('takes links and events as they come: tuples of Python, and times without an offset', async () => {
    const [linked, parent] = [traceId(), spanId()];
    const context = [BigInt(`0x${linked}`), BigInt(`0x${parent}`)].map((id) => `@${id}@`);
    const events = [{ name: 'e', timestamp: '2026-05-28T20:26:41', attributes: {} }];
    const sent = bulkSpan({ events, links: [{ context: [...context, false, 1, [], true], attributes: {} }] });
    const body = bulkBody([sent]).replaceAll(/"@(\d+)@"/g, '$1');
    await me.with({ 'content-type': 'application/json' }).post('/spans-bulk', body, 201);
    expect(await readSpans(me, sent.context.trace_id)).toMatchObject([
      {
        events: [{ timestamp: '2026-05-28T20:26:41.000000Z' }],
        links: [{ context: { trace_id: linked, span_id: parent } }],
      },
    ]);
  });

  it('may be empty', async () => {
    expect(await storeBulk(me, [])).toEqual({ success: true, spans: [], request_logs: null });
  });

  it('takes ids that are no hexadecimal digits, and finds hexadecimal ones in any letter case', async () => {
    const free = `run ${traceId()}/7`;
    await storeBulk(me, [bulkSpan({}, { trace_id: free, span_id: 'step/1' })]);
    expect(await readSpans(me, encodeURIComponent(free))).toMatchObject([{ span_id: 'step/1' }]);
    const upper = traceId().toUpperCase();
    await storeBulk(me, [bulkSpan({}, { trace_id: upper })]);
    expect(await readSpans(me, upper)).toHaveLength(1);
  });

  it('takes ids as long as they may be, all three of them', async () => {
    const [trace_id, span_id, run] = Array.from({ length: 3 }, () => randomBytes(600).toString('base64url'));
    const managed = { 'promptlayer.request_log.managed': true, 'promptlayer.request_log.span_id': run };
    await storeBulk(me, [bulkSpan({ attributes: managed }, { trace_id, span_id })]);
    expect(await readSpans(me, trace_id)).toMatchObject([{ span_id }]);
  });

  it('keeps the first of two spans with one id, and lets a later request replace it under the same id', async () => {
    const context = { trace_id: traceId(), span_id: spanId() };
    const first = await storeBulk(me, [bulkSpan({ name: 'first' }, context), bulkSpan({ name: 'second' }, context)]);
    expect(first.spans.map(({ name }) => name)).toEqual(['first']);
    expect(await readSpans(me, context.trace_id)).toMatchObject([{ name: 'first' }]);
    const again = await storeBulk(me, [bulkSpan({ name: 'first' }, context)]);
    expect(again.spans).toEqual(first.spans);
    const later = await storeBulk(me, [bulkSpan({ name: 'later' }, context)]);
    expect(later.spans).toMatchObject([{ id: first.spans[0]!.id, name: 'later' }]);
    expect(await readSpans(me, context.trace_id)).toMatchObject([{ name: 'later' }]);
  });

  it('makes no request log of attributes that describe a call', async () => {
    const answer = await storeBulk(me, [
      bulkSpan({ attributes: { 'gen_ai.operation.name': 'chat', 'gen_ai.request.model': 'gpt-4o' } }),
    ]);
    expect(answer.request_logs).toBeNull();
  });
});

describe('a call beside its span', () => {
  it('becomes a request log of the span, with its times where the call has none', async () => {
    const sent = bulkSpan({ name: 'ask', log_request: loggedCall({ score: 80, score_name: 'taste' }) });
    const { request_logs: logs, spans } = await storeBulk(me, [bulkSpan(), sent]);
    expect(logs).toEqual([{ id: expect.any(Number) as number, span_id: sent.context.span_id }]);
    const log = await readLog(logs![0]!.id);
    expect(log).toMatchObject({
      model: 'gpt-4o-mini',
      price: 0.15,
      latency_ms: 1500,
      request_start_time: '2026-05-28T20:26:40.000Z',
      trace_id: sent.context.trace_id,
      span_id: sent.context.span_id,
      function_name: 'ask',
    });
    expect(log.scores).toContainEqual({ name: 'taste', score: 80 });
    const [stored] = await readSpans(me, sent.context.trace_id);
    expect(stored).toMatchObject({ id: spans[1]!.id, request_log_id: logs![0]!.id, cost: 0.15 });
  });

  it.each([
    [{}, 'LLM_CALL'],
    [{ 'app.feature': 'returns' }, 'LLM_CALL'],
    [{ node_type: 'CODE_EXECUTION' }, 'CODE_EXECUTION'],
    [{ 'gen_ai.operation.name': 'invoke_agent' }, 'LLM_SESSION'],
  ])('makes its span one of its kind, unless that says otherwise: %j', async (attributes, span_type) => {
    const sent = bulkSpan({ attributes, log_request: loggedCall() });
    await storeBulk(me, [sent, bulkSpan({ name: 'beside' }, { trace_id: sent.context.trace_id })]);
    const spans = await readSpans(me, sent.context.trace_id);
    expect(spans.find(({ name }) => name === 'beside')).toMatchObject({ span_type: 'CODE_EXECUTION' });
    expect(spans.find(({ name }) => name !== 'beside')).toMatchObject({ span_type });
  });

  it('keeps the times it has', async () => {
    const times = { request_start_time: '2026-01-02T03:04:05Z', request_end_time: 1767323047.5 };
    const { request_logs: logs } = await storeBulk(me, [bulkSpan({ log_request: loggedCall(times) })]);
    expect(await readLog(logs![0]!.id)).toMatchObject({
      request_start_time: '2026-01-02T03:04:05.000Z',
      latency_ms: 2500,
    });
    const short = {
      request_start_time: '2026-01-02T03:04:05.000001Z',
      request_end_time: '2026-01-02T03:04:05.000002Z',
    };
    const next = await storeBulk(me, [bulkSpan({ log_request: loggedCall(short) })]);
    expect(await readLog(next.request_logs![0]!.id)).toMatchObject({ latency_ms: 0.001 });
  });

  it('is left out when its prompt does not exist, and linked when it does; the span is stored', async () => {
    const prompt = await publishPrompt(me, 'bulk-prompt');
    const known = bulkSpan({ log_request: loggedCall({ prompt_name: 'bulk-prompt' }) });
    const unknown = bulkSpan({ log_request: loggedCall({ prompt_name: 'nowhere', prompt_version_number: 3 }) });
    const beyond = bulkSpan({ log_request: loggedCall({ prompt_id: 9_999_999_999 }) });
    const answer = await storeBulk(me, [known, unknown, beyond]);
    expect(answer.spans).toHaveLength(3);
    expect(answer.request_logs).toMatchObject([{ span_id: known.context.span_id }]);
    expect(await readLog(answer.request_logs![0]!.id)).toMatchObject({
      prompt_id: prompt.id,
      prompt_name: 'bulk-prompt',
    });
  });

  it('is not replaced by what the span says when it is sent again by an exporter', async () => {
    const sent = bulkSpan({ log_request: loggedCall({ model: 'gpt-4.1' }) });
    const { request_logs: logs } = await storeBulk(me, [sent]);
    const { trace_id, span_id } = sent.context;
    await send(me, [llmSpan({ model: 'gpt-4o', inputTokens: 7 }, { traceId: trace_id, spanId: span_id })]);
    expect(await readLog(logs![0]!.id)).toMatchObject({ model: 'gpt-4.1', input_tokens: 1_000_000 });
    expect(await readSpans(me, trace_id)).toMatchObject([{ request_log_id: logs![0]!.id, input_tokens: 1_000_000 }]);
  });

  it('replaces the log that was read from the span, under the same id', async () => {
    const made = llmSpan({ model: 'gpt-4o' });
    await send(me, [made]);
    const [{ request_log_id: id }] = await readSpans(me, made.traceId);
    const context = { trace_id: made.traceId, span_id: made.spanId };
    const answer = await storeBulk(me, [bulkSpan({ log_request: loggedCall({ model: 'gpt-4.1' }) }, context)]);
    expect(answer.request_logs).toMatchObject([{ id }]);
    expect(await readLog(id!)).toMatchObject({ model: 'gpt-4.1' });
  });
});

describe('closed traces', () => {
  it('lose their spans but not those of other traces, and get no logs', async () => {
    const [closed, open] = [traceId(), traceId()];
    await storeBulk(me, [bulkSpan({}, { trace_id: closed })]);
    await close(closed);
    const late = bulkSpan({ log_request: loggedCall() }, { trace_id: closed });
    const fine = bulkSpan({}, { trace_id: open });
    expect(await storeBulk(me, [late, fine])).toEqual({
      success: true,
      spans: [{ id: expect.any(Number) as number, name: 'step', span_id: fine.context.span_id }],
      request_logs: null,
      rejected_span_ids: [late.context.span_id],
      rejected_trace_ids: [closed],
      rejection_reason: 'trace_closed',
    });
    expect(await readSpans(me, closed)).toHaveLength(1);
  });

  it('are made by close_after, also when some were closed before', async () => {
    const [first, second] = [traceId(), traceId()];
    const both = () => [bulkSpan({}, { trace_id: first }), bulkSpan({}, { trace_id: second })];
    await storeBulk(me, [bulkSpan({}, { trace_id: first })], true);
    const answer = await storeBulk(me, both(), true);
    expect(answer).toMatchObject({ rejected_trace_ids: [first], spans: [{}] });
    const all: BulkAnswer = await storeBulk(me, both());
    expect(all).toMatchObject({ spans: [], request_logs: null, rejected_trace_ids: [first, second] });
  });

  it('refuse a span that came with the request that closed them no more than with any other', async () => {
    const id = traceId();
    await send(me, [span({ traceId: id })], '?close_after=true');
    expect((await storeBulk(me, [bulkSpan({}, { trace_id: id })])).spans).toEqual([]);
  });
});

describe('a bulk request that cannot be stored', () => {
  const bad: [string, object, (string | number)[]][] = [
    ['no name', { name: undefined }, ['name']],
    ['a name that is no text', { name: 7 }, ['name']],
    ['no context', { context: null }, ['context']],
    ['an empty trace id', { context: { trace_id: '', span_id: 'x', trace_state: '' } }, ['context', 'trace_id']],
    [
      'an endless trace id',
      { context: { trace_id: 'x'.repeat(5000), span_id: 'x', trace_state: '' } },
      ['context', 'trace_id'],
    ],
    [
      'a span id of too many bytes',
      { context: { trace_id: 'x', span_id: 'é'.repeat(401), trace_state: '' } },
      ['context', 'span_id'],
    ],
    ['no trace state', { context: { trace_id: 'x', span_id: 'x' } }, ['context', 'trace_state']],
    ['an unknown kind', { kind: 'CLIENT' }, ['kind']],
    ['a time before the epoch', { start_time: -1 }, ['start_time']],
    ['a time beyond all times', { start_time: '99999999999999999999' }, ['start_time']],
    ['a time that is no number', { end_time: '2026-01-01' }, ['end_time']],
    ['no end', { end_time: null }, ['end_time']],
    ['an unknown status', { status: { status_code: 'OK' } }, ['status', 'status_code']],
    ['attributes that are a list', { attributes: [] }, ['attributes']],
    ['events that are no list', { events: {} }, ['events']],
    ['no resource', { resource: undefined }, ['resource']],
    ['a call without a model', { log_request: { ...loggedCall(), model: undefined } }, ['log_request', 'model']],
    [
      'a call with a wrong outcome',
      { log_request: loggedCall({ error_type: 'PROVIDER_TIMEOUT' }) },
      ['log_request', 'error_type'],
    ],
  ];
  it.each(bad)('is refused with 422 for %s, and nothing of it is stored', async (_, fields, loc) => {
    const fine = bulkSpan();
    const { status, body } = await sendBulk(me, [fine, { ...bulkSpan(), ...fields }]);
    expect(status).toBe(422);
    expect((body as { detail: { loc: unknown[] }[] }).detail.map((entry) => entry.loc)).toContainEqual([
      'body',
      'spans',
      1,
      ...loc,
    ]);
    await me.get(`/api/public/v2/traces/${String(fine.context.trace_id)}`, 404);
  });

  it.each([
    ['no list of spans', '{}', 422],
    ['no object', '[]', 422],
    ['null', 'null', 422],
    ['close_after as text', '{"spans":[],"close_after":"yes"}', 422],
    ['no JSON', '{"spans":', 400],
    ['nothing', '', 422],
    ['JSON that nests for ever', `{"spans":${'['.repeat(10_000)}${']'.repeat(10_000)}}`, 400],
  ])('is refused for %s', async (_, body, expected) => {
    const json = me.with({ 'content-type': 'application/json' });
    expect((await json.request('POST', '/spans-bulk', body)).status).toBe(expected);
  });

  it('is refused with 415 when it is no JSON by its type', async () => {
    const { status } = await me.with({ 'content-type': 'text/plain' }).request('POST', '/spans-bulk', bulkBody([]));
    expect(status).toBe(415);
  });

  it('stores nothing at all when the database refuses one of its spans', async () => {
    const fine = bulkSpan({}, { trace_id: traceId() });
    // A btree entry cannot be that long, which only the database knows.
    await app.sql(`ALTER TABLE spans ADD CONSTRAINT refuse_test CHECK (name <> 'refused by the database')`);
    try {
      const { status } = await sendBulk(me, [fine, bulkSpan({ name: 'refused by the database' })], true);
      expect(status).toBe(400);
      await me.get(`/api/public/v2/traces/${String(fine.context.trace_id)}`, 404);
    } finally {
      await app.sql('ALTER TABLE spans DROP CONSTRAINT refuse_test');
    }
    expect((await storeBulk(me, [fine])).spans).toHaveLength(1);
  });

  it('replaces text that cannot be stored instead of refusing it', async () => {
    const sent = bulkSpan({ name: 'a\0b', attributes: { 'k\ud800': 'v\0' } });
    await storeBulk(me, [sent]);
    expect(await readSpans(me, sent.context.trace_id)).toMatchObject([
      { name: 'a\ufffdb', attributes: { 'k\ufffd': 'v\ufffd' }, sanitized: true },
    ]);
  });

  it('says of the spans alone whose text was replaced that it was', async () => {
    const id = traceId();
    const [fine, broken] = ['parcel 📦, \\u0000', 'v\0'].map((note) => {
      const call = loggedCall({ metadata: { note } });
      return bulkSpan({ attributes: { note }, log_request: call }, { trace_id: id });
    });
    const escaped = bulkBody([fine, broken]).replaceAll('📦', '\\ud83d\\udce6');
    const json = me.with({ 'content-type': 'application/json' });
    const { request_logs: logs } = (await json.post('/spans-bulk', escaped, 201)) as BulkAnswer;
    const byId = new Map((await readSpans(me, id)).map((stored) => [stored.span_id, stored]));
    expect(byId.get(String(fine!.context.span_id))).toMatchObject({
      attributes: { note: 'parcel 📦, \\u0000' },
      sanitized: false,
    });
    expect(byId.get(String(broken!.context.span_id))).toMatchObject({
      attributes: { note: 'v\ufffd' },
      sanitized: true,
    });
    expect(await Promise.all(logs!.map((log) => readLog(log.id)))).toMatchObject([
      { metadata: { note: 'parcel 📦, \\u0000' }, sanitized: false },
      { metadata: { note: 'v\ufffd' }, sanitized: true },
    ]);
  });

  it('takes a message of ten megabytes', async () => {
    const text = 'parcel '.repeat(1_500_000);
    const output = { type: 'chat', messages: [{ role: 'assistant', content: [{ type: 'text', text }] }] };
    const { request_logs: logs } = await storeBulk(me, [bulkSpan({ log_request: loggedCall({ output }) })]);
    const log = (await me.get(`/api/public/v2/requests/${logs![0]!.id}`)) as unknown as {
      prompt_blueprint: { prompt_template: { messages: { content: { text: string }[] }[] } };
    };
    expect(log.prompt_blueprint.prompt_template.messages[1]!.content[0]!.text).toHaveLength(text.length);
  });
});
