import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { finished, pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { ClientBase } from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { type Pack, pack } from 'tar-stream';
import { type ArchivedUser, readUsersOf } from '../../administration/index.js';
import { appliedMigrations, copyTarget, openClient, readSequences } from '../../platform/backup/stored-tables.js';
import { keysNeededBy } from '../../platform/secrets/secrets-check.js';
import type { StoredSecret } from '../../platform/secrets/stored-secrets.js';
import { VERSION } from '../../platform/version.js';
import { type Db, readArchivedTables, type WorkspaceTable } from '../shared/workspace-tables.queries.js';
import { FORMAT, FORMAT_VERSION, MANIFEST, type Manifest, type Part, PART_BYTES, partName } from './archive-format.js';
import { RowCheck } from './row-check.js';

const LINE_FEED = 10;
/** Archives contain data of customers and hashes of keys. */
const PRIVATE = 0o600;

/** Higher levels take twice as long and save a tenth. */
const COMPRESSION_LEVEL = 2;

/** Data that are read before the first row. */
interface Outline {
  workspace: { id: number; name: string };
  exportedAt: Date;
  migrations: string[];
  tables: WorkspaceTable[];
  users: ArchivedUser[];
  secretsKeys: string[];
}

export interface OpenArchive {
  /** The file as it is written. Destroying it ends the transaction. */
  file: Readable;
  /** Its manifest, when the file was read to its end. Rejects when it was not. */
  completed: Promise<Manifest>;
}

/**
 * Starts an archive of a workspace as of this moment. Uses a separate connection, which ends with the file.
 */
export async function openArchive(
  databaseUrl: string,
  workspace: Outline['workspace'],
  stored: readonly StoredSecret[],
): Promise<OpenArchive> {
  const client = await openClient(databaseUrl);
  const endClient = () => void client.end().catch(() => undefined);
  try {
    const outline = await beginArchive(client, workspace, stored);
    const target = pack();
    // The pipeline destroys it with the error that it reports itself.
    target.on('error', () => undefined);
    const file = createGzip({ level: COMPRESSION_LEVEL, chunkSize: 256 * 1024 });
    const gone = new AbortController();
    file.once('close', () => {
      gone.abort();
      endClient();
    });
    const writing = writeArchive(client, outline, { target, signal: gone.signal });
    writing.catch((error: Error) => file.destroy(error));
    const completed = Promise.all([writing, pipeline(target, file), finished(file)]).then(([manifest]) => manifest);
    completed.catch(() => undefined);
    return { file, completed };
  } catch (error) {
    endClient();
    throw error;
  }
}

/** Starts the transaction of an export, which fixes its snapshot. */
async function beginArchive(
  client: ClientBase,
  { id, name }: Outline['workspace'],
  stored: readonly StoredSecret[],
): Promise<Outline> {
  await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
  const db = asDb(client);
  const tables = await readArchivedTables(db);
  const archived = new Set(tables.map(({ name }) => name));
  const secrets = stored.filter(({ table }) => archived.has(table));
  return {
    workspace: { id, name },
    exportedAt: new Date(),
    migrations: await appliedMigrations(client),
    tables,
    users: await readUsersOf(db, id),
    secretsKeys: await keysNeededBy(client, secrets, id),
  };
}

/**
 * Writes the parts of all tables and then the manifest, one part after the other: it holds one part in memory, whatever the size of the
 * workspace. Returns the manifest.
 */
async function writeArchive(
  client: ClientBase,
  outline: Outline,
  { target, signal }: { target: Pack; signal: AbortSignal },
): Promise<Manifest> {
  const add = async (name: string, contents: Buffer) => {
    const entry = target.entry({ name, size: contents.length, mtime: outline.exportedAt, mode: PRIVATE });
    // The entry is destroyed with the archive, even if nothing waits for it any more.
    entry.on('error', () => undefined);
    const written = once(entry, 'close', { signal });
    entry.end(contents);
    await written;
  };
  const parts: Part[] = [];
  const tables: Manifest['tables'] = [];
  for (const table of outline.tables) {
    const first = parts.length;
    for await (const rows of partsOf(client, table, outline.workspace.id)) {
      const name = partName(table.name, parts.length - first);
      const check = new RowCheck(name, outline.workspace.id);
      check.add(rows);
      parts.push({ name, table: table.name, ...check.end() });
      await add(name, rows);
    }
    const counts = parts.slice(first).map(({ rows }) => rows);
    tables.push({ name: table.name, columns: table.columns, rows: counts.reduce((sum, rows) => sum + rows, 0) });
  }
  const manifest = await toManifest(client, outline, { tables, parts });
  const contents = Buffer.from(`${JSON.stringify(manifest, null, 1)}\n`);
  await add(MANIFEST, contents);
  target.finalize();
  return manifest;
}

async function toManifest(
  client: ClientBase,
  { workspace, exportedAt, migrations, users, secretsKeys }: Outline,
  { tables, parts }: Pick<Manifest, 'tables' | 'parts'>,
): Promise<Manifest> {
  // Sequences are not part of the snapshot. They are read after the rows, so that no row has a number beyond them.
  const sequences = await readSequences(client);
  return {
    format: FORMAT,
    format_version: FORMAT_VERSION,
    version: VERSION,
    migrations,
    workspace,
    exported_at: exportedAt.toISOString(),
    secrets_keys: secretsKeys,
    users: users.map(({ id, email, createdAt }) => ({ id, email, created_at: createdAt })),
    sequences: Object.fromEntries(sequences.map(({ name, value, isCalled }) => [name, isCalled ? value : '0'])),
    tables,
    parts,
  };
}

/** Reads whole rows of a workspace in parts. The id is a number, so it is safe in the statement. */
async function* partsOf(client: ClientBase, table: WorkspaceTable, workspaceId: number): AsyncGenerator<Buffer> {
  const [, columns] = /\((.*)\)$/s.exec(copyTarget(table))!;
  const rows = `SELECT ${columns} FROM "${table.name}" WHERE ${table.key} = ${Number(workspaceId)}`;
  const copied = client.query(copyTo(`COPY (${rows}) TO STDOUT`));
  let kept: Buffer[] = [];
  let length = 0;
  for await (const chunk of copied as AsyncIterable<Buffer>) {
    kept.push(chunk);
    length += chunk.length;
    const end = length < PART_BYTES ? -1 : chunk.lastIndexOf(LINE_FEED);
    if (end === -1) continue;
    const rest = chunk.subarray(end + 1);
    kept[kept.length - 1] = chunk.subarray(0, end + 1);
    yield Buffer.concat(kept);
    kept = rest.length > 0 ? [rest] : [];
    length = rest.length;
  }
  if (length > 0) yield Buffer.concat(kept);
}

const asDb = (client: ClientBase): Db => ({
  query: async <T>(text: string, parameters?: unknown[]) => (await client.query(text, parameters)).rows as T,
});
