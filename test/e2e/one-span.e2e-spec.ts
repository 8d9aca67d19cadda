import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { llmSpan, send, span, spanId, traceId } from '../support/otlp.js';
import { TestApp } from '../support/test-app.js';

let app: TestApp;
beforeAll(async () => {
  app = await TestApp.start({ works: false });
});
afterAll(() => app.stop());

const TRACES = '/api/public/v2/traces';
const urlOf = (trace: string, id: string) => `${TRACES}/${encodeURIComponent(trace)}/spans/${encodeURIComponent(id)}`;

describe('one span', () => {
  it('is what the whole trace says about it', async () => {
    const trace = traceId();
    const sent = [llmSpan({}, { traceId: trace }), span({ traceId: trace }), span({ traceId: trace, name: 'other' })];
    await send(app.client, sent);
    const { spans } = (await app.client.get(`${TRACES}/${trace}`)) as { spans: { span_id: string }[] };
    expect(spans).toHaveLength(3);
    for (const whole of spans) {
      expect(await app.client.get(urlOf(trace, whole.span_id))).toEqual({ success: true, span: whole });
    }
  });

  it('is found by its ids in capital letters, too', async () => {
    const [trace, id] = [traceId(), spanId()];
    await send(app.client, [span({ traceId: trace, spanId: id })]);
    expect(await app.client.get(urlOf(trace.toUpperCase(), id.toUpperCase()))).toMatchObject({ span: { span_id: id } });
  });

  it('keeps long integers and long texts as they are', async () => {
    const [trace, id] = [traceId(), spanId()];
    const text = '😀'.repeat(400_000);
    const attributes = [
      { key: 'number', value: { intValue: '9007199254740993' } },
      { key: 'text', value: { stringValue: text } },
    ];
    await send(app.client, [span({ traceId: trace, spanId: id, attributes })]);
    const { bytes } = await app.client.request('GET', urlOf(trace, id));
    expect(bytes.toString()).toMatch(/"number":\s?"9007199254740993"/);
    expect(bytes.toString()).toContain(text);
  });

  it('says which of the two is not there', async () => {
    const trace = traceId();
    await send(app.client, [span({ traceId: trace })]);
    expect(await app.client.get(urlOf(trace, spanId()), 404)).toMatchObject({ error: 'span_not_found' });
    expect(await app.client.get(urlOf(traceId(), spanId()), 404)).toMatchObject({ error: 'trace_not_found' });
    for (const odd of ['\0', 'x'.repeat(1000), "'; --", '…']) await app.client.get(urlOf(trace, odd), 404);
    await app.client.get(urlOf(trace, 'x'.repeat(1025)), 422);
  });

  it('is not there for another workspace, nor below another trace', async () => {
    const [trace, other, id] = [traceId(), traceId(), spanId()];
    await send(app.client, [span({ traceId: trace, spanId: id }), span({ traceId: other })]);
    const stranger = await app.stranger();
    await stranger.get(urlOf(trace, id), 404);
    await send(stranger, [span({ traceId: trace })]);
    expect(await stranger.get(urlOf(trace, id), 404)).toMatchObject({ error: 'span_not_found' });
    await app.client.get(urlOf(other, id), 404);
  });
});
