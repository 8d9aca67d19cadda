import { describe, expect, it } from 'vitest';
import { agentTrace } from '../../src/embedded/demo/agent.js';
import { earlierTraces } from '../../src/embedded/demo/history.js';
import type { OtlpSpan as Span } from '../../src/embedded/demo/spans.js';
import { demoTraces } from '../../src/embedded/demo/traces.js';

const NOW = Date.UTC(2026, 0, 1, 12);

const HOUR = 3_600_000;

function spans(): Span[] {
  const [{ scopeSpans }] = demoTraces(NOW).resourceSpans as { scopeSpans: { spans: Span[] }[] }[];
  return scopeSpans[0].spans;
}

/** Every child is inside its parent, and what has none is between two times. */
function expectTrees(all: Span[], from: number, to: number): void {
  const byId = new Map(all.map((span) => [span.spanId, span]));
  expect(byId.size).toBe(all.length);
  for (const span of all) {
    const parent = span.parentSpanId ? byId.get(span.parentSpanId) : undefined;
    const start = parent ? BigInt(parent.startTimeUnixNano) : ns(from);
    const end = parent ? BigInt(parent.endTimeUnixNano) : ns(to);
    expect(BigInt(span.startTimeUnixNano)).toBeGreaterThanOrEqual(start);
    expect(BigInt(span.endTimeUnixNano)).toBeLessThanOrEqual(end);
    if (parent) expect(parent.traceId).toBe(span.traceId);
  }
}

const attribute = (span: Span, key: string) => {
  const value = span.attributes.find((entry) => entry.key === key)?.value;
  return value && 'stringValue' in value ? value.stringValue : undefined;
};
const ns = (ms: number) => BigInt(ms) * 1_000_000n;

describe('the example traces', () => {
  it('are twelve trees within the last hour, every child inside its parent', () => {
    const all = spans();
    expect(all.filter((span) => !span.parentSpanId)).toHaveLength(12);
    expectTrees(all, NOW - HOUR, NOW);
  });

  it('have two days before them, more calls by day than by night, the same at every start', () => {
    const earlier = earlierTraces(NOW);
    expectTrees(earlier, NOW - 48 * HOUR, NOW - HOUR);
    const inHours = (from: number, to: number) =>
      earlier.filter(({ parentSpanId, startTimeUnixNano }) => {
        const hour = new Date(Number(BigInt(startTimeUnixNano) / 1_000_000n)).getUTCHours();
        return !parentSpanId && hour >= from && hour < to;
      }).length;
    expect(inHours(10, 14)).toBeGreaterThan(2 * inHours(0, 4));
    const told = (all: Span[]) => all.map(({ startTimeUnixNano, attributes }) => [startTimeUnixNano, attributes]);
    expect(told(earlierTraces(NOW))).toEqual(told(earlier));
  });

  it('have an agent among them whose tool fails once', () => {
    const agent: Span[] = agentTrace(NOW - 2 * HOUR);
    expectTrees(agent, NOW - 2 * HOUR, NOW - HOUR);
    expect(agent).toHaveLength(19);
    expect(agent.filter(({ status }) => status.code === 2)).toHaveLength(2);
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
