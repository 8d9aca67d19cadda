import type { EntityManager } from 'typeorm';
import { int4Array, textArray } from '../../platform/database/binary-arrays.js';
import { Statement } from '../../platform/database/statement.js';
import type { IndexOf } from './segments.queries.js';

/** The segment and number of a document. */
export interface DocumentPlace {
  key: string;
  segmentId: string;
  document: number;
}

interface PlaceRow {
  key: string;
  segment_id: string;
  document: number;
}

const FIND = new Statement<PlaceRow>(`
  SELECT key, segment_id, document FROM search_documents WHERE workspace_id = $1 AND kind = $2 AND key = ANY($3::text[])`);

export async function findDocuments(
  tx: EntityManager,
  { workspaceId, kind }: IndexOf,
  keys: readonly string[],
): Promise<DocumentPlace[]> {
  const rows = await FIND.run(tx, [workspaceId, kind, textArray(keys)]);
  return rows.map(({ segment_id: segmentId, ...row }) => ({ ...row, segmentId }));
}

const PLACE = new Statement(`
  INSERT INTO search_documents (workspace_id, kind, key, segment_id, document)
  SELECT $1, $2, n.key, $3, n.document FROM unnest($4::text[], $5::int[]) AS n (key, document)
  ON CONFLICT (workspace_id, kind, key) DO UPDATE SET segment_id = excluded.segment_id, document = excluded.document`);

/** Records the documents of a segment, in the order of their keys. */
export async function placeDocuments(
  tx: EntityManager,
  { workspaceId, kind, segmentId }: IndexOf & { segmentId: string },
  keys: readonly string[],
): Promise<void> {
  await PLACE.run(tx, [workspaceId, kind, segmentId, textArray(keys), int4Array(keys.map((_, document) => document))]);
}

const REMOVE = new Statement(
  'DELETE FROM search_documents WHERE workspace_id = $1 AND kind = $2 AND key = ANY($3::text[])',
);

export async function removeDocuments(
  tx: EntityManager,
  { workspaceId, kind }: IndexOf,
  keys: readonly string[],
): Promise<void> {
  await REMOVE.run(tx, [workspaceId, kind, textArray(keys)]);
}
