import { setTimeout } from 'node:timers/promises';
import { isPassingFailure } from './failures.js';

/** While nothing can be stored it is tried this often and for this long. */
const PAUSE_MS = 500;
const LONGEST_WAIT_MS = 10 * 60_000;

/** Stores what must not be given up because the database is away, or its disk full, for a while. An aborted signal ends it. */
export async function persistently<T>(store: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  for (const end = Date.now() + LONGEST_WAIT_MS; ;) {
    try {
      return await store();
    } catch (error) {
      if (!isPassingFailure(error) || Date.now() > end || signal?.aborted) throw error;
      await setTimeout(PAUSE_MS, undefined, { signal }).catch(() => undefined);
    }
  }
}
