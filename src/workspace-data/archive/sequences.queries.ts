import pg from 'pg';
import type { EntityManager } from 'typeorm';
import { countRows, type WorkspaceTable } from '../shared/workspace-tables.queries.js';
import { ArchiveRefusal } from './archive-format.js';

/** Ids travel as JSON numbers, which are exact up to 2^53. */
const MOST = 2n ** 52n;
/** Steps beyond the last number of the archive. Other processes take numbers while a sequence is being moved. */
const MARGIN = 1000n;

const SEQUENCES = `
  SELECT c.relname AS name, s.seqincrement::text AS step, s.seqmax::text AS max,
         coalesce(pg_sequence_last_value(c.oid), 0)::text AS last,
         (SELECT t.relname FROM pg_depend d JOIN pg_class t ON t.oid = d.refobjid
           WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.refclassid = 'pg_class'::regclass
             AND d.deptype IN ('a', 'i')) AS "ofTable"
    FROM pg_sequence s JOIN pg_class c ON c.oid = s.seqrelid WHERE c.relnamespace = current_schema()::regnamespace`;

interface Sequence {
  name: string;
  step: string;
  max: string;
  last: string;
  /** The table whose column it counts up; null for one that several tables use. */
  ofTable: string | null;
}

/**
 * Moves the sequences of this database beyond those of an archive, so new rows get other ids than restored ones. A failed restore
 * does not undo this, which does no harm. A dry run only checks.
 * @throws ArchiveRefusal when an archive would use up the ids of all workspaces
 */
export async function advanceSequences(
  tx: EntityManager,
  tables: WorkspaceTable[],
  { archived, dryRun }: { archived: Record<string, string>; dryRun: boolean },
): Promise<void> {
  const names = new Set(tables.map(({ name }) => name));
  for (const { name, step, max, last, ofTable } of await tx.query<Sequence[]>(SEQUENCES)) {
    if (ofTable !== null && !names.has(ofTable)) continue;
    const wanted = BigInt((Object.hasOwn(archived, name) && archived[name]) || '0');
    if (wanted <= BigInt(last)) continue;
    if (wanted > BigInt(max) / 2n || wanted > MOST) {
      throw new ArchiveRefusal(
        `The archive is refused: it says that ${name} is at ${wanted}. Continuing there would use up the ids of this installation.`,
      );
    }
    const value = wanted + MARGIN * BigInt(step);
    if (!dryRun) await tx.query('SELECT setval($1::regclass, $2::bigint)', [pg.escapeIdentifier(name), String(value)]);
  }
}

/**
 * Checks that no restored row has an id that is still to be given, which another workspace would need then.
 * @throws ArchiveRefusal
 */
export async function assertIdsAreTaken(
  tx: EntityManager,
  tables: WorkspaceTable[],
  workspaceId: number,
): Promise<void> {
  for (const { name, key, identity } of tables) {
    if (identity === null) continue;
    const [found] = await tx.query<{ isTaken: boolean }[]>(
      `SELECT coalesce(max("${identity}") <= pg_sequence_last_value(pg_get_serial_sequence($2, $3)::regclass)
                       AND min("${identity}") > 0, max("${identity}") IS NULL) AS "isTaken"
         FROM "${name}" WHERE ${key} = $1`,
      [workspaceId, pg.escapeIdentifier(name), identity],
    );
    if (!found!.isTaken) {
      throw new ArchiveRefusal(`The archive is refused: ${name} has ids beyond the last one that the archive names.`);
    }
  }
}

/**
 * Checks that every table has the rows of the archive and no others, such as those of triggers.
 * @throws ArchiveRefusal
 */
export async function assertCounts(
  tx: EntityManager,
  tables: WorkspaceTable[],
  { workspaceId, rowsOf }: { workspaceId: number; rowsOf: (table: string) => number },
): Promise<void> {
  for (const table of tables) {
    const [found, expected] = [await countRows(tx, table, workspaceId), rowsOf(table.name)];
    if (found !== expected) {
      throw new ArchiveRefusal(
        `Nothing was restored: ${table.name} would have ${found} rows; the archive has ${expected}.`,
      );
    }
  }
}
