import type { QueryRunner } from 'typeorm';
import type { ClientBase } from 'pg';
import { VERSION } from '../version.js';
import { StartError } from '../start-error.js';

const MARK = 'oldest release: ';

/**
 * For a migration that removes something that older releases use: their processes then refuse to start. `version` is the oldest
 * release that works with the new schema, such as "0.3.0". The `down` of the migration passes the previous value; null for none.
 */
export async function requireRelease(db: QueryRunner, version: string | null): Promise<void> {
  if (version !== null && !/^\d+\.\d+\.\d+$/.test(version)) throw new Error(`"${version}" is no version.`);
  await db.query(`COMMENT ON TABLE migrations IS ${version === null ? 'NULL' : `'${MARK}${version}'`}`);
}

/** @throws StartError when a later release has removed something from the database that this one uses */
export async function assertReleaseIsKnown(client: ClientBase, version = VERSION): Promise<void> {
  const { rows } = await client.query<{ comment: string | null }>(
    `SELECT obj_description(to_regclass('migrations'), 'pg_class') AS comment`,
  );
  const comment = rows[0]?.comment;
  if (!comment?.startsWith(MARK)) return;
  const oldest = comment.slice(MARK.length);
  if (compareVersions(version, oldest) >= 0) return;
  throw new StartError(
    `The database was brought to a schema that Tracesheet ${version} cannot work with: it needs ${oldest} or later. Start that version, or restore the backup that was made before.`,
  );
}

/** Negative when the first is older. */
export function compareVersions(one: string, other: string): number {
  const [first, second] = [one, other].map((version) => version.split('.').map((part) => Number.parseInt(part, 10)));
  const place = first!.findIndex((part, index) => part !== second![index]);
  return place === -1 ? 0 : first![place]! - second![place]!;
}
