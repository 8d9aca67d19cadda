import fc from 'fast-check';
import { span, spanId, text, traceId } from '../support/otlp.js';

/** Random traces and their expected summaries, computed without SQL and without the code under test. */

export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

/** A span as the test thinks of it. */
export interface TestSpan {
  id: string;
  /** Position of the parent among the spans of the trace; null for none, -1 for one that never comes. */
  parent: number | null;
  name: string;
  kind: keyof typeof KINDS;
  status: keyof typeof STATUSES;
  startMs: number;
  durationMs: number | null;
  model: string | null;
  tool: string | null;
  workflow: { id: string; version: string } | null;
  input: string | null;
  output: Json;
  exception: string | null;
  attributes: Record<string, string | number | boolean>;
  /** Sent as JSON text. */
  deep: Json;
  variables: Record<string, Json> | null;
  resource: Record<string, string>;
  tags: string[];
  user: string | null;
  session: string | null;
}

export interface TestTrace {
  id: string;
  spans: TestSpan[];
}

const KINDS = { INTERNAL: 1, SERVER: 2, CLIENT: 3 };
const STATUSES = { UNSET: 0, OK: 1, ERROR: 2 };
const EPOCH_MS = Date.parse('2026-03-01T00:00:00Z');

export const NAMES = ['plan', 'answer', 'Answer 2', '100%', 'lookup'];
export const WORDS = ['Paris', 'London', "don't", 'a_b', '10%'];
export const VALUES = ['1', 'true', 'x', 'X', 'x=y', ''];
export const KEYS = ['a', 'a.b', 'b', 'env'];
export const MODELS = ['gpt-4o', 'claude-opus-4', 'GPT-4o'];
export const TOOLS = ['search', 'pay', 'Search'];

export const [ENVIRONMENT, ORIGIN] = ['deployment.environment.name', 'tracesheet.origin'];

const scalars = fc.constantFrom<Json>('1', 'x', 'Paris', 1, 2.5, true, null);
const branch = fc.dictionary(fc.constantFrom('b', 'c'), scalars, { maxKeys: 2 });
const documents = fc.dictionary(
  fc.constantFrom('a', 'b', 'city'),
  fc.oneof(scalars, branch, fc.array(fc.oneof(scalars, branch), { maxLength: 2 })),
  { maxKeys: 3 },
) as fc.Arbitrary<Record<string, Json>>;
export const sentences = fc
  .array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 3 })
  .map((words) => words.join(' '));

const spans: fc.Arbitrary<TestSpan> = fc.record({
  id: fc.constant('').map(spanId),
  parent: fc.option(fc.integer({ min: -1, max: 5 }), { freq: 3 }),
  name: fc.constantFrom(...NAMES),
  kind: fc.constantFrom('INTERNAL' as const, 'SERVER' as const, 'CLIENT' as const),
  status: fc.constantFrom('UNSET' as const, 'OK' as const, 'OK' as const, 'ERROR' as const),
  startMs: fc.integer({ min: 0, max: 5 }).map((step) => EPOCH_MS + step * 43_200_000),
  durationMs: fc.option(fc.constantFrom(0, 1.5, 10, 1000), { freq: 5 }),
  model: fc.option(fc.constantFrom(...MODELS)),
  tool: fc.option(fc.constantFrom(...TOOLS)),
  workflow: fc.option(fc.record({ id: fc.constantFrom('w1', 'w2'), version: fc.constantFrom('1', '2', 'beta') })),
  input: fc.option(sentences),
  output: fc.oneof(fc.constant(null), sentences, documents) as fc.Arbitrary<Json>,
  exception: fc.option(sentences, { freq: 2 }),
  attributes: fc.dictionary(
    fc.constantFrom(...KEYS),
    fc.constantFrom<string | number | boolean>(...VALUES, 1, 2.5, true),
    {
      maxKeys: 3,
    },
  ),
  deep: fc.oneof(fc.constant(null), documents) as fc.Arbitrary<Json>,
  variables: fc.option(documents),
  // With a resource that has "service", "service.name" may lead into that.
  resource: fc.dictionary(
    fc.constantFrom('service.name', 'service', 'env', ENVIRONMENT, ORIGIN),
    fc.constantFrom('shop', 'x', 'sheet', 'evaluation'),
    { maxKeys: 3 },
  ),
  tags: fc.uniqueArray(fc.constantFrom('beta', 'eu', 'x'), { maxLength: 2 }),
  user: fc.option(fc.constantFrom('ada', 'bob'), { freq: 2 }),
  session: fc.option(fc.constantFrom('chat-1', 'chat/2'), { freq: 2 }),
});

export const traces: fc.Arbitrary<TestTrace> = fc.record({
  id: fc.constant('').map(traceId),
  spans: fc.array(spans, { minLength: 1, maxLength: 5 }),
});

/** The key under which the JSON text of `deep` is sent. */
export const DEEP = 'doc';

export function parentIdOf(trace: TestTrace, { parent }: TestSpan): string | null {
  if (parent === null) return null;
  return trace.spans[parent]?.id ?? 'ffffffffffffffff';
}

/** The span in OTLP, with a resource of its own. */
export function toResourceSpans(trace: TestTrace, each: TestSpan): object {
  const attributes = [
    ...Object.entries(each.attributes).map(([key, value]) => attribute(key, value)),
    ...(each.model === null ? [] : [text('gen_ai.request.model', each.model)]),
    ...(each.tool === null ? [] : [text('gen_ai.tool.name', each.tool)]),
    ...(each.workflow === null
      ? []
      : [
          text('promptlayer.workflow.id', each.workflow.id),
          text('promptlayer.workflow.version', each.workflow.version),
        ]),
    ...(each.input === null ? [] : [text('function_input', each.input)]),
    ...(each.output === null ? [] : [text('function_output', asText(each.output))]),
    ...(each.deep === null ? [] : [text(DEEP, JSON.stringify(each.deep))]),
    ...(each.variables === null ? [] : [text('promptlayer.prompt.input_variables', JSON.stringify(each.variables))]),
    ...(each.tags.length === 0 ? [] : [text('promptlayer.tags', JSON.stringify(each.tags))]),
    ...(each.user === null ? [] : [text('user.id', each.user)]),
    ...(each.session === null ? [] : [text('session.id', each.session)]),
  ];
  const start = BigInt(each.startMs) * 1_000_000n;
  const end = each.durationMs === null ? 0n : start + BigInt(each.durationMs * 1e6);
  const exception = {
    name: 'exception',
    timeUnixNano: String(start),
    attributes: [text('exception.message', each.exception ?? '')],
  };
  const sent = span({
    traceId: trace.id,
    spanId: each.id,
    parentSpanId: parentIdOf(trace, each) ?? '',
    name: each.name,
    kind: KINDS[each.kind],
    status: { code: STATUSES[each.status] },
    startTimeUnixNano: String(start),
    endTimeUnixNano: String(end),
    attributes,
    events: each.exception === null ? [] : [exception],
  });
  const resource = { attributes: Object.entries(each.resource).map(([key, value]) => text(key, value)) };
  return { resource, scopeSpans: [{ spans: [sent] }] };
}

function attribute(key: string, value: string | number | boolean) {
  if (typeof value === 'string') return text(key, value);
  return { key, value: typeof value === 'number' ? { doubleValue: value } : { boolValue: value } };
}

export const asText = (value: Json): string => (typeof value === 'string' ? value : JSON.stringify(value));

const byStart = (a: TestSpan, b: TestSpan) => a.startMs - b.startMs || (a.id < b.id ? -1 : 1);

/** Spans by start; parents that lead in a circle are cut above its earliest span. */
export function summaryOf(trace: TestTrace) {
  const sorted = [...trace.spans].sort(byStart);
  const parentOf = new Map(sorted.map((each) => [each, each.parent === null ? undefined : trace.spans[each.parent]]));
  for (const each of sorted) if (isOnCircle(each, parentOf)) parentOf.set(each, undefined);
  const depthOf = (each: TestSpan): number => 1 + (parentOf.get(each) ? depthOf(parentOf.get(each)!) : 0);
  const root = sorted.find((each) => parentOf.get(each) === undefined)!;
  const below = (top: TestSpan): TestSpan[] => [
    top,
    ...sorted.filter((each) => parentOf.get(each) === top).flatMap(below),
  ];
  const failed = sorted.some(({ status }) => status === 'ERROR');
  return {
    root,
    depth: Math.max(...sorted.map(depthOf)),
    status: failed ? 'ERROR' : root.status === 'OK' ? 'OK' : 'UNSET',
    user: sorted.find(({ user }) => user !== null)?.user ?? null,
    session: sorted.find(({ session }) => session !== null)?.session ?? null,
    origin: sorted.map(originOf).sort()[0]!,
    environment: sorted.flatMap(({ resource }) => resource[ENVIRONMENT] ?? []).sort()[0] ?? null,
    below,
  };
}

const originOf = ({ resource }: TestSpan): string =>
  ['sheet', 'evaluation'].find((origin) => origin === resource[ORIGIN]) ?? 'application';

function isOnCircle(start: TestSpan, parentOf: Map<TestSpan, TestSpan | undefined>): boolean {
  const seen = new Set<TestSpan>();
  for (let each = parentOf.get(start); each && !seen.has(each); each = parentOf.get(each)) {
    if (each === start) return true;
    seen.add(each);
  }
  return false;
}
