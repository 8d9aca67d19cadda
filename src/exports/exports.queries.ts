import type { EntityManager } from 'typeorm';

/** What tells the export of a worker from one that another worker has taken over. */
export interface Claim {
  workspaceId: number;
  id: string;
  attempts: number;
}

/** The export has been cancelled or deleted, or another worker has it. */
export class ClaimLost extends Error {}

const MINE = `workspace_id = $1 AND id = $2 AND attempts = $3 AND status = 'running'`;

/**
 * The workers' race for an export: whoever gets the lease has it, from the beginning. What a worker before has written
 * goes: what it has read cannot be read again at the same moment.
 */
export async function claimExport(
  tx: EntityManager,
  workspaceId: number,
  id: string,
  leaseMs: number,
): Promise<Claim | null> {
  const [[claimed]] = await tx.query<[{ attempts: number }[], number]>(
    `UPDATE exports SET status = 'running', attempts = attempts + 1, lease_until = now() + $3 * interval '1 millisecond',
            row_total = NULL, row_count = 0, chunk_count = 0, bytes = 0
      WHERE workspace_id = $1 AND id = $2 AND status IN ('queued', 'running') AND (lease_until IS NULL OR lease_until < now())
      RETURNING attempts`,
    [workspaceId, id, leaseMs],
  );
  if (!claimed) return null;
  await tx.query('DELETE FROM export_chunks WHERE workspace_id = $1 AND export_id = $2', [workspaceId, id]);
  return { workspaceId, id, ...claimed };
}

/** False when the claim is lost. */
export async function renewLease(tx: EntityManager, claim: Claim, leaseMs: number): Promise<boolean> {
  const [, kept] = await tx.query<[unknown[], number]>(
    `UPDATE exports SET lease_until = now() + $4 * interval '1 millisecond' WHERE ${MINE}`,
    [...keyOf(claim), leaseMs],
  );
  return kept > 0;
}

export async function storeTotal(tx: EntityManager, claim: Claim, total: number | null): Promise<void> {
  await tx.query(`UPDATE exports SET row_total = $4 WHERE ${MINE}`, [...keyOf(claim), total]);
}

/** Stores the next chunk together with the progress, if the claim holds. Throws ClaimLost. */
export async function storeChunk(
  tx: EntityManager,
  claim: Claim,
  chunk: { number: number; content: Buffer; rows: number },
): Promise<void> {
  const rows = await tx.query<unknown[]>(
    `WITH kept AS (
       UPDATE exports SET chunk_count = $4 + 1, row_count = $6, bytes = bytes + octet_length($5::bytea)
        WHERE ${MINE} RETURNING workspace_id, id)
     INSERT INTO export_chunks (workspace_id, export_id, number, content)
     SELECT workspace_id, id, $4, $5 FROM kept RETURNING 1`,
    [...keyOf(claim), chunk.number, chunk.content, chunk.rows],
  );
  if (rows.length === 0) throw new ClaimLost();
}

/** Ends an export for good, if the claim holds. */
export async function finishExport(
  tx: EntityManager,
  claim: Claim,
  end: { rows: number; sha256: string; keepDays: number },
): Promise<void> {
  await tx.query(
    `UPDATE exports SET status = 'completed', row_count = $4, row_total = $4, sha256 = $5, lease_until = NULL,
            finished_at = now(), expires_at = now() + $6 * interval '1 day'
      WHERE ${MINE}`,
    [...keyOf(claim), end.rows, end.sha256, end.keepDays],
  );
}

export async function failExport(
  tx: EntityManager,
  claim: Claim,
  { message, keepDays }: { message: string; keepDays: number },
): Promise<void> {
  const [, failed] = await tx.query<[unknown[], number]>(
    `UPDATE exports SET status = 'failed', error_message = $4, lease_until = NULL, chunk_count = 0, bytes = 0,
            finished_at = now(), expires_at = now() + $5 * interval '1 day'
      WHERE ${MINE}`,
    [...keyOf(claim), message, keepDays],
  );
  if (failed > 0) await deleteChunks(tx, claim);
}

/** Gives an export back as if this worker had never had it. Nothing may write for the claim any more: the next has the same number. */
export async function giveBack(tx: EntityManager, claim: Claim): Promise<void> {
  await tx.query(`UPDATE exports SET status = 'queued', attempts = attempts - 1, lease_until = NULL WHERE ${MINE}`, [
    ...keyOf(claim),
  ]);
}

export async function deleteChunks(tx: EntityManager, { workspaceId, id }: Omit<Claim, 'attempts'>): Promise<void> {
  await tx.query('DELETE FROM export_chunks WHERE workspace_id = $1 AND export_id = $2', [workspaceId, id]);
}

/** Exports that nobody works on. */
export function findWaiting(tx: EntityManager): Promise<{ workspaceId: number; exportId: string }[]> {
  return tx.query(
    `SELECT workspace_id AS "workspaceId", id AS "exportId" FROM exports
      WHERE finished_at IS NULL AND (lease_until IS NULL OR lease_until < now()) ORDER BY created_at LIMIT 10`,
  );
}

/** Takes the file of one export whose time has come. False when there is none. */
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

/** Forgets exports whose file has been gone for as long as it was kept. */
export async function forgetExports(tx: EntityManager, keepDays: number): Promise<void> {
  await tx.query(`DELETE FROM exports WHERE expires_at < now() - $1 * interval '1 day' AND status <> 'completed'`, [
    keepDays,
  ]);
}

const keyOf = ({ workspaceId, id, attempts }: Claim): unknown[] => [workspaceId, id, attempts];
