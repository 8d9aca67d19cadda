import { setTimeout } from 'node:timers/promises';
import { isPassingFailure } from '../errors/failures.js';

/** Pause between tries while writes are impossible. */
const PAUSE_MS = 500;
const LONGEST_WAIT_MS = 10 * 60_000;

/** Retries a write while the database is unavailable or its disk full, for `longestMs`. An aborted signal ends it. */
export async function persistently<T>(
  store: () => Promise<T>,
  { signal, longestMs = LONGEST_WAIT_MS }: { signal?: AbortSignal; longestMs?: number } = {},
): Promise<T> {
  for (const end = Date.now() + longestMs; ;) {
    try {
      return await store();
    } catch (error) {
      if (!isPassingFailure(error) || Date.now() > end || signal?.aborted) throw error;
      await setTimeout(PAUSE_MS, undefined, { signal }).catch(() => undefined);
    }
  }
}
