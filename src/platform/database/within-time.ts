import type { EntityManager } from 'typeorm';
import type { Config } from '../config/config.js';
import { PlatformErrors } from '../errors/platform.errors.js';
import { isTimeout } from '../errors/failures.js';

/** Runs reads whose cost the caller controls. Throws reading_timeout when a statement takes too long. */
export async function withinTime<T>({ statementTimeoutMs }: Config, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (isTimeout(error)) throw PlatformErrors.reading_timeout(statementTimeoutMs);
    throw error;
  }
}

/** Runs a read with a timeout in milliseconds; null when it is exceeded. */
export async function withinMoment<T>(
  db: EntityManager,
  limitMs: number,
  work: (tx: EntityManager) => Promise<T>,
): Promise<T | null> {
  try {
    return await withSettings(db, { statement_timeout: String(Math.trunc(limitMs)) }, work);
  } catch (error) {
    if (isTimeout(error)) return null;
    throw error;
  }
}

/** Timeout of statements that read or delete large parts of a table in the background, in milliseconds. */
const LONG_TIMEOUT_MS = 600_000;

/** Lets the next statements of a transaction take longer than those of requests may. */
export const allowLongStatements = (tx: Pick<EntityManager, 'query'>): Promise<unknown> =>
  tx.query(`SET LOCAL statement_timeout = ${LONG_TIMEOUT_MS}`);

/** Runs a read with its own settings and restores the previous ones, in case it is part of a larger transaction. */
async function withSettings<T>(
  db: EntityManager,
  settings: Settings,
  work: (tx: EntityManager) => Promise<T>,
): Promise<T> {
  const isPart = db.queryRunner?.isTransactionActive === true;
  return db.transaction(async (tx) => {
    const before = isPart ? await currentSettings(tx, Object.keys(settings)) : {};
    await setLocally(tx, settings);
    const result = await work(tx);
    if (isPart) await setLocally(tx, before);
    return result;
  });
}

type Settings = Record<string, string>;

async function currentSettings(tx: EntityManager, names: string[]): Promise<Settings> {
  const values = names.map((name) => `current_setting('${name}') AS ${name}`);
  const [settings] = await tx.query<[Settings]>(`SELECT ${values.join(', ')}`);
  return settings;
}

async function setLocally(tx: EntityManager, settings: Settings): Promise<void> {
  const calls = Object.keys(settings).map((name, index) => `set_config('${name}', $${index + 1}, true)`);
  await tx.query(`SELECT ${calls.join(', ')}`, Object.values(settings));
}
