import { setTimeout } from 'node:timers/promises';
import { isConnectionFailure } from './failures.js';

/** While the database is away it is tried this often and for this long. */
const PAUSE_MS = 500;
const LONGEST_WAIT_MS = 10 * 60_000;

/** Stores what was paid for: it is not given up because the database is away for a while. */
export async function persistently<T>(store: () => Promise<T>): Promise<T> {
  for (const end = Date.now() + LONGEST_WAIT_MS; ;) {
    try {
      return await store();
    } catch (error) {
      if (!isConnectionFailure(error) || Date.now() > end) throw error;
      await setTimeout(PAUSE_MS);
    }
  }
}
