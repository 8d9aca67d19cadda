import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ProtoWriter } from '../../src/traces/otlp/proto-writer.fixture.js';
import type { Answer, Client } from '../support/client.js';
import { sendChunks } from '../support/chunks.js';
import {
  FULL_SUCCESS,
  envelope,
  JSON_TYPE,
  llmSpan,
  readSpans,
  send,
  span,
  spanId,
  text,
  traceId,
} from '../support/otlp.js';
import { TestApp } from '../support/test-app.js';

let app: TestApp;
let me: Client;
beforeAll(async () => {
  app = await TestApp.start({ works: false });
  me = app.client;
});
afterAll(() => app.stop());

const PROTOBUF = { 'content-type': 'application/x-protobuf' };
const MIB = 1024 * 1024;

function post(body: string | Buffer, headers: Record<string, string>, query = ''): Promise<Answer> {
  return me.with(headers).request('POST', `/v1/traces${query}`, body);
}
const bodyOf = (...spans: unknown[]): string => JSON.stringify(envelope(spans));

describe('the content type of an export', () => {
  it.each(['application/json', 'application/json; charset=utf-8', 'Application/JSON', ' application/json ;x=y'])(
    'may be %s',
    async (type) => {
      const answer = await post(bodyOf(span()), { 'content-type': type });
      expect(answer).toMatchObject({
        status: 200,
        body: FULL_SUCCESS,
        headers: { 'content-type': expect.stringContaining('application/json') },
      });
    },
  );

  it('decides the form of the answer: an empty message for protobuf', async () => {
    const answer = await post(Buffer.alloc(0), PROTOBUF);
    expect(answer.status).toBe(200);
    expect(answer.bytes).toHaveLength(0);
    expect(answer.headers['content-type']).toContain('application/x-protobuf');
  });

  it.each(['text/plain', 'application/protobuf', 'application/jsonx', ';', 'nonsense'])(
    'is refused with 415 when it is %s',
    async (type) => {
      expect((await post(bodyOf(span()), { 'content-type': type })).status).toBe(415);
    },
  );

  it('is refused with 415 when it is missing', async () => {
    const answer = await app.app.inject({
      method: 'POST',
      url: '/v1/traces',
      headers: { 'x-api-key': app.apiKey, 'content-length': '2' },
      payload: Buffer.from('{}'),
    });
    expect(answer.statusCode).toBe(415);
  });
});

describe('an export in protobuf that is refused', () => {
  const refusals: [string, number, () => Promise<Answer>][] = [
    ['it cannot be read', 400, () => post(Buffer.from([0x0a]), PROTOBUF)],
    [
      'nobody vouches for the sender',
      401,
      () => app.clientWith(null).with(PROTOBUF).request('POST', '/v1/traces', Buffer.alloc(0)),
    ],
    ['its trace is closed', 409, sendToClosed],
    ['its type is another one', 415, () => post(Buffer.alloc(0), { 'content-type': 'application/protobuf' })],
    ['its encoding is unknown', 415, () => post(Buffer.alloc(0), { ...PROTOBUF, 'content-encoding': 'br' })],
  ];

  it.each(refusals)('because %s is answered in JSON', async (_, status, refused) => {
    const answer = await refused();
    expect(answer).toMatchObject({
      status,
      headers: { 'content-type': expect.stringMatching(/^application\/json\b/) },
      body: { error: expect.any(String) },
    });
  });

  async function sendToClosed(): Promise<Answer> {
    const closed = span();
    await send(me, [closed], '?close_after=true');
    const answer = await post(inProtobuf(String(closed.traceId), spanId()), PROTOBUF);
    expect(answer.body).toMatchObject({ trace_ids: [closed.traceId] });
    return answer;
  }
});

/** A request with one span. */
function inProtobuf(trace: string, id: string): Buffer {
  return new ProtoWriter()
    .message(1, (resourceSpans) =>
      resourceSpans.message(2, (scopeSpans) =>
        scopeSpans.message(2, (writer) =>
          writer
            .bytes(1, Buffer.from(trace, 'hex'))
            .bytes(2, Buffer.from(id, 'hex'))
            .bytes(5, 'late')
            .fixed64(7, 1_780_000_000_000_000_000n),
        ),
      ),
    )
    .end();
}

describe('the encoding of an export', () => {
  it('may be gzip, identity or none', async () => {
    const sent = span();
    for (const encoding of ['gzip', 'GZIP', 'identity']) {
      const body = encoding === 'identity' ? bodyOf(sent) : gzipSync(bodyOf(sent));
      expect((await post(body, { ...JSON_TYPE, 'content-encoding': encoding })).body).toEqual(FULL_SUCCESS);
    }
    expect(await readSpans(me, sent.traceId)).toHaveLength(1);
  });

  it('is refused with 415 when it is unknown and with 400 when it is not what it says', async () => {
    expect((await post(bodyOf(span()), { ...JSON_TYPE, 'content-encoding': 'br' })).status).toBe(415);
    for (const body of ['not gzip', gzipSync(bodyOf(span())).subarray(0, 40)]) {
      expect((await post(body, { ...JSON_TYPE, 'content-encoding': 'gzip' })).status).toBe(400);
    }
  });
});

describe('a body that is no export', () => {
  it.each(['', '{', 'null bytes \u0000', '[1,', 'undefined'])(
    'is refused with 400 when it cannot be read: %j',
    async (body) => {
      expect((await post(body, JSON_TYPE)).status).toBe(400);
    },
  );

  it.each([
    '[]',
    'null',
    '1',
    '"x"',
    '{"resourceSpans":{}}',
    '{"resourceSpans":[1]}',
    '{"resourceSpans":[{"scopeSpans":1}]}',
    '{"resourceSpans":[{"scopeSpans":[{"spans":"x"}]}]}',
  ])('is refused with 422 when its outer structure is wrong: %s', async (body) => {
    const answer = await post(body, JSON_TYPE);
    expect(answer).toMatchObject({
      status: 422,
      body: { detail: [{ loc: expect.arrayContaining(['body']), type: expect.any(String) }] },
    });
  });

  it('is refused with 400 when it is broken protobuf', async () => {
    for (const bytes of [[0x0a], [0x0a, 0xff], [0xff, 0xff, 0xff], [0x0a, 0x02, 0x12, 0x05]]) {
      const { status } = await post(Buffer.from(bytes), PROTOBUF);
      expect([bytes, status]).toEqual([bytes, 400]);
    }
  });

  it.each([
    '{}',
    '{"resourceSpans":[]}',
    '{"resourceSpans":null}',
    '{"resourceSpans":[{}]}',
    '{"resourceSpans":[{"scopeSpans":[]}]}',
    '{"resourceSpans":[{"scopeSpans":[{"spans":[]}]}]}',
  ])('is a success when it is merely empty: %s', async (body) => {
    expect(await post(body, JSON_TYPE)).toMatchObject({ status: 200, body: FULL_SUCCESS });
  });
});

describe('a body that is too large', () => {
  it('is refused with 413 at its announcement', async () => {
    const answer = await me
      .with({ ...JSON_TYPE, 'content-length': String(70 * MIB) })
      .request('POST', '/v1/traces', '{}');
    expect(answer).toMatchObject({ status: 413, body: { error: 'body_too_large' } });
  });

  it('is refused with 413 when it is large only after decompression', async () => {
    const bomb = gzipSync(Buffer.alloc(65 * MIB, ' '), { level: 9 });
    expect(bomb.length).toBeLessThan(MIB);
    const answer = await post(bomb, { ...JSON_TYPE, 'content-encoding': 'gzip' });
    expect(answer).toMatchObject({ status: 413, body: { error: 'body_too_large' } });
  });

  it('is refused with 413 when it comes in pieces without an announcement', async () => {
    await app.listen();
    expect(await sendChunks(app, 64, { path: '/v1/traces', apiKey: app.apiKey })).toContain(' 413 ');
  });

  it('is rejected before it is read when the sender has no valid key', async () => {
    const answer = await app
      .clientWith(null)
      .with({ ...JSON_TYPE, 'content-length': String(70 * MIB) })
      .request('POST', '/v1/traces', '{}');
    expect(answer.status).toBe(401);
  });
});

describe('a span that cannot be stored', () => {
  const cases: [string, Record<string, unknown>, RegExp][] = [
    ['a short trace id', { traceId: 'abc' }, /traceId/],
    ['a trace id of zeros', { traceId: '0'.repeat(32) }, /traceId/],
    ['no span id', { spanId: undefined }, /spanId/],
    ['a long span id', { spanId: 'a'.repeat(17) }, /spanId/],
    ['no name', { name: undefined }, /name/],
    ['a number as name', { name: 7 }, /name/],
    ['no start', { startTimeUnixNano: undefined }, /start/i],
    ['a start of zero', { startTimeUnixNano: '0' }, /start/i],
    ['a text as start', { startTimeUnixNano: 'now' }, /start/i],
  ];

  it.each(cases)('because of %s is left out and named, and the others are stored', async (_, fields, reason) => {
    const good = span();
    const { status, body } = await send(me, [good, span(fields)]);
    expect(status).toBe(200);
    expect(body).toEqual({ partialSuccess: { rejectedSpans: 1, errorMessage: expect.stringMatching(reason) } });
    expect(await readSpans(me, good.traceId)).toHaveLength(1);
  });

  it('is reported in protobuf as well', async () => {
    const field = (tag: number, bytes: Buffer) => Buffer.concat([Buffer.from([(tag << 3) | 2, bytes.length]), bytes]);
    const badSpan = Buffer.concat([
      field(1, Buffer.alloc(16, 1)),
      field(2, Buffer.alloc(3, 1)),
      field(5, Buffer.from('x')),
    ]);
    const { status, bytes } = await post(field(1, field(2, field(2, badSpan))), PROTOBUF);
    expect(status).toBe(200);
    expect([...bytes.subarray(0, 4)]).toEqual([0x0a, bytes.length - 2, 0x08, 1]);
    expect(bytes.toString('latin1')).toContain('Invalid spanId length');
  });

  it('is named with every other reason, each once', async () => {
    const bad = [{ spanId: 'x' }, { traceId: 'y' }, { spanId: 'z' }, { name: undefined }];
    expect((await send(me, bad.map(span))).body).toEqual({
      partialSuccess: {
        rejectedSpans: 4,
        errorMessage: 'Invalid spanId length; Invalid traceId length; Missing span name',
      },
    });
  });

  it('leaves a success even when there is no other', async () => {
    expect((await send(me, [span({ spanId: 'x' }), span({ spanId: 'y' })])).body).toMatchObject({
      partialSuccess: { rejectedSpans: 2 },
    });
  });

  it('is none because of an odd parent, end, kind or attribute', async () => {
    const sent = span({
      parentSpanId: 'odd',
      endTimeUnixNano: '0',
      kind: 'NONE',
      status: null,
      attributes: [{ key: 'a' }, 5, text('b', 'kept')],
    });
    expect((await send(me, [sent])).body).toEqual(FULL_SUCCESS);
    expect(await readSpans(me, sent.traceId)).toMatchObject([
      { parent_id: null, end_time: null, attributes: { b: 'kept' } },
    ]);
  });
});

describe('text that the database cannot store', () => {
  it('is replaced in every field, flagged, and nothing else is lost', async () => {
    const bad = 'a\u0000b\uD800c';
    const sent = llmSpan(
      { input: bad, more: { [bad]: bad } },
      {
        name: bad,
        traceState: bad,
        status: { code: 2, message: bad },
        events: [{ name: bad, attributes: [text(bad, bad)] }],
      },
    );
    expect((await send(me, [sent])).body).toEqual(FULL_SUCCESS);
    const [read] = await readSpans(me, sent.traceId);
    expect(read).toMatchObject({
      name: 'a\uFFFDb\uFFFDc',
      sanitized: true,
      attributes: { 'a\uFFFDb\uFFFDc': 'a\uFFFDb\uFFFDc' },
    });
    expect(await me.get(`/api/public/v2/requests/${read!.request_log_id}`)).toMatchObject({ sanitized: true });
  });

  it('is not flagged where there was none', async () => {
    const sent = llmSpan({ input: 'déjà vu 🎉 \uFFFD' });
    await send(me, [sent]);
    expect(await readSpans(me, sent.traceId)).toMatchObject([{ sanitized: false }]);
  });

  it('does not cost the batch anything when attributes nest 100 deep', async () => {
    let value: object = { stringValue: 'bottom' };
    for (let depth = 0; depth < 100; depth++) value = { arrayValue: { values: [value] } };
    const [deep, good] = [span({ attributes: [{ key: 'deep', value }] }), span()];
    expect((await send(me, [deep, good])).status).toBe(200);
    for (const sent of [deep, good]) expect(await readSpans(me, sent.traceId)).toHaveLength(1);
  });
});

describe('ids', () => {
  it('are stored in lower case and found in any, also when they come as base64', async () => {
    const [trace, id] = [traceId(), spanId()];
    const base64 = (hex: string) => Buffer.from(hex, 'hex').toString('base64');
    await send(me, [span({ traceId: trace.toUpperCase(), spanId: id.toUpperCase() })]);
    const [parent, linked] = [spanId(), { traceId: traceId(), spanId: spanId() }];
    const links = [{ traceId: base64(linked.traceId), spanId: base64(linked.spanId) }];
    await send(me, [span({ traceId: base64(trace), spanId: base64(id), parentSpanId: base64(parent), links })]);
    expect(await readSpans(me, trace.toUpperCase())).toMatchObject([
      { span_id: id, parent_id: parent, links: [{ context: { trace_id: linked.traceId, span_id: linked.spanId } }] },
    ]);
  });
});
