import { isStorageFailure } from './failures.js';

/**
 * Gives what comes of a write that reading does in passing, such as when a key was last used. Undefined where nothing can be stored at
 * the moment: reading goes on without it.
 */
export async function ifStorable<T>(write: Promise<T>): Promise<T | undefined> {
  try {
    return await write;
  } catch (error) {
    if (isStorageFailure(error)) return undefined;
    throw error;
  }
}
