import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bulkSpan, sendBulk } from '../support/bulk.js';
import type { Client } from '../support/client.js';
import { type JsonSpan, llmSpan, readSpans, send, span, traceId as newTraceId } from '../support/otlp.js';
import { TestApp } from '../support/test-app.js';

let app: TestApp;
let me: Client;
beforeAll(async () => {
  app = await TestApp.start({ works: false });
  me = app.client;
});
afterAll(() => app.stop());

const EMBEDDING = {
  'gen_ai.operation.name': 'embeddings',
  'gen_ai.provider.name': 'openai',
  'gen_ai.request.model': 'text-embedding-3-small',
  'gen_ai.usage.input_tokens': 500_000,
};

/** Sends an embedding, and gives it back as it was stored. */
async function deliver(more: Record<string, unknown> = {}, fields: JsonSpan = {}) {
  const sent = span({ name: 'embeddings', attributes: { ...EMBEDDING, ...more }, ...fields });
  await send(me, [sent]);
  const stored = (await readSpans(me, sent.traceId)).find(({ span_id }) => span_id === sent.spanId);
  return stored!;
}

async function search(filters: unknown[]): Promise<unknown[]> {
  const found = await me.post('/api/public/v2/traces/search', { filter_group: { filters } });
  return (found as { items: unknown[] }).items;
}

describe('an embedding', () => {
  it('is priced without a request log, and found by its price', async () => {
    const traceId = newTraceId();
    expect(await deliver({}, { traceId })).toMatchObject({
      request_log_id: null,
      span_type: 'EMBEDDING',
      model: 'text-embedding-3-small',
      input_tokens: 500_000,
      cost: 0.01,
    });
    const filters = [
      { field: 'trace_id', operator: 'is', value: traceId },
      { field: 'span_cost_usd', operator: 'eq', value: 0.01 },
    ];
    expect(await search(filters)).toMatchObject([{ trace_id: traceId }]);
  });

  it('adds nothing to the totals of its trace, which are those of logged calls', async () => {
    const traceId = newTraceId();
    await send(me, [llmSpan({ inputTokens: 1_000_000, outputTokens: 0 }, { traceId })]);
    await deliver({}, { traceId });
    const filters = [{ field: 'trace_id', operator: 'is', value: traceId }];
    expect(await search(filters)).toMatchObject([{ span_count: 2, total_cost_usd: 0.15, input_tokens: 1_000_000 }]);
  });

  it('costs what its source says', async () => {
    expect(await deliver({ 'gen_ai.usage.cost': 0.25 })).toMatchObject({ request_log_id: null, cost: 0.25 });
  });

  it('has an unknown cost when its model has no price', async () => {
    const stored = await deliver({ 'gen_ai.request.model': 'our-vectors' });
    expect(stored).toMatchObject({ request_log_id: null, model: 'our-vectors', cost: null });
  });

  it('is priced at its end', async () => {
    const fields = { traceId: newTraceId(), spanId: 'e'.repeat(16) };
    expect(await deliver({}, { ...fields, endTimeUnixNano: '0' })).toMatchObject({ cost: null });
    expect(await deliver({}, fields)).toMatchObject({ cost: 0.01 });
  });

  it('is priced in a bulk of spans too', async () => {
    const sent = bulkSpan({ attributes: EMBEDDING });
    await sendBulk(me, [sent]);
    expect(await readSpans(me, sent.context.trace_id)).toMatchObject([{ request_log_id: null, cost: 0.01 }]);
  });
});
