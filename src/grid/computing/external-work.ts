import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../../platform/config/config.js';
import { type Standing, type Turn, type WorkControl, type WorkKind } from '../../platform/work/work-kind.js';
import { afterGrace } from '../../platform/work/grace.js';
import { WorkspacePlaces } from '../../platform/work/workspace-places.js';
import { CallBudgets } from './call-budgets.js';
import { CallSlots } from './call-slots.js';
import { CallTools } from './call-tools.js';
import { CellClaims } from './cell-claims.js';
import { CellCounts } from './cell-counts.js';
import { ExternalRun } from './external-run.js';
import { forgetResults } from './memo.queries.js';
import { ResultStore } from './result-store.js';
import { SharedResults } from './shared-results.js';
import type { ClaimedCells } from './tasks.queries.js';

/**
 * From this attempt on, a cell is claimed only while no other such cell is computed: one of them may crash workers, and
 * would make the others look guilty.
 */
const ALONE_FROM_ATTEMPT = 3;

/**
 * Maximum number of cells of a column that wait for other cells without holding slots. These are in other columns, so
 * they can always finish.
 */
const MOST_WAITING = 32;

/**
 * Work on cells with external results. A claim has as many rows as there are free slots, so a dead worker only loses
 * running calls. Every cell is stored as soon as it is finished, and then leaves the claim.
 */
@Injectable()
export class ExternalWork implements WorkKind<ClaimedCells> {
  readonly name = 'external_cells';
  /** Called when a slot becomes free, and when there may be new work for it. */
  onPlaceOrWork: () => void = () => undefined;

  private readonly places: WorkspacePlaces;
  /** Number of slots that the rows of a claim still hold. */
  private readonly held = new Map<string, number>();
  /** Number of a column's cells that wait for other cells. */
  private readonly waiting = new Map<string, number>();
  private readonly runs = new Map<string, ExternalRun>();
  private readonly results: ResultStore;
  private readonly shared = new SharedResults();
  private readonly budgets: CallBudgets;
  private readonly slots: CallSlots;
  /** The running claim on a cell whose workers died repeatedly. */
  private suspect: string | null = null;

  constructor(
    private readonly claims: CellClaims,
    private readonly tools: CallTools,
    private readonly counts: CellCounts,
    @Inject(CONFIG) private readonly config: Config,
  ) {
    const { externalConcurrency: most, externalConcurrencyPerWorkspace: mostOfOneWorkspace } = config;
    this.places = new WorkspacePlaces(most, mostOfOneWorkspace);
    this.slots = new CallSlots(most, mostOfOneWorkspace);
    this.results = new ResultStore(claims);
    this.budgets = new CallBudgets(claims.db, () => this.onPlaceOrWork());
  }

  async claim(turn: Turn, leaseMs: number): Promise<ClaimedCells | null> {
    const { room } = this.places;
    if (room === 0) return null;
    const rooms = this.places.rooms();
    const full = [...rooms].filter(([, left]) => left === 0).map(([workspaceId]) => workspaceId);
    const mostAttempts = this.suspect === null ? null : ALONE_FROM_ATTEMPT - 2;
    const fullColumns = [...this.waiting].filter(([, count]) => count >= MOST_WAITING).map(([key]) => key);
    const { waitingExecutions } = this.budgets;
    const limits = {
      isExternal: true,
      rows: room,
      rowsOfSuspects: 1,
      mostAttempts,
      rooms,
      fullColumns,
      waitingExecutions,
    };
    const claim = await this.claims.claim({ ...turn, full }, leaseMs, limits);
    if (!claim) return null;
    this.held.set(claim.claim, claim.rows.count);
    this.places.take(claim.workspaceId, claim.rows.count);
    if (claim.attempts >= ALONE_FROM_ATTEMPT) this.suspect = claim.claim;
    return claim;
  }

  async work(claim: ClaimedCells, { signal }: WorkControl): Promise<void> {
    const { claims, tools, counts, config, results, shared, budgets, slots } = this;
    const engine = { claims, tools, counts, config, results, shared, budgets, slots };
    const leave = this.leave.bind(this);
    const wait = this.wait.bind(this);
    const run = new ExternalRun({ ...engine, leave, wait, onWaiting: () => this.onPlaceOrWork() }, claim);
    this.runs.set(claim.claim, run);
    // Running calls may still finish when the process stops.
    const stopListening = afterGrace(signal, this.config.shutdownTimeoutMs, (reason) => run.signals.abortAll(reason));
    try {
      await run.compute(signal);
    } finally {
      stopListening();
      this.runs.delete(claim.claim);
      this.end(claim);
    }
    // The rest of the claim is released, or belongs to another claim already.
    signal.throwIfAborted();
  }

  async renew(claims: ClaimedCells[], leaseMs: number): Promise<Map<string, Standing>> {
    const held = await this.claims.renew(claims, leaseMs);
    for (const [claim, columns] of held) this.runs.get(claim)?.signals.keepOnly(columns);
    // A claim ends with the last of its rows, or with its execution.
    return new Map(claims.map(({ claim }) => [claim, held.has(claim) ? 'held' : 'cancelled']));
  }

  giveBack(claim: ClaimedCells): Promise<void> {
    this.end(claim);
    return this.claims.giveBack(claim, claim.rows);
  }

  fail(claim: ClaimedCells, error: unknown): Promise<void> {
    this.end(claim);
    return this.claims.fail(claim, error);
  }

  /** Deletes results that are too old to be reused. */
  forgetOld(): Promise<void> {
    return forgetResults(this.claims.db.manager, this.config.cellMemoDays);
  }

  /** Frees everything that a claim holds in this process. */
  private end(claim: ClaimedCells): void {
    const wasSuspect = this.suspect === claim.claim;
    if (wasSuspect) this.suspect = null;
    this.leave(claim, Infinity);
    // Its slot may have been free for long, while cells like it were waiting.
    if (wasSuspect) this.onPlaceOrWork();
  }

  private wait(columnKey: string, rows: 1 | -1): void {
    const count = (this.waiting.get(columnKey) ?? 0) + rows;
    if (count > 0) this.waiting.set(columnKey, count);
    else this.waiting.delete(columnKey);
    // More cells of the column may begin.
    if (rows === -1 && count === MOST_WAITING - 1) this.onPlaceOrWork();
  }

  /** Frees slots of a claim, if it holds any. */
  private leave({ claim, workspaceId }: ClaimedCells, count: number): void {
    const held = this.held.get(claim) ?? 0;
    const left = Math.max(0, held - count);
    if (left > 0) this.held.set(claim, left);
    else this.held.delete(claim);
    if (held === left) return;
    this.places.leave(workspaceId, held - left);
    this.onPlaceOrWork();
  }
}
