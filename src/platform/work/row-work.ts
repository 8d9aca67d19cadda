import { randomUUID } from 'node:crypto';
import { Logger } from '@nestjs/common';
import type { DataSource, EntityManager, EntityTarget, FindOptionsWhere, QueryDeepPartialEntity } from 'typeorm';
import { workspaceOf } from '../database/one-workspace.js';
import { Problem } from '../errors/problem.js';
import { claimInTurn } from './claim-in-turn.js';
import {
  type Claim,
  type Standing,
  type Turn,
  WorkAborted,
  type WorkControl,
  WorkFailure,
  type WorkKind,
} from './work-kind.js';
import { isFree } from './free-lease.js';
import type { WorkRow } from './work-row.js';

/** A claim on one row. */
export interface ClaimedRow extends Claim {
  id: string;
}

/** Describes a table of work. Conditions are about the row `w`. */
export interface WorkTable {
  /** The name of the kind of work. */
  name: string;
  table: string;
  idType: 'text' | 'uuid' | 'integer' | 'bigint';
  /** Condition: the row waits or is in progress. */
  open: string;
  /** Condition: somebody still wants the result of an open row; by default always. */
  wanted?: string;
  /** Assignments beside those of the claim itself, when a row is claimed and when it is given back. */
  claimed: string;
  givenBack: string;
  /** Order of the rows in a workspace; by default the oldest first. */
  order?: string;
}

/** The time of the transaction, as the value of a field. */
export const now = (): string => 'now()';

/** The condition of every write of a claim: the claim still holds the row, see `keyOfClaim`. */
export const CLAIM_HOLDS = `workspace_id = $1 AND id = $2 AND claim = $3 AND status = 'running'`;

/** The parameters $1 to $3 of `CLAIM_HOLDS`. */
export function keyOfClaim({ workspaceId, id, claim }: { workspaceId: number; id: string; claim: string | null }) {
  return [workspaceId, id, claim];
}

/** Condition: no worker holds the row, or its lease has expired. */
const FREE = isFree('w');
const notHeld = (claims: string): string => `coalesce(w.claim <> ALL(${claims}::uuid[]), true)`;

/** A condition about rows of the workspace $1: also for other tables, it names the workspace as a parameter. */
const ofWorkspace = (condition: string): string => condition.replaceAll('w.workspace_id', '$1');

/** `value` is the parameter $4. */
interface RowsToClaim {
  workspaceId: number;
  leaseMs: number;
  value: unknown;
}

/**
 * Work in a table with one piece of work per row. The table has the columns workspace_id, id, status and created_at,
 * and those of `WorkRow`.
 */
export abstract class RowWork<E extends WorkRow> implements WorkKind<ClaimedRow> {
  readonly name: string;
  protected readonly log = new Logger(this.constructor.name);

  protected constructor(
    protected readonly db: DataSource,
    private readonly rows: WorkTable,
    private readonly entity: EntityTarget<E>,
  ) {
    this.name = rows.name;
  }

  abstract work(claim: ClaimedRow, control: WorkControl): Promise<void>;
  abstract fail(claim: ClaimedRow, error: unknown): Promise<void>;

  /**
   * The message of an error for users. An error that is not meant for users is logged, and `serverError` returned
   * instead.
   */
  protected messageOf(error: unknown, { id }: ClaimedRow, serverError: string): string {
    if (error instanceof WorkFailure || error instanceof Problem) return error.message;
    this.log.error(`${this.name} ${id}: ${error instanceof Error ? error.stack : String(error)}`);
    return serverError;
  }

  /** The claimed row. Throws WorkAborted when the claim is lost. */
  protected async readClaimed(tx: EntityManager, claim: ClaimedRow): Promise<E> {
    const row = await tx.findOneBy(this.entity, rowOf<E>(claim));
    if (!row) throw new WorkAborted('lease_lost');
    return row;
  }

  /** Writes to the claimed row. Throws WorkAborted when the claim is lost. */
  protected async update(tx: EntityManager, claim: ClaimedRow, fields: QueryDeepPartialEntity<E>): Promise<void> {
    const { affected } = await tx.update(this.entity, { ...rowOf<E>(claim), status: 'running' }, fields);
    if (affected === 0) throw new WorkAborted('lease_lost');
  }

  /** Ends the claimed row and releases the claim; `fields` has the status. Throws WorkAborted when the claim is lost. */
  protected end(tx: EntityManager, claim: ClaimedRow, fields: QueryDeepPartialEntity<E>): Promise<void> {
    return this.update(tx, claim, { claim: null, leaseUntil: null, ...fields });
  }

  /** Queues the claimed row again for its next step, with all its attempts. Throws WorkAborted when the claim is lost. */
  protected requeue(tx: EntityManager, claim: ClaimedRow, fields: QueryDeepPartialEntity<E>): Promise<void> {
    return this.update(tx, claim, { status: 'queued', claim: null, leaseUntil: null, attempts: 0, ...fields });
  }

  /** Claims the first free row of the workspace whose turn it is. */
  async claim(turn: Turn, leaseMs: number): Promise<ClaimedRow | null> {
    const { claimed } = await claimInTurn(turn, {
      next: (left) => this.nextWorkspace(left),
      claim: (workspaceId) =>
        this.claimWhere(`${notHeld('$4')} ORDER BY ${this.rows.order ?? 'w.created_at'}`, {
          workspaceId,
          leaseMs,
          value: turn.held,
        }),
    });
    return claimed;
  }

  /** Claims one row; null when it has ended or another worker holds it. */
  claimOne({ workspaceId, id }: Pick<ClaimedRow, 'workspaceId' | 'id'>, leaseMs: number): Promise<ClaimedRow | null> {
    return this.claimWhere('w.id = $4', { workspaceId, leaseMs, value: id });
  }

  /** Skips locked rows: nobody else can claim them either, and the next renewal is soon enough. */
  async renew(claims: ClaimedRow[], leaseMs: number): Promise<Map<string, Standing>> {
    const { table, idType, open, wanted = 'true' } = this.rows;
    const rows = await this.db.query<{ claim: string; holds: boolean }[]>(
      `WITH given AS (
         SELECT id, claim, set_config('synchronous_commit', 'off', true) FROM unnest($2::${idType}[], $3::uuid[]) AS g (id, claim)),
       held AS (
         SELECT w.id FROM ${table} w JOIN given USING (id, claim)
          WHERE w.workspace_id = $1 AND ${ofWorkspace(open)} FOR NO KEY UPDATE OF w SKIP LOCKED),
       renewed AS (
         UPDATE ${table} w SET lease_until = now() + $4 * interval '1 millisecond'
           FROM held WHERE w.workspace_id = $1 AND w.id = held.id)
       SELECT g.claim, (${ofWorkspace(open)} AND ${ofWorkspace(wanted)}) IS TRUE AS holds
         FROM given g LEFT JOIN ${table} w ON w.workspace_id = $1 AND w.id = g.id
        WHERE w.id IS NULL OR w.claim = g.claim`,
      [workspaceOf(claims), claims.map((c) => c.id), claims.map((c) => c.claim), leaseMs],
    );
    return new Map(rows.map(({ claim, holds }) => [claim, holds ? 'held' : 'cancelled']));
  }

  /** Gives the row back at once, as if it had not been claimed. */
  async giveBack(claim: ClaimedRow): Promise<void> {
    await this.db.query(
      `UPDATE ${this.rows.table} SET attempts = attempts - 1, lease_until = NULL, claim = NULL, ${this.rows.givenBack}
        WHERE ${CLAIM_HOLDS}`,
      keyOfClaim(claim),
    );
  }

  private async nextWorkspace({ after, full, held }: Turn): Promise<number | null> {
    const { table, open } = this.rows;
    const [row] = await this.db.query<{ workspace_id: number }[]>(
      `SELECT w.workspace_id FROM ${table} w
        WHERE ${open} AND ${FREE} AND w.workspace_id <> ALL($2::int[]) AND ${notHeld('$3')}
        ORDER BY w.workspace_id <= $1::int, w.workspace_id LIMIT 1`,
      [after, full, held],
    );
    return row?.workspace_id ?? null;
  }

  private async claimWhere(which: string, { workspaceId, leaseMs, value }: RowsToClaim): Promise<ClaimedRow | null> {
    const { table, open, claimed } = this.rows;
    const [[row]] = await this.db.query<[ClaimedRow[], number]>(
      `UPDATE ${table} SET status = 'running', claim = $3, attempts = attempts + 1,
              lease_until = now() + $2 * interval '1 millisecond', ${claimed}
        WHERE workspace_id = $1 AND id = (
          SELECT w.id FROM ${table} w
           WHERE w.workspace_id = $1 AND ${ofWorkspace(open)} AND ${FREE} AND ${which} LIMIT 1 FOR UPDATE SKIP LOCKED)
        RETURNING workspace_id AS "workspaceId", id, claim, attempts`,
      [workspaceId, leaseMs, randomUUID(), value],
    );
    return row ?? null;
  }
}

/** The row of a claim, while the claim holds. TypeORM cannot know which fields every table of work has. */
function rowOf<E>({ workspaceId, id, claim }: ClaimedRow): FindOptionsWhere<E> {
  return { workspaceId, id, claim } as unknown as FindOptionsWhere<E>;
}
