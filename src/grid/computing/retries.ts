import { setTimeout } from 'node:timers/promises';
import { findRetryAfterMs, mayPass } from '../../platform/outbound/passing-failures.js';
import { CellFailure, TransientFailure } from '../column-type/column-type.js';

/** Number of attempts of a cell while the service names no waiting time. */
const TRIES = 4;
/** Number of times a service may name a waiting time: it may admit a few cells at a time. */
const MOST_APPOINTMENTS = 100;
/** Upper limit of the waiting time that a service can ask for. */
const LONGEST_WAIT_MS = 24 * 60 * 60 * 1000;
/** Share added at random to the waiting time of a service, so that waiting cells do not all retry together. */
const SPREAD = 0.1;

export interface RetryOptions {
  backoffMs: number;
  signal: AbortSignal;
  /** Waits for the time that a service has asked for. Default: only waits. */
  rest?(ms: number, wait: Promise<void>): Promise<void>;
}

/**
 * Retries a call while its failures may be temporary: a `TransientFailure`, an answer 408, 425, 429 or 5xx, a broken
 * connection. Waits for the time that the service names, for a day at most, otherwise twice as long every time. Rejects
 * with the last failure, or with the reason of the signal.
 */
export async function withRetries<T>(call: (attempt: number) => Promise<T>, options: RetryOptions): Promise<T> {
  const { backoffMs, signal, rest = (_, wait) => wait } = options;
  let [tries, appointments, waitedMs] = [0, 0, 0];
  for (;;) {
    try {
      return await call(tries + appointments + 1);
    } catch (error) {
      signal.throwIfAborted();
      const afterMs = retryAfterMsOf(error);
      if (afterMs === undefined) throw error;
      // A waiting time of 0 counts as none.
      if (!afterMs) {
        if (++tries === TRIES) throw error;
        await setTimeout(backoff(backoffMs, tries), undefined, { signal });
      } else {
        const ms = afterMs * (1 + SPREAD * Math.random());
        if (++appointments > MOST_APPOINTMENTS || (waitedMs += ms) > LONGEST_WAIT_MS) throw error;
        await rest(ms, setTimeout(ms, undefined, { signal }));
      }
    }
  }
}

/** Returns the waiting time that the service asks for; null when it names none, undefined when a retry is of no use. */
function retryAfterMsOf(error: unknown): number | null | undefined {
  if (error instanceof TransientFailure) return error.retryAfterMs;
  if (error instanceof CellFailure) return undefined;
  return mayPass(error) ? findRetryAfterMs(error) : undefined;
}

/** Half of it is random, so that cells that failed together do not all retry together. */
function backoff(firstMs: number, attempt: number): number {
  return firstMs * 2 ** (attempt - 1) * (0.5 + Math.random() / 2);
}
