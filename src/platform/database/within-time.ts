import type { EntityManager } from 'typeorm';
import type { Config } from '../config/config.js';
import { PlatformErrors } from '../errors/platform.errors.js';
import { isTimeout } from './failures.js';

/** Runs reads that a caller can make as expensive as it likes. Throws reading_timeout when a statement takes too long. */
export async function withinTime<T>({ statementTimeoutMs }: Config, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (isTimeout(error)) throw PlatformErrors.reading_timeout(statementTimeoutMs);
    throw error;
  }
}

/** Gives up a read that takes longer than some milliseconds: null then. */
export async function withinMoment<T>(
  db: EntityManager,
  limitMs: number,
  work: (tx: EntityManager) => Promise<T>,
): Promise<T | null> {
  try {
    return await db.transaction(async (tx) => {
      await tx.query(`SET LOCAL statement_timeout = ${Math.trunc(limitMs)}`);
      return work(tx);
    });
  } catch (error) {
    if (isTimeout(error)) return null;
    throw error;
  }
}
