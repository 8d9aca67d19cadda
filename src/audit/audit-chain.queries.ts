import type { EntityManager } from 'typeorm';
import { INSTALLATION } from '../access/index.js';
import { isoTimestamp } from '../platform/database/iso-timestamp.js';
import type { JsonObject } from '../platform/json.js';
import { readJson } from '../platform/read-json.js';
import type { ChainPlace, HashedEntry } from './chain-hash.js';

/** The head of a chain. */
export interface ChainHead extends ChainPlace {
  sealedAt: Date | null;
  sentAfter: number;
}

/** An entry with its place in the chain. */
export interface SealedEntry {
  entry: HashedEntry;
  place: ChainPlace;
  detailsHash: Buffer;
}

const HEAD = `position, entry_id AS "entryId", hash, sealed_at AS "sealedAt", sent_after AS "sentAfter"`;

const HASHED = `e.id, ${isoTimestamp('e.occurred_at')} AS "occurredAt", e.action, e.entity_id AS "entityId",
  e.key_id AS "keyId", e.request_id AS "requestId", e.details::text AS details`;

/** bigint columns as texts. */
type HeadRow = Pick<ChainHead, 'hash' | 'sealedAt'> & { position: string; entryId: string; sentAfter: string };
type EntryRow = Omit<HashedEntry, 'id' | 'details' | 'workspaceId'> & { id: string; details: string };

const toHead = ({ position, entryId, sentAfter, ...row }: HeadRow): ChainHead => ({
  ...row,
  position: Number(position),
  entryId: Number(entryId),
  sentAfter: Number(sentAfter),
});

/** Finds workspaces, and the installation, with unsealed entries up to `settled`. Reads the index once for each. */
export async function findUnsealed(db: EntityManager, settled: number): Promise<number[]> {
  const found = await db.query<{ id: number }[]>(
    `SELECT w.id FROM (SELECT id FROM workspaces UNION ALL SELECT $2::integer) AS w LEFT JOIN audit_heads c ON c.workspace_id = w.id
      WHERE EXISTS (SELECT FROM audit_entries e
                     WHERE e.workspace_id = w.id AND e.id > coalesce(c.entry_id, 0) AND e.id <= $1::bigint)`,
    [settled, INSTALLATION],
  );
  return found.map(({ id }) => id);
}

/** Locks the head of a chain, which is created first. Null when another worker holds it. */
export async function lockHead(tx: EntityManager, workspaceId: number): Promise<ChainHead | null> {
  await tx.query('INSERT INTO audit_heads (workspace_id) VALUES ($1) ON CONFLICT DO NOTHING', [workspaceId]);
  const [row] = await tx.query<HeadRow[]>(
    `SELECT ${HEAD} FROM audit_heads WHERE workspace_id = $1 FOR UPDATE SKIP LOCKED`,
    [workspaceId],
  );
  return row ? toHead(row) : null;
}

/** Reads the head and the last seal. They differ only if one of them was tampered with. */
export async function readHead(
  db: EntityManager,
  workspaceId: number,
): Promise<{ head: ChainHead | null; lastSeal: number }> {
  const [row] = await db.query<(Partial<HeadRow> & { lastSeal: string })[]>(
    `SELECT c.*, coalesce((SELECT max(entry_id) FROM audit_seals WHERE workspace_id = $1), 0) AS "lastSeal"
       FROM (SELECT) AS one LEFT JOIN (SELECT ${HEAD} FROM audit_heads WHERE workspace_id = $1) AS c ON true`,
    [workspaceId],
  );
  const { lastSeal, ...head } = row!;
  return { head: head.position ? toHead(head as HeadRow) : null, lastSeal: Number(lastSeal) };
}

/** Up to `limit` entries after one, in the order of their ids. */
export async function readEntries(
  db: EntityManager,
  workspaceId: number,
  { after, upTo, limit }: { after: number; upTo: number; limit: number },
): Promise<HashedEntry[]> {
  const rows = await db.query<EntryRow[]>(
    `SELECT ${HASHED} FROM audit_entries e
      WHERE e.workspace_id = $1 AND e.id > $2::bigint AND e.id <= $3::bigint ORDER BY e.id LIMIT $4`,
    [workspaceId, after, upTo, limit],
  );
  return rows.map((row) => ({ ...row, workspaceId, id: Number(row.id), details: readJson<JsonObject>(row.details) }));
}

export interface Seal extends ChainPlace {
  detailsHash: Buffer;
}

/** Up to `limit` seals after an entry, in the order of the chain. */
export async function readSeals(
  db: EntityManager,
  workspaceId: number,
  { after, upTo, limit }: { after: number; upTo: number; limit: number },
): Promise<Seal[]> {
  const rows = await db.query<{ position: string; entryId: string; hash: Buffer; detailsHash: Buffer }[]>(
    `SELECT position, entry_id AS "entryId", hash, details_hash AS "detailsHash" FROM audit_seals
      WHERE workspace_id = $1 AND entry_id > $2::bigint AND entry_id <= $3::bigint ORDER BY entry_id LIMIT $4`,
    [workspaceId, after, upTo, limit],
  );
  return rows.map((row) => ({ ...row, position: Number(row.position), entryId: Number(row.entryId) }));
}

/** Appends entries to the chain whose head is locked. */
export async function storeSeals(tx: EntityManager, workspaceId: number, sealed: SealedEntry[]): Promise<void> {
  const places = sealed.map(({ place }) => place);
  const last = places.at(-1)!;
  await tx.query(
    `INSERT INTO audit_seals (workspace_id, entry_id, position, details_hash, hash)
     SELECT $1, * FROM unnest($2::bigint[], $3::bigint[], $4::bytea[], $5::bytea[])`,
    [
      workspaceId,
      places.map(({ entryId }) => entryId),
      places.map(({ position }) => position),
      sealed.map(({ detailsHash }) => detailsHash),
      places.map(({ hash }) => hash),
    ],
  );
  await tx.query(
    `UPDATE audit_heads SET position = $2, entry_id = $3, hash = $4, sealed_at = $5 WHERE workspace_id = $1`,
    [workspaceId, last.position, last.entryId, last.hash, new Date()],
  );
}

/** The number of entries after one. */
export async function countAfter(db: EntityManager, workspaceId: number, entryId: number): Promise<number> {
  const [row] = await db.query<{ count: number }[]>(
    'SELECT count(*)::int AS count FROM audit_entries WHERE workspace_id = $1 AND id > $2::bigint',
    [workspaceId, entryId],
  );
  return row!.count;
}

/** Persons who were erased in the workspace, out of some given by their keyed hashes. */
export async function findErased(db: EntityManager, workspaceId: number, persons: string[]): Promise<Set<string>> {
  const rows = await db.query<{ person: string }[]>(
    `SELECT DISTINCT details ->> 'person' AS person FROM audit_entries
      WHERE workspace_id = $1 AND action = 'erasure.create' AND details ->> 'person' = ANY($2::text[])`,
    [workspaceId, persons],
  );
  return new Set(rows.map(({ person }) => person));
}
