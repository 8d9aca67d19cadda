import { setTimeout } from 'node:timers/promises';
import { findRetryAfterMs, mayPass } from '../../../platform/outbound/passing-failures.js';
import { CellFailure, TransientFailure } from '../column-type/column-type.js';

/** How often one cell is tried. */
const TRIES = 4;
/** Nobody waits longer than this because a service says so. */
const LONGEST_WAIT_MS = 60_000;

/**
 * Calls a service again while its failures may pass: a `TransientFailure`, an answer 408, 425, 429 or 5xx, a connection
 * that broke. Waits as long as the service says, otherwise twice as long every time. Rejects with the last failure, or with
 * the reason of the signal.
 */
export async function withRetries<T>(
  call: (attempt: number) => Promise<T>,
  { backoffMs, signal }: { backoffMs: number; signal: AbortSignal },
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await call(attempt);
    } catch (error) {
      signal.throwIfAborted();
      const retryAfterMs = afterMs(error);
      if (attempt === TRIES || retryAfterMs === undefined) throw error;
      const waitMs = retryAfterMs ?? backoff(backoffMs, attempt);
      if (waitMs > LONGEST_WAIT_MS) throw error;
      await setTimeout(waitMs, undefined, { signal });
    }
  }
}

/** What the service says when to try again; null when it does not say, undefined when trying again is of no use. */
function afterMs(error: unknown): number | null | undefined {
  if (error instanceof TransientFailure) return error.retryAfterMs;
  if (error instanceof CellFailure) return undefined;
  return mayPass(error) ? findRetryAfterMs(error) : undefined;
}

/** Half of it is left to chance, so that cells that failed together do not all come again together. */
function backoff(firstMs: number, attempt: number): number {
  return firstMs * 2 ** (attempt - 1) * (0.5 + Math.random() / 2);
}
