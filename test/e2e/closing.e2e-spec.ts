import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { readSpans, send, span, spanId, traceId } from '../support/otlp.js';
import { TestApp } from '../support/test-app.js';

let app: TestApp;
let me: Client;
beforeAll(async () => {
  app = await TestApp.own({ works: false });
  me = app.client;
});
afterAll(() => app.stop());

const closeUrl = (id: string) => `/api/public/v2/traces/${id}/close`;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

async function newTrace(client = me): Promise<string> {
  const id = traceId();
  await send(client, [span({ traceId: id })]);
  return id;
}

describe('closing a trace', () => {
  it('says so once, and makes the trace refuse spans from then on', async () => {
    const id = await newTrace();
    const { closure } = (await me.post(closeUrl(id), undefined, 201)) as { closure: Record<string, string> };
    expect(closure).toMatchObject({ workspace_id: 1, trace_id: id, status: 'closed' });
    expect(closure.id).toMatch(UUID);
    expect(Date.parse(closure.created_at!)).toBeGreaterThan(Date.now() - 60_000);
    expect(await send(me, [span({ traceId: id })])).toMatchObject({ status: 409, body: { trace_ids: [id] } });
    expect(await readSpans(me, id)).toHaveLength(1);
  });

  it('succeeds only once, also when a request with spans closed it', async () => {
    const refusal = { success: false, message: 'Trace already closed', error: 'Trace already closed' };
    const [first, second] = [await newTrace(), traceId()];
    await me.post(closeUrl(first), undefined, 201);
    expect(await me.post(closeUrl(first), undefined, 409)).toEqual(refusal);
    await send(me, [span({ traceId: second })], '?close_after=true');
    expect(await me.post(closeUrl(second), undefined, 409)).toEqual(refusal);
  });

  it('needs a trace with a span in the workspace; ids are found in any letter case', async () => {
    await me.post(closeUrl(traceId()), undefined, 404);
    const id = await newTrace();
    const stranger = await app.stranger();
    await stranger.post(closeUrl(id), undefined, 404);
    await me.post(closeUrl(id.toUpperCase()), undefined, 201);
  });

  it('is done by exactly one of several at once', async () => {
    const id = await newTrace();
    const answers = await Promise.all(Array.from({ length: 8 }, () => me.request('POST', closeUrl(id))));
    expect(answers.map(({ status }) => status).sort((a, b) => a - b)).toEqual([201, ...Array<number>(7).fill(409)]);
  });

  it('while spans are written leaves each either stored or refused', async () => {
    const id = await newTrace();
    const ids = Array.from({ length: 20 }, spanId);
    const writes = ids.map((key) => send(me, [span({ traceId: id, spanId: key })]));
    const closing = me.request('POST', closeUrl(id));
    const answers = await Promise.all(writes);
    expect((await closing).status).toBe(201);
    const stored = new Set((await readSpans(me, id)).map((each) => each.span_id));
    const accepted = ids.filter((_, at) => answers[at]!.status === 200);
    expect(ids.filter((key) => stored.has(key))).toEqual(accepted);
  });
});
