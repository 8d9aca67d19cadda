import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bulkSpan, sendBulk } from '../support/bulk.js';
import type { Answer, Client } from '../support/client.js';
import { readSpans, send, span, traceId } from '../support/otlp.js';
import { TestApp } from '../support/test-app.js';

let app: TestApp;
let me: Client;
beforeAll(async () => {
  app = await TestApp.start({ works: false });
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
    expect(receipt.spans[4]).toMatchObject({ trace_id: null, span_id: null });
  });

  it('exists for bulk requests and for requests of which nothing was stored', async () => {
    const sent = bulkSpan();
    expect(await statusesOf(await sendBulk(me, [sent]))).toEqual(['stored']);
    expect(await statusesOf(await sendBulk(me, [sent]))).toEqual(['duplicate']);
    expect(await statusesOf(await send(me, [span({ name: 7 })]))).toEqual(['rejected']);
    expect(await statusesOf(await send(me, []))).toEqual([]);
  });

  it('tells about a span that the database refused, apart from its neighbours', async () => {
    const refused = span({ name: 'refused by the database' });
    await app.sql(`ALTER TABLE spans ADD CONSTRAINT refuse_test CHECK (name <> 'refused by the database')`);
    try {
      const answer = await send(me, [span(), span(), refused, span()]);
      expect(answer).toMatchObject({ status: 200, body: { partialSuccess: { rejectedSpans: 1 } } });
      const { counts, spans } = await receiptOf(answer);
      expect(counts).toMatchObject({ stored: 3, rejected: 1 });
      expect(spans.find(({ status }) => status === 'rejected')?.reason).toContain('refuse_test');
    } finally {
      await app.sql('ALTER TABLE spans DROP CONSTRAINT refuse_test');
    }
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
});
