import { isStorageFailure } from '../errors/failures.js';

/**
 * Returns the result of a write that a read makes on the side, such as the last use of a key. Undefined while writes are
 * impossible: reading continues without it.
 */
export async function ifStorable<T>(write: Promise<T>): Promise<T | undefined> {
  try {
    return await write;
  } catch (error) {
    if (isStorageFailure(error)) return undefined;
    throw error;
  }
}
