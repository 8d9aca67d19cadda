import { isDataFailure } from '../errors/failures.js';
import { retrying } from './retrying.js';

interface Work<T, R> {
  /** A transaction that stores all of the items; returns one result for each, in order. */
  together: (items: T[]) => Promise<R[]>;
  /** The result of an item that the database refuses even alone. */
  refuse: (item: T, error: Error) => R | Promise<R>;
}

/**
 * Stores items in one transaction. If the database refuses their data, they are halved until the offending item is alone, and the
 * others are stored. Other failures concern only the items of that transaction; those of other transactions are stored and
 * reported so.
 */
export async function writeInParts<T, R>(items: T[], work: Work<T, R>): Promise<PromiseSettledResult<R>[]> {
  try {
    return (await retrying(() => work.together(items))).map(fulfilled);
  } catch (error) {
    if (!isDataFailure(error)) return items.map(() => ({ status: 'rejected', reason: error }));
    if (items.length === 1) return Promise.allSettled([work.refuse(items[0]!, error as Error)]);
    const middle = Math.ceil(items.length / 2);
    const first = await writeInParts(items.slice(0, middle), work);
    return [...first, ...(await writeInParts(items.slice(middle), work))];
  }
}

export const fulfilled = <R>(value: R): PromiseFulfilledResult<R> => ({ status: 'fulfilled', value });
