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
  it('equals the span in the whole trace', async () => {
    const trace = traceId();
    const sent = [llmSpan({}, { traceId: trace }), span({ traceId: trace }), span({ traceId: trace, name: 'other' })];
    await send(app.client, sent);
    const { spans } = (await app.client.get(`${TRACES}/${trace}`)) as { spans: { span_id: string }[] };
    expect(spans).toHaveLength(3);
    for (const whole of spans) {
      const { span: alone } = (await app.client.get(urlOf(trace, whole.span_id))) as { span: object };
      const { input, output, documents, first_token_ms, ...rest } = alone as Record<string, unknown>;
      expect(rest).toEqual(whole);
      expect({ documents, first_token_ms }).toEqual({ documents: null, first_token_ms: null });
      expect([input, output].every((value) => value !== undefined)).toBe(true);
    }
  });

  it.each([
    [
      'arguments and result of a tool',
      { 'openinference.span.kind': 'TOOL', 'input.value': '{"order":10023}', 'output.value': '{"status":"delivered"}' },
      { input: { order: 10023 }, output: { status: 'delivered' }, documents: null },
    ],
    [
      'words',
      { 'openinference.span.kind': 'TOOL', 'input.value': 'kettle', 'output.value': '42' },
      { input: 'kettle', output: '42' },
    ],
    [
      'numbered documents of a retrieval, with their scores',
      {
        'openinference.span.kind': 'RETRIEVER',
        'input.value': 'returns',
        'retrieval.documents.0.document.id': 'R-2',
        'retrieval.documents.0.document.content': 'Returns of damaged goods',
        'retrieval.documents.0.document.score': 0.91,
        'retrieval.documents.0.document.metadata': '{"page":3}',
        'retrieval.documents.1.document.content': 'Delivery times',
      },
      {
        input: 'returns',
        documents: [
          { id: 'R-2', content: 'Returns of damaged goods', score: 0.91, metadata: { page: 3 } },
          { id: null, content: 'Delivery times', score: null, metadata: {} },
        ],
      },
    ],
    [
      'documents as JSON',
      { 'gen_ai.operation.name': 'retrieval', 'gen_ai.retrieval.documents': '[{"id":7,"score":0.5},{"odd":1},3]' },
      { documents: [{ id: '7', content: null, score: 0.5, metadata: {} }] },
    ],
    [
      'documents in the output of a retrieval',
      {
        'openinference.span.kind': 'RETRIEVER',
        'output.value': '{"documents":[{"page_content":"Kettles","metadata":{"source":"a.md"}}]}',
      },
      { documents: [{ id: null, content: 'Kettles', score: null, metadata: { source: 'a.md' } }] },
    ],
    [
      'no documents in the output of a tool',
      { 'openinference.span.kind': 'TOOL', 'output.value': '[{"text":"Kettles"}]' },
      { output: [{ text: 'Kettles' }], documents: null },
    ],
    [
      'the time of the first token in seconds',
      { 'gen_ai.response.time_to_first_chunk': 0.41 },
      { first_token_ms: 410 },
    ],
    ['the same in milliseconds', { 'ai.response.msToFirstChunk': 410.5 }, { first_token_ms: 410.5 }],
    ['no time before the start', { 'ai.response.msToFirstChunk': -3 }, { first_token_ms: null }],
  ])('says %s', async (_, values, expected) => {
    const [trace, id] = [traceId(), spanId()];
    const attributes = Object.entries(values).map(([key, value]) => ({
      key,
      value: typeof value === 'number' ? { doubleValue: value } : { stringValue: value },
    }));
    await send(app.client, [span({ traceId: trace, spanId: id, attributes })]);
    expect(await app.client.get(urlOf(trace, id))).toMatchObject({ span: expected });
  });

  it('says the time of the first token by its event', async () => {
    const [trace, id] = [traceId(), spanId()];
    const start = 1_790_000_000_000_000_000n;
    const events = [{ name: 'First Token Stream Event', timeUnixNano: String(start + 250_000_000n), attributes: [] }];
    const times = { startTimeUnixNano: String(start), endTimeUnixNano: String(start + 900_000_000n) };
    await send(app.client, [span({ traceId: trace, spanId: id, events, ...times })]);
    expect(await app.client.get(urlOf(trace, id))).toMatchObject({ span: { first_token_ms: 250 } });
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
