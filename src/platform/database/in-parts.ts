import { isDataFailure } from './failures.js';
import { retrying } from './retrying.js';

interface Work<T, R> {
  /** A transaction that stores all of the items; gives one result for each, in order. */
  together: (items: T[]) => Promise<R[]>;
  /** What becomes of an item that the database refuses even when it is alone. */
  refuse: (item: T, error: Error) => R | Promise<R>;
}

/**
 * Stores items in one transaction. Where the database refuses their data they are halved until the offending one is alone:
 * the others are stored. What the database fails at otherwise concerns the items of that transaction only, those of others
 * are stored and told so.
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
