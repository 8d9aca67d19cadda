import { DataSource } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestRequest, type TestSpan, toJson, toProtobuf } from '../../src/traces/otlp/proto-writer.fixture.js';
import { eraseFromReceipts } from '../../src/traces/receipts/erase-receipts.queries.js';
import { bulkSpan, sendBulk } from '../support/bulk.js';
import type { Answer, Client } from '../support/client.js';
import { RefusalCounts } from '../../src/traces/index.js';
import { between } from '../support/locks.js';
import { readSpans, send, span, traceId } from '../support/otlp.js';
import { TestApp } from '../support/test-app.js';

let app: TestApp;
let me: Client;
beforeAll(async () => {
  app = await TestApp.own({ works: false });
  me = app.client;
});
afterAll(() => app.stop());

interface Receipt {
  counts: Record<string, number>;
  spans: { trace_id: string | null; span_id: string | null; status: string; reason: string | null }[];
}

async function receiptOf({ headers }: Answer): Promise<Receipt> {
  return (await me.get(`/api/public/v2/ingest/receipts/${String(headers['x-ingest-receipt'])}`)) as unknown as Receipt;
}
const nothing = { traceState: '', statusMessage: '', parentId: '', attributes: [], events: [], links: [] };
const testSpan = (fields: Pick<TestSpan, 'traceId' | 'spanId'> & Partial<TestSpan>): TestSpan => {
  const startNs = BigInt(Date.now()) * 1_000_000n;
  return { ...nothing, name: 'step', kind: 1, statusCode: 0, startNs, endNs: startNs + 5n, ...fields };
};
const requestOf = (spans: TestSpan[]): TestRequest => ({
  resource: [],
  schemaUrl: '',
  scope: { name: '', version: '', attributes: [] },
  spans,
});

const statusesOf = async (answer: Answer) => (await receiptOf(answer)).spans.map(({ status }) => status);

describe('the receipt of a request', () => {
  it('says of every span whether it was stored, merged, a duplicate or rejected, and why', async () => {
    const [kept, changed] = [span(), span()];
    expect(await statusesOf(await send(me, [kept, changed]))).toEqual(['stored', 'stored']);
    const closed = traceId();
    await send(me, [span({ traceId: closed })], '?close_after=true');
    const late = span({ traceId: closed });
    const answer = await send(me, [kept, { ...changed, name: 'renamed' }, span(), late, span({ spanId: 'short' })]);
    expect(answer.status).toBe(409);
    const receipt = await receiptOf(answer);
    expect(receipt.counts).toEqual({ stored: 1, merged: 1, duplicate: 1, rejected: 2 });
    expect(receipt.spans.map(({ status, reason }) => [status, reason])).toEqual([
      ['duplicate', null],
      ['merged', null],
      ['stored', null],
      ['rejected', 'trace_closed'],
      ['rejected', 'Invalid spanId length'],
    ]);
    expect(receipt.spans[3]).toMatchObject({ trace_id: closed, span_id: late.spanId });
    expect(receipt.spans[4]).toMatchObject({ trace_id: expect.stringMatching(/^[0-9a-f]{32}$/), span_id: null });
  });

  it('exists for bulk requests and for requests of which nothing was stored', async () => {
    const sent = bulkSpan();
    expect(await statusesOf(await sendBulk(me, [sent]))).toEqual(['stored']);
    expect(await statusesOf(await sendBulk(me, [sent]))).toEqual(['duplicate']);
    expect(await statusesOf(await sendBulk(me, [bulkSpan(), { ...sent, name: 'renamed' }]))).toEqual([
      'stored',
      'merged',
    ]);
    expect(await statusesOf(await send(me, [span({ name: 7 })]))).toEqual(['rejected']);
    expect(await statusesOf(await send(me, []))).toEqual([]);
  });

  it('reports a span that the database rejects, and stores its neighbours', async () => {
    const refused = span({ name: 'refused by the database' });
    await app.sql(`ALTER TABLE spans ADD CONSTRAINT refuse_test CHECK (name <> 'refused by the database')`);
    try {
      const [first, second, last] = [span(), span(), span()];
      const answer = await send(me, [first, span({ name: 7 }), second, refused, first, span({ spanId: '' }), last]);
      expect(answer).toMatchObject({ status: 200, body: { partialSuccess: { rejectedSpans: 3 } } });
      const { counts, spans } = await receiptOf(answer);
      expect(counts).toEqual({ stored: 3, rejected: 3, duplicate: 1, merged: 0 });
      expect(spans.map(({ status, span_id: id }) => [status, id])).toEqual([
        ['stored', first.spanId],
        ['rejected', expect.any(String)],
        ['stored', second.spanId],
        ['rejected', refused.spanId],
        ['duplicate', first.spanId],
        ['rejected', null],
        ['stored', last.spanId],
      ]);
      expect(spans[3]).toMatchObject({ trace_id: refused.traceId, reason: expect.stringContaining('refuse_test') });
    } finally {
      await app.sql('ALTER TABLE spans DROP CONSTRAINT refuse_test');
    }
  });

  it.each([
    ['application/json', toJson],
    ['application/x-protobuf', toProtobuf],
  ] as const)(
    'has every span of a request in its order, also defective and repeated ones: %s',
    async (type, encode) => {
      const [trace, other] = [traceId(), traceId()];
      const [a, b, c] = ['a', 'b', 'c'].map((letter) => letter.repeat(16));
      const kept = [
        testSpan({ traceId: trace, spanId: a }),
        testSpan({ traceId: trace, spanId: b }),
        testSpan({ traceId: other, spanId: c }),
      ];
      const noStart = testSpan({ traceId: trace, spanId: 'd'.repeat(16), startNs: 0n });
      const zeros = testSpan({ traceId: '0'.repeat(32), spanId: 'e'.repeat(16) });
      const sent = [noStart, kept[0]!, { ...kept[0]!, name: 'again' }, kept[1]!, zeros, kept[0]!, kept[2]!, kept[2]!];
      const answer = await me.with({ 'content-type': type }).request('POST', '/v1/traces', encode(requestOf(sent)));
      expect(answer.status).toBe(200);
      const { counts, spans } = await receiptOf(answer);
      expect(spans.map(({ trace_id: id, span_id: span, status, reason }) => [id, span, status, reason])).toEqual([
        [trace, noStart.spanId, 'rejected', 'Invalid startTimeUnixNano'],
        [trace, a, 'stored', null],
        [trace, a, 'duplicate', null],
        [trace, b, 'stored', null],
        [null, zeros.spanId, 'rejected', 'Invalid traceId: all zeros'],
        [trace, a, 'duplicate', null],
        [other, c, 'stored', null],
        [other, c, 'duplicate', null],
      ]);
      expect(counts).toEqual({ stored: 3, merged: 0, duplicate: 3, rejected: 2 });
    },
  );

  it('has the repeated spans of a bulk request, and says that they are refused where the first one is', async () => {
    const [sent, late] = [bulkSpan(), bulkSpan()];
    await sendBulk(me, [bulkSpan({}, { trace_id: late.context.trace_id })], true);
    const answer = await sendBulk(me, [sent, { ...sent, name: 'again' }, late, late, sent]);
    expect((await receiptOf(answer)).spans.map(({ span_id, status, reason }) => [span_id, status, reason])).toEqual([
      [sent.context.span_id, 'stored', null],
      [sent.context.span_id, 'duplicate', null],
      [late.context.span_id, 'rejected', 'trace_closed'],
      [late.context.span_id, 'rejected', 'trace_closed'],
      [sent.context.span_id, 'duplicate', null],
    ]);
  });

  it('counts the spans of a request that holds more defective ones than it lists', async () => {
    const body = JSON.stringify({
      resourceSpans: [{ scopeSpans: [{ spans: [...Array<null>(30_000).fill(null), span()] }] }],
    });
    const answer = await me.with({ 'content-type': 'application/json' }).request('POST', '/v1/traces', body);
    expect(answer).toMatchObject({ status: 200, body: { partialSuccess: { rejectedSpans: 30_000 } } });
    const { counts, spans } = await receiptOf(answer);
    expect(counts).toEqual({ stored: 1, merged: 0, duplicate: 0, rejected: 30_000 });
    expect(spans).toHaveLength(10_001);
  });

  it('is found by its own workspace only', async () => {
    const { headers } = await send(me, [span()]);
    const stranger = await app.stranger();
    await stranger.get(`/api/public/v2/ingest/receipts/${String(headers['x-ingest-receipt'])}`, 404);
    await me.get('/api/public/v2/ingest/receipts/7', 422);
  });

  it('is as true as the spans: many requests at once, each with one receipt', async () => {
    const spans = Array.from({ length: 40 }, () => span());
    const answers = await Promise.all(spans.map((each) => send(me, [each, spans[0]])));
    const receipts = await Promise.all(answers.map(receiptOf));
    const entries = receipts.flatMap((receipt) => receipt.spans);
    const stored = entries.filter(({ status }) => status === 'stored').map(({ span_id }) => span_id);
    expect(new Set(stored)).toEqual(new Set(spans.map(({ spanId }) => spanId)));
    expect(stored).toHaveLength(spans.length);
    expect(await readSpans(me, spans[0]!.traceId)).toHaveLength(1);
  });

  it('keeps what the next part of the request adds while a trace is erased from it', async () => {
    const id = traceId();
    const kept = span();
    const answer = await send(me, [span({ traceId: id }), kept]);
    const receipt = String(answer.headers['x-ingest-receipt']);
    const asked = { traceIds: new Set([id]), after: '', isDryRun: false };
    await between(
      app,
      (tx) => tx.query('UPDATE ingest_receipts SET outcomes = outcomes || outcomes WHERE id = $1', [receipt]),
      () => app.app.get(DataSource).transaction((tx) => eraseFromReceipts(tx, 1, asked)),
      () => Promise.resolve(),
    );
    expect((await receiptOf(answer)).spans.map(({ span_id }) => span_id)).toEqual([kept.spanId, kept.spanId]);
  });
});

describe('what was refused', () => {
  const URL = '/api/public/v2/ingest/refusals';
  const counts = () => app.app.get(RefusalCounts);

  /** `3 × span: why`. */
  async function refused(client: Client, query = ''): Promise<string[]> {
    await counts().write();
    const { data } = (await client.get(`${URL}${query}`)) as {
      data: { what: string; reason: string; count: number }[];
    };
    return data.map(({ what, reason, count }) => `${count} × ${what}: ${reason}`);
  }
  const sendUnreadable = (client: Client) =>
    client.with({ 'content-type': 'application/json' }).request('POST', '/v1/traces', '{"secret');

  it('is counted by reason, spans apart from requests, without their contents', async () => {
    const client = await app.stranger();
    expect(await refused(client)).toEqual([]);
    const closed = traceId();
    await send(client, [span({ traceId: closed })], '?close_after=true');
    await send(
      client,
      [1, 2, 3].map(() => span({ traceId: closed })),
    );
    await send(client, [span({ spanId: 'short' }), span({ name: 7 }), span()]);
    for (const status of [400, 400]) expect((await sendUnreadable(client)).status).toBe(status);
    expect(await refused(client)).toEqual([
      '3 × span: trace_closed',
      '2 × request: otlp_unreadable',
      '1 × span: Invalid spanId length',
      '1 × span: Missing span name',
    ]);
    await Promise.all(Array.from({ length: 50 }, () => sendUnreadable(client)));
    expect((await refused(client))[0]).toBe('52 × request: otlp_unreadable');
    const { workspace } = (await client.get('/api/public/v2/me')) as { workspace: { id: number } };
    const rows = `SELECT FROM ingest_refusals WHERE workspace_id = $1 AND reason = 'otlp_unreadable'`;
    expect(await app.sql(rows, [workspace.id])).toHaveLength(1);
    expect(await refused(await app.stranger())).toEqual([]);
  });

  it('includes data that the database rejects, without its error text', async () => {
    const client = await app.stranger();
    await app.sql(`ALTER TABLE spans ADD CONSTRAINT refuse_test CHECK (name <> 'refused by the database')`);
    try {
      await send(client, [span({ name: 'refused by the database' }), span()]);
      await sendBulk(client, [bulkSpan({ name: 'refused by the database' }), bulkSpan()]);
    } finally {
      await app.sql('ALTER TABLE spans DROP CONSTRAINT refuse_test');
    }
    expect(await refused(client)).toEqual(['1 × request: spans_refused', '1 × span: span_not_storable']);
  });

  it('is not counted for unknown keys, nor for empty requests', async () => {
    const client = await app.stranger();
    await sendUnreadable(app.clientWith('pl_nobody'));
    await client.get('/api/public/v2/traces/unknown', 404);
    expect(await refused(client)).toEqual([]);
  });

  it('is counted for the requested hours', async () => {
    const client = await app.stranger();
    await sendUnreadable(client);
    await counts().write();
    await app.sql(
      `INSERT INTO ingest_refusals SELECT workspace_id, hour - interval '30 hours', what, reason, 6, last_at
         FROM ingest_refusals ORDER BY workspace_id DESC LIMIT 1`,
    );
    expect(await refused(client)).toEqual(['1 × request: otlp_unreadable']);
    expect(await refused(client, '?hours=31')).toEqual(['7 × request: otlp_unreadable']);
    for (const hours of ['0', '721', '1.5', 'x', '9007199254740993']) await client.get(`${URL}?hours=${hours}`, 422);
  });

  it('is written later where it cannot be written now', async () => {
    const client = await app.stranger();
    await sendUnreadable(client);
    await app.sql('ALTER TABLE ingest_refusals RENAME TO away');
    try {
      await counts().write();
    } finally {
      await app.sql('ALTER TABLE away RENAME TO ingest_refusals');
    }
    await sendUnreadable(client);
    expect(await refused(client)).toEqual(['2 × request: otlp_unreadable']);
  });
});
