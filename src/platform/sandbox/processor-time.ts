import { readStat } from '../process-stat.js';

/** A process that gets no processor, or waits for something else, is given this much longer than its limit. */
const PATIENCE_MS = 30_000;

/**
 * Limits the work of another process, in milliseconds of its processor time: on a busy machine a call would otherwise be
 * stopped for the work of others. Calls `onExceeded` once, and at the latest 30 seconds after the limit. Returns a
 * function that ends the limit.
 *
 * Where the system has no /proc, the clock counts.
 */
export function limitProcessorTime(pid: number, limitMs: number, onExceeded: () => void): () => void {
  const usedBefore = readStat(pid)?.processorMs ?? 0;
  const latest = performance.now() + limitMs + PATIENCE_MS;
  const check = () => {
    const stat = readStat(pid);
    const left = Math.min(limitMs - (stat ? stat.processorMs - usedBefore : limitMs), latest - performance.now());
    if (left <= 0) onExceeded();
    else timer = setTimeout(check, left);
  };
  let timer = setTimeout(check, limitMs);
  return () => clearTimeout(timer);
}

/**
 * The same for the work of this process, from now on. It is exceeded when both the clock and the processor time of the
 * process, all threads together, say so.
 */
export function ownTimeLimit(limitMs: number): () => boolean {
  const start = performance.now();
  const usage = process.cpuUsage();
  return () => {
    if (performance.now() - start <= limitMs) return false;
    const { user, system } = process.cpuUsage(usage);
    return (user + system) / 1000 > limitMs;
  };
}
