import { randomInt } from 'node:crypto';
import fc from 'fast-check';
import { spanId, text, traceId } from '../support/otlp.js';

/** Random traces in sessions, and the expected lists of sessions, computed without SQL. */

export const EPOCH_MS = Date.parse('2026-03-01T00:00:00Z');

/** A trace as the test thinks of it. */
export interface ModelTrace {
  id: string;
  session: string | null;
  user: string | null;
  origin: string;
  environment: string | null;
  spans: ModelSpan[];
}

export interface ModelSpan {
  id: string;
  startMs: number;
  durationMs: number;
  failure: string | null;
  input: string | null;
  tokens: number;
}

/** Ids that have to be encoded, that are long, and that begin alike. */
const LONG = `https://例え.jp/${'木/'.repeat(490)}`;
export const SESSIONS = ['chat-1', 'a/b?c#d', '日本 %2F', 'é'.normalize('NFD'), `${LONG}1`, `${LONG}2`, "';--", '...'];
const USERS = ['ada', 'bob/1', 'ß'];

const spans: fc.Arbitrary<ModelSpan> = fc.record({
  id: fc.constant('').map(spanId),
  startMs: fc.integer({ min: 0, max: 20 }).map((step) => EPOCH_MS + step * 3_600_000),
  durationMs: fc.constantFrom(0, 10, 2500),
  failure: fc.option(fc.constantFrom('timed out', 'no such order'), { freq: 3 }),
  input: fc.option(fc.constantFrom('Hi', 'Where is my parcel?', 'متى؟'), { freq: 2 }),
  tokens: fc.integer({ min: 0, max: 50 }),
});

export const traces: fc.Arbitrary<ModelTrace> = fc.record({
  id: fc.constant('').map(traceId),
  session: fc.option(fc.constantFrom(...SESSIONS), { freq: 8 }),
  user: fc.option(fc.constantFrom(...USERS), { freq: 3 }),
  origin: fc.constantFrom('application', 'application', 'sheet', 'evaluation'),
  environment: fc.option(fc.constantFrom('production', 'staging'), { freq: 3 }),
  spans: fc.array(spans, { minLength: 1, maxLength: 3 }),
});

/** A span with the attributes of its trace, in OTLP with a resource of its own. */
export function toResourceSpans(trace: ModelTrace, { id, startMs, durationMs, failure, input, tokens }: ModelSpan) {
  const { session, user, origin, environment } = trace;
  const isCall = tokens > 0;
  const attributes = [
    ...(session === null ? [] : [text('session.id', session)]),
    ...(user === null ? [] : [text('user.id', user)]),
    ...(input === null ? [] : [text('function_input', input)]),
    ...(isCall ? [text('gen_ai.operation.name', 'chat'), text('gen_ai.request.model', 'gpt-4o-mini')] : []),
    ...(isCall ? [{ key: 'gen_ai.usage.input_tokens', value: { intValue: tokens } }] : []),
  ];
  const resource = {
    ...(origin !== 'application' && { 'tracesheet.origin': origin }),
    ...(environment !== null && { 'deployment.environment.name': environment }),
  };
  const span = {
    traceId: trace.id,
    spanId: id,
    name: 'turn',
    kind: 1,
    startTimeUnixNano: `${startMs}000000`,
    endTimeUnixNano: `${startMs + durationMs}000000`,
    status: failure === null ? {} : { code: 2, message: failure },
    attributes,
  };
  return {
    resource: { attributes: Object.entries(resource).map(([key, value]) => text(key, value)) },
    scopeSpans: [{ spans: [span] }],
  };
}

export interface Asked {
  user_id?: string;
  origin?: string;
  environment?: string;
  start_time?: string;
  end_time?: string;
}

const hours = fc.integer({ min: -1, max: 21 }).map((step) => new Date(EPOCH_MS + step * 3_600_000).toISOString());

export const questions: fc.Arbitrary<Asked> = fc.record(
  {
    user_id: fc.constantFrom(...USERS, 'nobody'),
    origin: fc.constantFrom('application', 'sheet', 'server', 'trial'),
    environment: fc.constantFrom('production', 'staging', 'nowhere'),
    start_time: hours,
  },
  { requiredKeys: [] },
);

export const startOf = ({ spans }: ModelTrace): number => Math.min(...spans.map(({ startMs }) => startMs));
const endOf = ({ spans }: ModelTrace): number => Math.max(...spans.map((span) => span.startMs + span.durationMs));
export const byStart = (a: ModelTrace, b: ModelTrace): number => startOf(a) - startOf(b) || (a.id < b.id ? -1 : 1);
const spansByStart = ({ spans }: ModelTrace) =>
  [...spans].sort((a, b) => a.startMs - b.startMs || (a.id < b.id ? -1 : 1));

export function isAskedFor(asked: Asked, trace: ModelTrace): boolean {
  const { user_id, origin, environment, start_time, end_time } = asked;
  const at = startOf(trace);
  return (
    (user_id === undefined || trace.user === user_id) &&
    (origin === undefined || (origin === 'server' ? trace.origin !== 'application' : trace.origin === origin)) &&
    (environment === undefined || trace.environment === environment) &&
    (start_time === undefined || at >= Date.parse(start_time)) &&
    (end_time === undefined || at < Date.parse(end_time))
  );
}

export const inputOf = (trace: ModelTrace): string | null =>
  spansByStart(trace).find(({ input }) => input !== null)?.input ?? null;

export const failureOf = (trace: ModelTrace): string | null =>
  spansByStart(trace).find(({ failure }) => failure !== null)?.failure ?? null;

const tokensOf = ({ spans }: ModelTrace): number => spans.reduce((sum, { tokens }) => sum + tokens, 0);

/** Expected list of the sessions of these traces, in order. */
export function sessionsOf(stored: readonly ModelTrace[]) {
  const bySession = new Map<string, ModelTrace[]>();
  for (const trace of [...stored].sort(byStart)) {
    if (trace.session === null) continue;
    bySession.set(trace.session, [...(bySession.get(trace.session) ?? []), trace]);
  }
  return [...bySession]
    .sort(([, a], [, b]) => byStart(b.at(-1)!, a.at(-1)!))
    .map(([session_id, turns]) => ({
      session_id,
      first_time: isoOf(startOf(turns[0]!)),
      last_time: isoOf(startOf(turns.at(-1)!)),
      end_time: isoOf(Math.max(...turns.map(endOf))),
      trace_count: turns.length,
      error_count: turns.filter((turn) => failureOf(turn) !== null).length,
      total_tokens: turns.reduce((sum, turn) => sum + tokensOf(turn), 0),
      user_ids: [...new Set(turns.flatMap(({ user }) => user ?? []))].sort(),
      last_input: inputOf(turns.at(-1)!),
      is_capped: false,
    }));
}

export const isoOf = (ms: number): string => new Date(ms).toISOString().replace('Z', '000Z');

export const someOf = <T>(items: readonly T[]): T => items[randomInt(items.length)]!;
