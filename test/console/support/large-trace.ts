import { span } from '../../support/otlp.js';

/** Start of the traces of these tests, in nanoseconds since 1970. */
export const START = 1_780_000_000_000_000_000n;
export const FAILURE = { code: 2, message: 'The model was overloaded.' };

export const idOf = (at: number): string => at.toString(16).padStart(16, '0');

export function at(fromMs: number, toMs: number): object {
  const ns = (ms: number) => String(START + BigInt(ms) * 1_000_000n);
  return { startTimeUnixNano: ns(fromMs), endTimeUnixNano: ns(toMs) };
}

/**
 * Trace with this many spans: a root, a hundred groups below it, and all others below the groups. The last one fails.
 */
export function largeTrace(trace: string, count: number): object[] {
  return Array.from({ length: count }, (_, index) => {
    const parent = index === 0 ? {} : { parentSpanId: idOf(index <= 100 ? 1 : 2 + (index % 100)) };
    const failed = index === count - 1 ? { status: FAILURE } : {};
    return span({
      traceId: trace,
      spanId: idOf(index + 1),
      name: `step ${index}`,
      ...at(index, index + 50),
      ...parent,
      ...failed,
    });
  });
}
