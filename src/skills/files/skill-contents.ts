import { createHash } from 'node:crypto';
import type { EntityManager } from 'typeorm';
import { byteaArray } from '../../platform/database/binary-arrays.js';
import type { StoredFile } from '../shared/skill-collection.entity.js';

/** Bytes that are written or read at once. */
const AT_ONCE = 8 * 1024 * 1024;

/** A file of a request. */
export interface GivenFile {
  path: string;
  /** In bytes. */
  size: number;
  read(): Uint8Array | Promise<Uint8Array>;
}

/**
 * Stores the contents of files in groups, and returns the entries for a version. The contents stay locked until the end of the
 * transaction, so no other transaction can delete them.
 */
export async function storeContents(tx: EntityManager, workspaceId: number, files: GivenFile[]): Promise<StoredFile[]> {
  const stored: StoredFile[] = [];
  let waiting = new Map<string, Uint8Array>();
  let bytes = 0;
  for (const { path, read } of files) {
    const content = await read();
    const hash = createHash('sha256').update(content).digest('hex');
    stored.push({ path, hash, size: content.length, isText: isText(content) });
    waiting.set(hash, content);
    bytes += content.length;
    if (bytes < AT_ONCE) continue;
    await writeContents(tx, workspaceId, waiting);
    [waiting, bytes] = [new Map(), 0];
  }
  await writeContents(tx, workspaceId, waiting);
  return stored;
}

export interface ReadFile {
  file: StoredFile;
  content: Buffer;
}

/** Reads the contents of files in groups, in their order. */
export async function* readContents(
  db: EntityManager,
  workspaceId: number,
  files: StoredFile[],
): AsyncGenerator<ReadFile[]> {
  for (const group of groupsOf(files)) {
    const hashes = [...new Set(group.map(({ hash }) => hash))].map((hash) => Buffer.from(hash, 'hex'));
    const rows = await db.query<{ hash: Buffer; content: Buffer }[]>(
      'SELECT hash, content FROM skill_contents WHERE workspace_id = $1 AND hash = ANY ($2::bytea[])',
      [workspaceId, byteaArray(hashes)],
    );
    const byHash = new Map(rows.map(({ hash, content }) => [hash.toString('hex'), content]));
    yield group.map((file) => ({ file, content: byHash.get(file.hash)! }));
  }
}

/**
 * Inserts missing contents and locks existing ones. Sorts the hashes, because transactions that lock the same contents in
 * different order would deadlock.
 */
async function writeContents(tx: EntityManager, workspaceId: number, contents: Map<string, Uint8Array>): Promise<void> {
  let missing = [...contents.keys()].sort();
  while (missing.length > 0) {
    const wanted = byteaArray(missing.map((hash) => Buffer.from(hash, 'hex')));
    const known = await tx.query<HashRow[]>(
      'SELECT hash FROM skill_contents WHERE workspace_id = $1 AND hash = ANY ($2::bytea[]) FOR KEY SHARE',
      [workspaceId, wanted],
    );
    missing = without(missing, known);
    if (missing.length === 0) return;
    // Contents that another transaction has inserted meanwhile remain missing, and are locked in the next round.
    missing = without(
      missing,
      await insertContents(tx, workspaceId, new Map(missing.map((hash) => [hash, contents.get(hash)!]))),
    );
  }
}

interface HashRow {
  hash: Buffer;
}

function without(hashes: string[], rows: HashRow[]): string[] {
  const there = new Set(rows.map(({ hash }) => hash.toString('hex')));
  return hashes.filter((hash) => !there.has(hash));
}

/** Returns the hashes that were inserted. */
function insertContents(tx: EntityManager, workspaceId: number, contents: Map<string, Uint8Array>): Promise<HashRow[]> {
  const hashes = [...contents.keys()].map((hash) => Buffer.from(hash, 'hex'));
  return tx.query<HashRow[]>(
    `INSERT INTO skill_contents (workspace_id, hash, content)
     SELECT $1, n.hash, n.content FROM unnest($2::bytea[], $3::bytea[]) AS n (hash, content)
         ON CONFLICT DO NOTHING RETURNING hash`,
    [workspaceId, byteaArray(hashes), byteaArray([...contents.values()])],
  );
}

/** Groups consecutive files up to AT_ONCE bytes. A larger file is a group of its own. */
function groupsOf(files: StoredFile[]): StoredFile[][] {
  const groups: StoredFile[][] = [];
  let room = 0;
  for (const file of files) {
    if (groups.length === 0 || file.size > room) {
      groups.push([]);
      room = AT_ONCE;
    }
    groups.at(-1)!.push(file);
    room -= file.size;
  }
  return groups;
}

/** Whether the bytes survive a round trip through JSON text. */
function isText(content: Uint8Array): boolean {
  if (content.includes(0)) return false;
  try {
    new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(content);
    return true;
  } catch {
    return false;
  }
}
