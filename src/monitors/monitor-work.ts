import { randomUUID } from 'node:crypto';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { CONFIG, type Config } from '../platform/config/config.js';
import { workspaceOf } from '../platform/database/one-workspace.js';
import { claimInTurn } from '../platform/work/claim-in-turn.js';
import { isFree } from '../platform/work/free-lease.js';
import type { Standing, Turn, WorkControl, WorkKind } from '../platform/work/work-kind.js';
import type { ClaimedMonitors } from './claimed-monitors.js';
import { Evaluation } from './evaluation.js';

/** Monitors of one claim. */
const BATCH = 200;
/** A batch that failed is tried again after this time. */
const PAUSE_SECONDS = 300;

const IS_DUE = `w.state = 'active' AND w.due_at <= now() AND ${isFree('w')}`;
const notHeld = (claims: string): string => `coalesce(w.claim <> ALL(${claims}::text[]::uuid[]), true)`;

/** Evaluates due monitors. A claim has all of a workspace, so monitors with the same sums read them once. */
@Injectable()
export class MonitorWork implements WorkKind<ClaimedMonitors> {
  readonly name = 'monitors';
  readonly isUpkeep = true;
  readonly mostOfOneWorkspace = 1;
  private readonly log = new Logger(MonitorWork.name);

  constructor(
    private readonly db: DataSource,
    private readonly evaluation: Evaluation,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  async claim(turn: Turn, leaseMs: number): Promise<ClaimedMonitors | null> {
    const { claimed } = await claimInTurn(turn, {
      next: (left) => this.nextWorkspace(left),
      claim: (workspaceId) => this.claimIn(workspaceId, turn.held, leaseMs),
    });
    return claimed;
  }

  work(claim: ClaimedMonitors, { signal }: WorkControl): Promise<void> {
    return this.evaluation.run(claim, { signal, delayMs: this.config.monitorDelaySeconds * 1000 });
  }

  /**
   * A monitor that was changed meanwhile has left the claim; the others are still held. Skips locked ones: nobody else
   * can claim them either, and the next renewal is soon enough.
   */
  async renew(claims: ClaimedMonitors[], leaseMs: number): Promise<Map<string, Standing>> {
    const rows = await this.db.query<{ claim: string }[]>(
      `WITH held AS (
         SELECT id FROM monitors WHERE workspace_id = $1 AND claim = ANY($2::uuid[]) FOR NO KEY UPDATE SKIP LOCKED),
       renewed AS (
         UPDATE monitors m SET lease_until = now() + $3 * interval '1 millisecond'
           FROM held WHERE m.workspace_id = $1 AND m.id = held.id)
       SELECT DISTINCT claim FROM monitors WHERE workspace_id = $1 AND claim = ANY($2::uuid[])`,
      [workspaceOf(claims), claims.map(({ claim }) => claim), leaseMs],
    );
    return new Map(rows.map(({ claim }) => [claim, 'held']));
  }

  async giveBack({ workspaceId, claim }: ClaimedMonitors): Promise<void> {
    await this.db.query(
      `UPDATE monitors SET claim = NULL, lease_until = NULL, attempts = attempts - 1 WHERE workspace_id = $1 AND claim = $2`,
      [workspaceId, claim],
    );
  }

  /** They are tried again later, whatever is wrong: a monitor that ended for good would be silent when it is needed. */
  async fail({ workspaceId, claim }: ClaimedMonitors, error: unknown): Promise<void> {
    this.log.error(`Monitors of workspace ${workspaceId} could not be evaluated and wait: ${String(error)}`);
    await this.db.query(
      `UPDATE monitors SET claim = NULL, lease_until = NULL, attempts = 0, due_at = now() + $3 * interval '1 second',
              problem = 'The server could not evaluate it and will try again.'
        WHERE workspace_id = $1 AND claim = $2`,
      [workspaceId, claim, PAUSE_SECONDS],
    );
  }

  private async nextWorkspace({ after, full, held }: Turn): Promise<number | null> {
    const [row] = await this.db.query<{ workspace_id: number }[]>(
      `SELECT w.workspace_id FROM monitors w WHERE ${IS_DUE} AND w.workspace_id <> ALL($2::int[]) AND ${notHeld('$3')}
        ORDER BY w.workspace_id <= $1::int, w.workspace_id LIMIT 1`,
      [after, full, held],
    );
    return row?.workspace_id ?? null;
  }

  private async claimIn(workspaceId: number, held: string[], leaseMs: number): Promise<ClaimedMonitors | null> {
    const claim = randomUUID();
    const [rows] = await this.db.query<[{ attempts: number; now: number }[], number]>(
      `UPDATE monitors SET claim = $2, attempts = attempts + 1, lease_until = now() + $3 * interval '1 millisecond'
        WHERE workspace_id = $1 AND id IN (
          SELECT w.id FROM monitors w WHERE w.workspace_id = $1 AND ${IS_DUE} AND ${notHeld('$4')}
           ORDER BY w.due_at LIMIT ${BATCH} FOR UPDATE SKIP LOCKED)
        RETURNING attempts, date_part('epoch', now()) * 1000 AS now`,
      [workspaceId, claim, leaseMs, held],
    );
    const [first] = rows;
    if (!first) return null;
    return { workspaceId, claim, now: first.now, attempts: Math.max(...rows.map(({ attempts }) => attempts)) };
  }
}
