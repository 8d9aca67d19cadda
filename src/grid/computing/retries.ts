import { setTimeout } from 'node:timers/promises';
import { findRetryAfterMs, mayPass } from '../../platform/outbound/passing-failures.js';
import { CellFailure, TransientFailure } from '../column-type/column-type.js';

/** How often one cell is tried while nobody says when to come back. */
const TRIES = 4;
/** How often a service may say when to come back: it may let in a few cells at a time. */
const MOST_APPOINTMENTS = 100;
/** Nobody waits longer than this because a service says so. */
const LONGEST_WAIT_MS = 24 * 60 * 60 * 1000;
/** What a service says is waited for a little longer, so that those who wait do not all come together. */
const SPREAD = 0.1;

export interface RetryOptions {
  backoffMs: number;
  signal: AbortSignal;
  /** Waits so long because a service has said so, with what that is worth. By itself nothing is. */
  rest?(ms: number, wait: Promise<void>): Promise<void>;
}

/**
 * Calls a service again while its failures may pass: a `TransientFailure`, an answer 408, 425, 429 or 5xx, a connection
 * that broke. Waits as long as the service says, for a day at most, otherwise twice as long every time. Rejects with the last
 * failure, or with the reason of the signal.
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
      // A service that wants no pause is one that says nothing.
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

/** What the service says when to try again; null when it does not say, undefined when trying again is of no use. */
function retryAfterMsOf(error: unknown): number | null | undefined {
  if (error instanceof TransientFailure) return error.retryAfterMs;
  if (error instanceof CellFailure) return undefined;
  return mayPass(error) ? findRetryAfterMs(error) : undefined;
}

/** Half of it is left to chance, so that cells that failed together do not all come again together. */
function backoff(firstMs: number, attempt: number): number {
  return firstMs * 2 ** (attempt - 1) * (0.5 + Math.random() / 2);
}
