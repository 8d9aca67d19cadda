import { describe, expect, it } from 'vitest';
import { demoTraces } from '../../src/embedded/demo-traces.js';

interface Span {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: { key: string; value: { stringValue?: string } }[];
  status: { code?: number };
}

const NOW = Date.UTC(2026, 0, 1, 12);

function spans(): Span[] {
  const [{ scopeSpans }] = demoTraces(NOW).resourceSpans as { scopeSpans: { spans: Span[] }[] }[];
  return scopeSpans[0].spans;
}

const attribute = (span: Span, key: string) => span.attributes.find((entry) => entry.key === key)?.value.stringValue;
const ns = (ms: number) => BigInt(ms) * 1_000_000n;

describe('the example traces', () => {
  it('are twelve trees within the last hour, every child inside its parent', () => {
    const all = spans();
    const byId = new Map(all.map((span) => [span.spanId, span]));
    expect(byId.size).toBe(all.length);
    expect(all.filter((span) => !span.parentSpanId)).toHaveLength(12);
    for (const span of all) {
      const parent = span.parentSpanId ? byId.get(span.parentSpanId) : undefined;
      const start = parent ? BigInt(parent.startTimeUnixNano) : ns(NOW - 3_600_000);
      const end = parent ? BigInt(parent.endTimeUnixNano) : ns(NOW);
      expect(BigInt(span.startTimeUnixNano)).toBeGreaterThanOrEqual(start);
      expect(BigInt(span.endTimeUnixNano)).toBeLessThanOrEqual(end);
      if (parent) expect(parent.traceId).toBe(span.traceId);
    }
  });

  it('hold calls of models with messages in parts, exactly one of them failed', () => {
    const calls = spans().filter((span) => attribute(span, 'gen_ai.operation.name') === 'chat');
    expect(calls).toHaveLength(13);
    expect(calls.filter((span) => span.status.code === 2)).toHaveLength(1);
    expect(new Set(calls.map((span) => attribute(span, 'promptlayer.prompt.name')))).toEqual(
      new Set(['support-answer']),
    );
    for (const call of calls.filter((span) => span.status.code !== 2)) {
      const [message] = JSON.parse(attribute(call, 'gen_ai.output.messages')!) as { role: string; parts: unknown[] }[];
      expect(message).toMatchObject({
        role: 'assistant',
        parts: [{ type: 'text', content: expect.any(String) as string }],
      });
    }
  });
});
