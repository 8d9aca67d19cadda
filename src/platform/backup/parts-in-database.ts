import type pg from 'pg';
import type { BackupManifest, SequenceInBackup, TableInBackup } from './backup-folder.js';
import { listTables, readSequences } from './stored-tables.js';

export interface TableInDatabase extends TableInBackup {
  /** Columns of the backup that the table does not have. */
  missing: string[];
}

/**
 * The parts of a backup, by whether a database has them. Migrations make the tables, columns and sequences of Tracesheet: missing ones
 * belong to extensions or were created by hand.
 */
export interface PartsInDatabase {
  tables: TableInDatabase[];
  sequences: SequenceInBackup[];
  missingTables: TableInBackup[];
  missingSequences: SequenceInBackup[];
}

export async function findParts(client: pg.Client, manifest: BackupManifest): Promise<PartsInDatabase> {
  const columnsOf = new Map((await listTables(client)).map(({ name, columns }) => [name, new Set(columns)]));
  const sequences = new Set((await readSequences(client)).map(({ name }) => name));
  const withMissing = (table: TableInBackup): TableInDatabase => ({
    ...table,
    missing: table.columns.filter((column) => !columnsOf.get(table.name)!.has(column)),
  });
  return {
    tables: manifest.tables.filter(({ name }) => columnsOf.has(name)).map(withMissing),
    sequences: manifest.sequences.filter(({ name }) => sequences.has(name)),
    missingTables: manifest.tables.filter(({ name }) => !columnsOf.has(name)),
    missingSequences: manifest.sequences.filter(({ name }) => !sequences.has(name)),
  };
}

/** A line for each missing part, with the place of its values. */
export function describeMissing({ tables, missingTables, missingSequences }: PartsInDatabase): string[] {
  const place = (table: TableInBackup) => `${countRows(table)} rows in ${table.name}.copy.gz`;
  return [
    ...missingTables.map((table) => `table ${table.name}: ${place(table)}`),
    ...tables.flatMap((table) =>
      table.missing.map((column) => `column ${column} of table ${table.name}: ${place(table)}`),
    ),
    ...missingSequences.map(({ name, value }) => `sequence ${name}: last value ${value}`),
  ];
}

/** The number of rows of a table in a backup. */
export const countRows = ({ sums }: TableInBackup): number =>
  Object.values(sums).reduce((count, { rows }) => count + rows, 0);
