import type { DataSource } from 'typeorm';
import type { Claim, Standing, Turn, WorkControl, WorkKind } from './work-kind.js';

/** A claim on one row. */
export interface ClaimedRow extends Claim {
  id: string;
}

/** What tells one table of work from another. Conditions are about the row `w`. */
export interface WorkTable {
  table: string;
  idType: 'text' | 'uuid' | 'integer' | 'bigint';
  /** The row waits or is worked on. */
  open: string;
  /** Somebody still wants the result of an open row; always so when it is left out. */
  wanted?: string;
  /** Assignments beside those of the claim itself, when a row is claimed and when it is given back. */
  claimed: string;
  givenBack: string;
}

/** The row is still in the hands of this claim: the condition of everything that a claim writes, see `keyOfClaim`. */
export const CLAIM_HOLDS = `workspace_id = $1 AND id = $2 AND claim = $3 AND status = 'running'`;

/** The parameters $1 to $3 of `CLAIM_HOLDS`. */
export function keyOfClaim({ workspaceId, id, claim }: { workspaceId: number; id: string; claim: string | null }) {
  return [workspaceId, id, claim];
}

/**
 * Work in a table of which every row is one piece. It has the columns workspace_id, id, status, created_at, attempts,
 * lease_until and claim.
 */
export abstract class RowWork implements WorkKind<ClaimedRow> {
  abstract readonly name: string;

  protected constructor(
    protected readonly db: DataSource,
    private readonly rows: WorkTable,
  ) {}

  abstract work(claim: ClaimedRow, control: WorkControl): Promise<void>;
  abstract fail(claim: ClaimedRow, error: unknown): Promise<void>;

  /** Claims the oldest row that nobody holds of the workspace whose turn it is. */
  claim({ after, full, held }: Turn, leaseMs: number): Promise<ClaimedRow | null> {
    const next = `w.workspace_id <> ALL($3::int[]) AND coalesce(w.claim <> ALL($4::uuid[]), true)
       ORDER BY w.workspace_id <= $2::int, w.workspace_id, w.created_at`;
    return this.claimWhere(next, [leaseMs, after, full, held]);
  }

  /** Claims one row; null when it has ended or somebody else holds it. */
  claimOne({ workspaceId, id }: Pick<ClaimedRow, 'workspaceId' | 'id'>, leaseMs: number): Promise<ClaimedRow | null> {
    return this.claimWhere('w.workspace_id = $2 AND w.id = $3', [leaseMs, workspaceId, id]);
  }

  /** A row that is locked is not waited for: nobody else can claim it either, and the next time is soon enough. */
  async renew(claims: ClaimedRow[], leaseMs: number): Promise<Map<string, Standing>> {
    const { table, idType, open, wanted = 'true' } = this.rows;
    const rows = await this.db.query<{ claim: string; standing: Standing }[]>(
      `WITH given AS (
         SELECT workspace_id, id, claim, set_config('synchronous_commit', 'off', true)
           FROM unnest($1::int[], $2::${idType}[], $3::uuid[]) AS g (workspace_id, id, claim)),
       held AS (
         SELECT workspace_id, id FROM ${table} w JOIN given USING (workspace_id, id, claim)
          WHERE ${open} FOR NO KEY UPDATE OF w SKIP LOCKED),
       renewed AS (
         UPDATE ${table} w SET lease_until = now() + $4 * interval '1 millisecond'
           FROM held WHERE w.workspace_id = held.workspace_id AND w.id = held.id)
       SELECT g.claim, CASE WHEN ${open} AND ${wanted} THEN 'held' ELSE 'cancelled' END AS standing
         FROM given g LEFT JOIN ${table} w ON w.workspace_id = g.workspace_id AND w.id = g.id
        WHERE w.id IS NULL OR w.claim = g.claim`,
      [claims.map((c) => c.workspaceId), claims.map((c) => c.id), claims.map((c) => c.claim), leaseMs],
    );
    return new Map(rows.map(({ claim, standing }) => [claim, standing]));
  }

  /** Leaves the row to others at once, as if it had not been claimed. */
  async giveBack(claim: ClaimedRow): Promise<void> {
    await this.db.query(
      `UPDATE ${this.rows.table} SET attempts = attempts - 1, lease_until = NULL, claim = NULL, ${this.rows.givenBack}
        WHERE ${CLAIM_HOLDS}`,
      keyOfClaim(claim),
    );
  }

  private async claimWhere(which: string, parameters: unknown[]): Promise<ClaimedRow | null> {
    const { table, open, claimed } = this.rows;
    const [[row]] = await this.db.query<[ClaimedRow[], number]>(
      `UPDATE ${table} SET status = 'running', claim = gen_random_uuid(), attempts = attempts + 1,
              lease_until = now() + $1 * interval '1 millisecond', ${claimed}
        WHERE (workspace_id, id) = (
          SELECT w.workspace_id, w.id FROM ${table} w
           WHERE ${open} AND (w.lease_until IS NULL OR w.lease_until < now()) AND ${which} LIMIT 1 FOR UPDATE SKIP LOCKED)
        RETURNING workspace_id AS "workspaceId", id, claim, attempts`,
      parameters,
    );
    return row ?? null;
  }
}
