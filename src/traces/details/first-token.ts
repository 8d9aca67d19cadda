import { SpanAttributes, type SpanEvent } from '../../trace-conventions/index.js';

/** Attributes with the time until the first piece of an answer, and the milliseconds of their unit. */
const DURATIONS: readonly [key: string, unit: number][] = [
  ['gen_ai.response.time_to_first_chunk', 1000],
  ['gen_ai.server.time_to_first_token', 1000],
  ['gen_ai.server.ttft', 1000],
  ['ai.response.msToFirstChunk', 1],
  ['lk.response.ttft', 1000],
  ['ttft_ms', 1],
];
/** Attributes with the time of the first token. */
const MOMENTS = ['langfuse.observation.completion_start_time'];
/** Events at the time of the first token. */
const EVENTS = new Set(['First Token Stream Event', 'ai.stream.firstChunk', 'gen_ai.first_token', 'new_token']);

const NS_PER_MS = 1e6;

interface Told {
  attributes: SpanAttributes;
  events: readonly SpanEvent[];
  startNs: bigint;
}

/** Milliseconds from the start of a span to the first piece of the answer; null where the span has no such time. */
export function readFirstToken({ attributes, events, startNs }: Told): number | null {
  for (const [key, unit] of DURATIONS) {
    const value = attributes.number(key);
    if (value !== null) return notNegative(value * unit);
  }
  const startMs = Number(startNs) / NS_PER_MS;
  // One sender writes the time as JSON text.
  const moment = Date.parse(attributes.text(...MOMENTS)?.replaceAll('"', '') ?? '');
  if (!Number.isNaN(moment)) return notNegative(moment - startMs);
  const event = events.find(({ name }) => EVENTS.has(name));
  return event ? notNegative(Number(event.timeNs - startNs) / NS_PER_MS) : null;
}

/** Longest time that SQL reads, in milliseconds: thirty thousand years. */
const LONGEST = 1e15;

/** Bounds a number before it is multiplied: larger ones than double precision holds fail a whole statement. */
const bounded = (json: string): string => `round(greatest(-1, least((${json})::numeric, ${LONGEST})), 12)::float8`;

/** SQL for the time that an attribute of a span `s` states, in milliseconds. Moments and events are not read. */
export const FIRST_TOKEN_MS = `(SELECT CASE WHEN ms >= 0 THEN ms END FROM (SELECT coalesce(${DURATIONS.map(
  ([key, unit]) =>
    `CASE WHEN jsonb_typeof(s.attributes -> '${key}') = 'number' THEN ${bounded(`s.attributes ->> '${key}'`)} * ${unit} END`,
).join(', ')}) AS ms) AS stated)`;

/** Clocks of two machines differ, so a negative time is ignored. */
const notNegative = (ms: number): number | null => (ms >= 0 ? ms : null);
