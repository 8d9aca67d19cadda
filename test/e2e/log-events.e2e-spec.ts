import { deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { keyValues } from '../support/nested-calls.js';
import { type JsonSpan, JSON_TYPE, readSpans, send, span, spanId, traceId } from '../support/otlp.js';
import { TestApp } from '../support/test-app.js';

let app: TestApp;
let me: Client;
beforeAll(async () => {
  app = await TestApp.start({ works: false });
  me = app.client;
});
afterAll(() => app.stop());

const QUESTION = 'Where is Ljubljana?';
const ANSWER = 'In Slovenia.';

interface Place {
  traceId: unknown;
  spanId: unknown;
}
type Told = { [field: string]: unknown };

const kvlist = (fields: Told) => ({ kvlistValue: { values: keyValues(fields) } });
const said = (role: string, content: string) => JSON.stringify([{ role, parts: [{ type: 'text', content }] }]);

/** Forms in which instrumentations send the messages of a call in log records. */
const FORMS: [string, (place: Place) => Told[]][] = [
  [
    'an event per message, its name among the attributes',
    (place) => [
      {
        ...place,
        timeUnixNano: '1780000000000000001',
        attributes: keyValues({ 'event.name': 'gen_ai.user.message', 'gen_ai.system': 'openai' }),
        body: kvlist({ content: QUESTION }),
      },
      {
        ...place,
        timeUnixNano: '1780000000000000002',
        attributes: keyValues({ 'event.name': 'gen_ai.choice' }),
        body: {
          kvlistValue: {
            values: [
              ...keyValues({ index: 0, finish_reason: 'stop' }),
              { key: 'message', value: kvlist({ role: 'assistant', content: ANSWER }) },
            ],
          },
        },
      },
    ],
  ],
  [
    'one event with the details',
    (place) => [
      {
        ...place,
        observedTimeUnixNano: '1780000000000000001',
        eventName: 'gen_ai.client.inference.operation.details',
        attributes: keyValues({
          'gen_ai.input.messages': said('user', QUESTION),
          'gen_ai.output.messages': said('assistant', ANSWER),
        }),
      },
    ],
  ],
];

function sendLogs(client: Client, records: unknown[]) {
  const body = JSON.stringify({ resourceLogs: [{ scopeLogs: [{ logRecords: records }] }] });
  return client.with(JSON_TYPE).request('POST', '/v1/logs', body);
}

/** A call whose span contains no messages. */
const bareCall = (): JsonSpan =>
  span({
    name: 'chat gpt-4o-mini',
    attributes: keyValues({
      'gen_ai.operation.name': 'chat',
      'gen_ai.system': 'openai',
      'gen_ai.request.model': 'gpt-4o-mini',
      'gen_ai.usage.input_tokens': 12,
      'gen_ai.usage.output_tokens': 7,
      big: 3,
    }),
  });

const ORDERS: [string, (call: JsonSpan, records: Told[]) => Promise<unknown>][] = [
  [
    'after the span',
    async (call, records) => {
      await send(me, [call]);
      await sendLogs(me, records);
    },
  ],
  [
    'before the span',
    async (call, records) => {
      await sendLogs(me, records);
      await send(me, [call]);
    },
  ],
  [
    'one by one around the span, everything twice',
    async (call, records) => {
      await sendLogs(me, records.slice(0, 1));
      await send(me, [call]);
      for (const record of [...records, ...records]) await sendLogs(me, [record]);
      await send(me, [call]);
    },
  ],
  ['at once with the span', (call, records) => Promise.all([send(me, [call]), sendLogs(me, records)])],
];

async function readCall(trace: unknown) {
  const [stored] = await readSpans(me, trace);
  const log = (await me.get(`/api/public/v2/requests/${stored!.request_log_id}`)) as {
    prompt_blueprint: { prompt_template: { messages: { role: string; content: { text: string }[] }[] } };
    input_tokens: number;
  };
  const messages = log.prompt_blueprint.prompt_template.messages.map(({ role, content }) => [role, content[0]!.text]);
  return { stored: stored as unknown as { events: { name: string }[]; request_log_id: number }, log, messages };
}

const SUCCESS = { status: 200, body: { partialSuccess: { rejectedLogRecords: 0, errorMessage: '' } } };

describe('what was said in a call, told in log records', () => {
  it.each(FORMS.flatMap(([form, tell]) => ORDERS.map(([order, arrive]) => [form, order, tell, arrive] as const)))(
    'is read from %s, arriving %s',
    async (_form, _order, tell, arrive) => {
      const call = bareCall();
      const records = tell({ traceId: call.traceId, spanId: call.spanId });
      await arrive(call, records);

      const { stored, log, messages } = await readCall(call.traceId);
      expect(messages).toEqual([
        ['user', QUESTION],
        ['assistant', ANSWER],
      ]);
      expect(log.input_tokens).toBe(12);
      expect(stored.events).toHaveLength(records.length);
      const found = { logs: '/api/public/v2/requests/search', traces: '/api/public/v2/traces/search' };
      const filter_group = { filters: [{ field: 'trace_id', operator: 'is', value: call.traceId }] };
      for (const path of Object.values(found)) {
        expect(await me.post(path, { q: 'ljubljana slovenia', filter_group })).toMatchObject({ total: 1 });
      }
    },
  );

  it('keeps the log of the span, and all else the span says', async () => {
    const call = bareCall();
    await send(me, [call]);
    const [before] = await readSpans(me, call.traceId);
    expect(await sendLogs(me, FORMS[0]![1]({ traceId: call.traceId, spanId: call.spanId }))).toMatchObject(SUCCESS);
    const [after] = await readSpans(me, call.traceId);
    expect(after).toEqual({ ...before, events: expect.any(Array) });
  });

  it('is refused for a trace that is closed, and for records of no span', async () => {
    const call = bareCall();
    await send(me, [call], '?close_after=true');
    const [event] = FORMS[1]![1]({ traceId: call.traceId, spanId: call.spanId });
    const placeless = { ...event, spanId: '' };
    const answer = await sendLogs(me, [event, placeless, { body: { stringValue: 'started' } }]);
    expect(answer).toMatchObject({ status: 200, body: { partialSuccess: { rejectedLogRecords: 3 } } });
    const { errorMessage } = (answer.body as { partialSuccess: { errorMessage: string } }).partialSuccess;
    expect(errorMessage).toContain('Log records are stored as events of their spans');
    expect(errorMessage).toContain('Only events with the content of model calls');
    expect(errorMessage).toContain(`Trace already closed: ${String(call.traceId)}`);
  });

  it('leaves no trace where no span comes, and belongs to its workspace', async () => {
    const call = bareCall();
    await sendLogs(me, FORMS[1]![1]({ traceId: call.traceId, spanId: call.spanId }));
    expect(await me.request('GET', `/api/public/v2/traces/${String(call.traceId)}`)).toMatchObject({ status: 404 });

    const stranger = await app.stranger();
    await send(stranger, [call]);
    const [stored] = (await readSpans(stranger, call.traceId)) as unknown as { events: unknown[] }[];
    expect(stored!.events).toEqual([]);
  });
});

/** Field numbers of protobuf: an empty record or metric in its lists of lists. */
const message = (field: number, content: Buffer): Buffer =>
  Buffer.concat([Buffer.from([(field << 3) | 2, content.length]), content]);
const nested = (path: number[], content: Buffer): Buffer =>
  path.reduceRight((inner, field) => message(field, inner), content);

/** rejected = 1; error_message = 2. The lengths of message and text may take two bytes. */
function readPartial(body: Buffer): { rejected: number; text: string } {
  const start = body[1]! < 128 ? 2 : 3;
  const text = body[start + 3]! < 128 ? start + 4 : start + 5;
  return { rejected: body[start + 1]!, text: body.subarray(text).toString() };
}

const METRICS = {
  resourceMetrics: [
    {
      scopeMetrics: [
        {
          metrics: [
            { name: 'a', sum: { dataPoints: [{ asInt: '1' }, { asInt: '2' }] } },
            { name: 'b', histogram: { dataPoints: [{ count: '1' }] } },
          ],
        },
      ],
    },
  ],
};

describe('signals that are not stored', () => {
  it.each([
    [
      '/v1/logs',
      { resourceLogs: [{ scopeLogs: [{ logRecords: [{ body: { stringValue: 'x' } }] }] }] },
      { rejectedLogRecords: 1 },
    ],
    ['/v1/metrics', METRICS, { rejectedDataPoints: 3 }],
  ])('%s counts everything in JSON as rejected and says why', async (path, body, counts) => {
    for (const [encoding, bytes] of [
      ['identity', Buffer.from(JSON.stringify(body))],
      ['gzip', gzipSync(JSON.stringify(body))],
      ['deflate', deflateSync(JSON.stringify(body))],
    ] as const) {
      const client = me.with({ ...JSON_TYPE, 'content-encoding': encoding });
      const answer = await client.request('POST', path, bytes);
      expect(answer).toMatchObject({ status: 200, body: { partialSuccess: counts } });
      expect((answer.body as { partialSuccess: { errorMessage: string } }).partialSuccess.errorMessage).not.toBe('');
    }
  });

  it.each([
    ['/v1/logs', nested([1, 2, 2], Buffer.alloc(0))],
    ['/v1/metrics', nested([1, 2, 2, 7, 1], Buffer.alloc(0))],
  ])('%s does the same in protobuf', async (path, body) => {
    for (const [encoding, bytes] of [
      ['identity', body],
      ['gzip', gzipSync(body)],
      ['deflate', deflateRawSync(body)],
    ] as const) {
      const headers = { 'content-type': 'application/x-protobuf', 'content-encoding': encoding };
      const answer = await me.with(headers).request('POST', path, bytes);
      expect(answer.status).toBe(200);
      expect(answer.headers['content-type']).toContain('application/x-protobuf');
      const { rejected, text } = readPartial(answer.bytes);
      expect(rejected).toBe(1);
      expect(text).not.toBe('');
    }
  });

  it.each(['/v1/logs', '/v1/metrics'])(
    '%s takes what is empty and refuses what is nothing of the kind',
    async (path) => {
      const json = me.with(JSON_TYPE);
      for (const body of ['{}', '{"resourceLogs":[],"resourceMetrics":[]}']) {
        expect(await json.request('POST', path, body)).toMatchObject({
          status: 200,
          body: { partialSuccess: { errorMessage: '' } },
        });
      }
      expect(await json.request('POST', path, '{')).toMatchObject({ status: 400 });
      expect(await json.request('POST', path, '{"resourceLogs":1,"resourceMetrics":1}')).toMatchObject({ status: 422 });
      const protobuf = me.with({ 'content-type': 'application/x-protobuf' });
      expect(await protobuf.request('POST', path, Buffer.from([0x0a, 0x7f]))).toMatchObject({ status: 400 });
      expect(await me.with({ 'content-type': 'text/plain' }).request('POST', path, 'x')).toMatchObject({ status: 415 });
    },
  );
});

describe('a body that is sent with deflate', () => {
  it.each([
    ['the zlib format', deflateSync],
    ['the bare one', deflateRawSync],
  ])('is read in %s, under the limits of its size afterwards', async (_name, compress) => {
    const trace = traceId();
    const spans = JSON.stringify({
      resourceSpans: [{ scopeSpans: [{ spans: [span({ traceId: trace, spanId: spanId() })] }] }],
    });
    const client = me.with({ ...JSON_TYPE, 'content-encoding': 'deflate' });
    expect(await client.request('POST', '/v1/traces', compress(spans))).toMatchObject({ status: 200 });
    expect(await readSpans(me, trace)).toHaveLength(1);

    const bomb = compress(Buffer.alloc(65 * 1024 * 1024, ' '));
    expect(await client.request('POST', '/v1/traces', bomb)).toMatchObject({ status: 413 });
    expect(await client.request('POST', '/v1/traces', Buffer.from('no such data'))).toMatchObject({ status: 400 });
  });
});
