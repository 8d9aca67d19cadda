import fc from 'fast-check';
import { llmSpan, span, spanId, text, traceId } from '../support/otlp.js';
import type { Fact } from './custom-analytics.oracle.js';

/** Random traces: as spans to send, and as what charts can know of them. */

const NOON = Date.UTC(2026, 2, 15, 12);
const HOUR = 3_600_000;

interface SentSpan {
  kind: 'step' | 'tool' | 'call';
  name: string;
  parent: number;
  /** Milliseconds. */
  after: number;
  lasts: number;
  spanKind: number;
  failed: boolean;
  model: string;
  tool: string;
  tokens: [number, number];
  /** In 64ths of a dollar, of which sums are exact. */
  cost: number;
  prompt: 0 | 1 | null;
  workflow: string | null;
}
export interface SentTrace {
  hour: number;
  spans: SentSpan[];
}

const randomSpans: fc.Arbitrary<SentSpan> = fc.record({
  kind: fc.constantFrom('step', 'tool', 'call'),
  name: fc.constantFrom('plan', 'answer', 'look up'),
  parent: fc.nat(),
  after: fc.integer({ min: 1, max: 900 }),
  lasts: fc.integer({ min: 0, max: 2000 }),
  spanKind: fc.integer({ min: 1, max: 5 }),
  failed: fc.boolean(),
  model: fc.constantFrom('gpt-4o', 'no-such-model'),
  tool: fc.constantFrom('search', 'pay'),
  tokens: fc.tuple(fc.integer({ min: 1, max: 90 }), fc.integer({ min: 1, max: 90 })),
  cost: fc.integer({ min: 1, max: 64 }),
  prompt: fc.option(fc.constantFrom(0, 1)),
  workflow: fc.option(fc.constantFrom('w1', 'w2')),
});
export const randomTraces: fc.Arbitrary<SentTrace> = fc.record({
  hour: fc.integer({ min: 0, max: 71 }),
  spans: fc.array(randomSpans, { minLength: 1, maxLength: 5 }),
});

/** The first span is the root; others hang below an earlier one. */
export function toSpans({ hour, spans }: SentTrace) {
  const trace = traceId();
  const ids = spans.map(() => spanId());
  return spans.map((each, index) => {
    const start = BigInt(NOON + hour * HOUR + (index === 0 ? 0 : each.after)) * 1_000_000n;
    const fields = {
      traceId: trace,
      spanId: ids[index]!,
      parentSpanId: index === 0 ? undefined : ids[each.parent % index],
      name: each.name,
      kind: each.spanKind,
      startTimeUnixNano: String(start),
      endTimeUnixNano: String(start + BigInt(each.lasts) * 1_000_000n),
      status: { code: each.failed ? 2 : 1 },
    };
    return {
      ...(each.kind === 'call' ? callSpan(each, fields) : span({ ...fields, attributes: plainAttributes(each) })),
      spanId: ids[index]!,
    };
  });
}

function callSpan({ model, tokens, cost, prompt, workflow }: SentSpan, fields: object): object {
  const more = {
    'gen_ai.usage.cost': String(cost / 64),
    ...(prompt !== null && { 'promptlayer.prompt.name': ['greeting', 'other'][prompt] }),
    ...(workflow !== null && { 'workflow.id': workflow }),
  };
  // Each has an answer of its own: a call inside a call with the same answer would be the same call.
  const output = `Answer ${spanId()}`;
  return llmSpan({ model, output, inputTokens: tokens[0], outputTokens: tokens[1], more }, { ...fields });
}

function plainAttributes({ kind, tool, workflow }: SentSpan): object[] {
  return [
    ...(kind === 'tool' ? [text('gen_ai.tool.name', tool)] : []),
    ...(workflow === null ? [] : [text('workflow.id', workflow)]),
  ];
}

const KIND_NAMES = ['', 'INTERNAL', 'SERVER', 'CLIENT', 'PRODUCER', 'CONSUMER'];

/** `types` are those of its spans, `promptIds` those of the two prompts. */
export function toFacts(
  { hour, spans }: SentTrace,
  { types, promptIds }: { types: string[]; promptIds: string[] },
): { trace: Fact; spans: Fact[] } {
  const time = NOON + hour * HOUR;
  const calls = spans.filter(({ kind }) => kind === 'call');
  const starts = spans.map(({ after }, index) => (index === 0 ? 0 : after));
  const ends = spans.map(({ lasts }, index) => starts[index]! + lasts);
  const sum = (numbers: number[]) => numbers.reduce((total, number) => total + number, 0);
  const [input, output] = [0, 1].map((side) => sum(calls.map(({ tokens }) => tokens[side]!))) as [number, number];
  const depths: number[] = [];
  for (const [index, { parent }] of spans.entries()) depths.push(index === 0 ? 1 : depths[parent % index]! + 1);
  const trace: Fact = {
    time,
    metadata: {},
    fields: {
      trace_duration_ms: (Math.max(...ends) - Math.min(...starts)) / 1000,
      trace_total_cost_usd: sum(calls.map(({ cost }) => cost / 64)),
      trace_total_tokens: input + output,
      trace_input_tokens: input,
      trace_output_tokens: output,
      trace_span_count: spans.length,
      trace_depth: Math.max(...depths),
    },
    groups: {
      trace_status: [spans.some(({ failed }) => failed) ? 'ERROR' : 'OK'],
      trace_name: [spans[0]!.name],
      trace_models_used: calls.map(({ model }) => model),
      trace_prompt_ids: calls.flatMap(({ prompt }) => (prompt === null ? [] : [promptIds[prompt]!])),
      trace_workflow_ids: spans.flatMap(({ workflow }) => workflow ?? []),
      trace_tool_names: spans.flatMap(({ kind, tool }) => (kind === 'tool' ? [tool] : [])),
    },
  };
  return { trace, spans: spans.map((each, index) => spanFact(each, { time, type: types[index]! })) };
}

function spanFact(sent: SentSpan, { time, type }: { time: number; type: string }): Fact {
  const { kind, tokens, cost } = sent;
  const ofCall = (number: number) => (kind === 'call' ? number : null);
  return {
    time,
    metadata: {},
    fields: {
      span_duration_ms: sent.lasts / 1000,
      span_cost_usd: ofCall(cost / 64),
      span_tokens: ofCall(tokens[0] + tokens[1]),
      span_input_tokens: ofCall(tokens[0]),
      span_output_tokens: ofCall(tokens[1]),
    },
    groups: {
      span_tool_name: kind === 'tool' ? [sent.tool] : [],
      span_name: [sent.name],
      span_type: [type],
      span_kind: [KIND_NAMES[sent.spanKind]!],
      span_status: [sent.failed ? 'ERROR' : 'OK'],
    },
  };
}
