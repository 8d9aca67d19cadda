import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loggedCall } from '../support/bulk.js';
import type { Client } from '../support/client.js';
import { llmSpan, send, span, text, traceId } from '../support/otlp.js';
import { TestApp } from '../support/test-app.js';

const ANALYTICS = '/api/public/v2/requests/analytics';

let app: TestApp;
beforeAll(async () => {
  app = await TestApp.start({ works: false });
});
afterAll(() => app.stop());

interface Charts {
  cacheTokenRatio: number | null;
  stats: { requests: number; traceShare: number; statusCounts: Record<string, number> }[];
  metadataValueBreakdown: { key: string; value: string; label: string; requests: number; cost: number }[];
  toolsLatency: { toolName: string; requests: number; avgLatencySeconds: number | null }[];
}
const read = async (client: Client, body: object = {}) => (await client.post(ANALYTICS, body)) as Charts;

const START = 1_780_000_000;
const TIMES = { request_start_time: START, request_end_time: START + 1 };
const log = (client: Client, fields: object = {}) =>
  client.post('/log-request', { ...loggedCall(), ...TIMES, ...fields }, 201);

describe('the charts over request logs', () => {
  it('count which calls belong to a trace, and how each ended', async () => {
    const me = await app.stranger();
    await send(me, [llmSpan({ inputTokens: 0, outputTokens: 0 })]);
    await log(me, { input_tokens: 0, status: 'WARNING', error_type: 'VARIABLE_MISSING_OR_EMPTY' });
    await log(me, { input_tokens: 0, status: 'WARNING' });
    await log(me, { input_tokens: 0, status: 'ERROR', error_type: 'PROVIDER_ERROR' });
    const { stats, cacheTokenRatio } = await read(me);
    expect(stats).toMatchObject([
      { requests: 4, traceShare: 0.25, statusCounts: { SUCCESS: 1, WARNING: 2, ERROR: 1 } },
    ]);
    // Without input there is nothing that the cached part could be a part of.
    expect(cacheTokenRatio).toBeNull();
    await log(me, { input_tokens: 10 });
    expect((await read(me)).cacheTokenRatio).toBe(0);
  });

  it('break costs down by the 50 most expensive values of metadata', async () => {
    const me = await app.stranger();
    for (let index = 1; index <= 53; index++) {
      await log(me, { metadata: { user: `u${index}`, team: 'one' }, price: index });
    }
    const users = (count: number) =>
      Array.from({ length: count }, (_, index) => ({ key: 'user', value: `u${53 - index}`, cost: 53 - index }));
    const all = (await read(me)).metadataValueBreakdown;
    expect(all).toMatchObject([
      { key: 'team', value: 'one', label: 'team = one', requests: 53, cost: 1431 },
      ...users(49),
    ]);
    expect(all).toHaveLength(50);
    const chosen = (await read(me, { metadata_cost_breakdown_key: 'user' })).metadataValueBreakdown;
    expect(chosen).toMatchObject(users(50));
    expect(chosen[0]).toMatchObject({ label: 'u53', requests: 1 });
  });
});

describe('how long a tool took', () => {
  /** Attributes in which frameworks name the tool of a span. */
  const NAMED: [string, Record<string, string>][] = [
    ['gen_ai.tool.name', { 'gen_ai.tool.name': 'pay' }],
    ['tool.name', { 'tool.name': 'pay' }],
    ['tool_name', { tool_name: 'pay' }],
    ['ai.toolCall.name', { 'ai.toolCall.name': 'pay' }],
    ['traceloop.entity.name of a tool', { 'traceloop.entity.name': 'pay', 'traceloop.span.kind': 'tool' }],
  ];

  async function tracesWith(attributes: Record<string, string>, name = 'step'): Promise<Client> {
    const me = await app.stranger();
    const id = traceId();
    const call = { type: 'tool_call', id: 'c', name: 'pay', arguments: {} };
    const asked = llmSpan(
      { more: { 'gen_ai.output.messages': JSON.stringify([{ role: 'assistant', parts: [call] }]) } },
      { traceId: id },
    );
    const ran = span({
      traceId: id,
      name,
      parentSpanId: asked.spanId,
      startTimeUnixNano: `${START}000000000`,
      endTimeUnixNano: `${START + 3}000000000`,
      attributes: Object.entries(attributes).map(([key, value]) => text(key, value)),
    });
    await send(me, [asked, ran]);
    return me;
  }

  const toolOf = async (client: Client) => {
    const filter = { field: 'span_tool_name', operator: 'is', value: 'pay' };
    return client.post('/api/public/v2/traces/search', { filter_group: { filters: [filter] } });
  };

  it.each(NAMED)('is measured by spans with %s, which trace search finds as well', async (_, attributes) => {
    const me = await tracesWith(attributes);
    expect((await read(me)).toolsLatency).toEqual([
      { toolName: 'pay', requests: 1, avgLatencySeconds: 3, minLatencySeconds: 3, maxLatencySeconds: 3 },
    ]);
    expect(await toolOf(me)).toMatchObject({ total: 1 });
  });

  it('is measured by spans that are named after their tool', async () => {
    const me = await tracesWith({}, 'Tool: pay');
    expect((await read(me)).toolsLatency).toMatchObject([{ toolName: 'pay', avgLatencySeconds: 3 }]);
    expect(await toolOf(me)).toMatchObject({ total: 1 });
  });

  it('is not measured by entities that are no tools', async () => {
    const me = await tracesWith({ 'traceloop.entity.name': 'pay', 'traceloop.span.kind': 'task' });
    expect((await read(me)).toolsLatency).toMatchObject([{ toolName: 'pay', avgLatencySeconds: null }]);
    expect(await toolOf(me)).toMatchObject({ total: 0 });
  });
});
