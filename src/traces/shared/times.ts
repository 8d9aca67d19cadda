import { isoFromNanoseconds } from '../../platform/time.js';

/** The times of a span or a trace as ISO texts, and its duration in milliseconds; null while it has no end. */
export function timesOf(startNs: string, endNs: string | null) {
  const start_time = isoFromNanoseconds(startNs);
  if (endNs === null) return { start_time, end_time: null, duration_ms: null };
  const duration = Number(BigInt(endNs) - BigInt(startNs)) / 1e6;
  return { start_time, end_time: isoFromNanoseconds(endNs), duration_ms: Math.max(0, duration) };
}
