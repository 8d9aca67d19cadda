import type { EntityManager } from 'typeorm';
import { CLAIM_HOLDS, type ClaimedRow, keyOfClaim } from '../platform/work/row-work.js';
import { WorkAborted } from '../platform/work/work-kind.js';

/** Deletes the chunks of an earlier worker, because its snapshot cannot be read again. */
export async function restartExport(tx: EntityManager, claim: ClaimedRow): Promise<void> {
  await tx.query(
    `WITH mine AS (SELECT id FROM exports WHERE ${CLAIM_HOLDS} FOR UPDATE)
     DELETE FROM export_chunks c USING mine WHERE c.workspace_id = $1 AND c.export_id = mine.id`,
    keyOfClaim(claim),
  );
}

/** Stores the next chunk together with the progress, if the claim holds. */
export async function storeChunk(
  tx: EntityManager,
  claim: ClaimedRow,
  chunk: { number: number; content: Buffer; rows: number },
): Promise<void> {
  const rows = await tx.query<unknown[]>(
    `WITH kept AS (
       UPDATE exports SET chunk_count = $4 + 1, row_count = $6, bytes = bytes + octet_length($5::bytea)
        WHERE ${CLAIM_HOLDS} RETURNING workspace_id, id)
     INSERT INTO export_chunks (workspace_id, export_id, number, content)
     SELECT workspace_id, id, $4, $5 FROM kept RETURNING 1`,
    [...keyOfClaim(claim), chunk.number, chunk.content, chunk.rows],
  );
  if (rows.length === 0) throw new WorkAborted('lease_lost');
}

export async function deleteChunks(
  tx: EntityManager,
  { workspaceId, id }: { workspaceId: number; id: string },
): Promise<void> {
  await tx.query('DELETE FROM export_chunks WHERE workspace_id = $1 AND export_id = $2', [workspaceId, id]);
}

/** Deletes the file of one expired export. Returns false if there is none. */
export async function expireOne(tx: EntityManager): Promise<boolean> {
  const [[expired]] = await tx.query<[{ workspaceId: number; id: string }[], number]>(
    `UPDATE exports SET status = 'expired' WHERE (workspace_id, id) = (
       SELECT workspace_id, id FROM exports WHERE status = 'completed' AND expires_at < now()
        ORDER BY expires_at LIMIT 1 FOR UPDATE SKIP LOCKED)
     RETURNING workspace_id AS "workspaceId", id`,
  );
  if (!expired) return false;
  await deleteChunks(tx, expired);
  return true;
}

/** Deletes exports whose file expired `keepDays` ago. */
export async function forgetExports(tx: EntityManager, keepDays: number): Promise<void> {
  await tx.query(`DELETE FROM exports WHERE expires_at < now() - $1 * interval '1 day' AND status <> 'completed'`, [
    keepDays,
  ]);
}
