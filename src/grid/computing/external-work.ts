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
 * A cell that is tried for this time is claimed only while no other such cell is worked on: one of them may be what kills
 * workers, and the others would be blamed for it, too.
 */
const ALONE_FROM_ATTEMPT = 3;

/**
 * Cells of one column that wait for other cells, and hold no places, at the same time. What they wait for lies in other columns, so
 * it can always go on.
 */
const MOST_WAITING = 32;

/**
 * The cells whose results come from outside. A claim has as many rows as there are places for, so what a dead worker loses is
 * what it was waiting for. Every cell is stored as soon as it is finished, and then leaves the claim.
 */
@Injectable()
export class ExternalWork implements WorkKind<ClaimedCells> {
  readonly name = 'external_cells';
  /** Called when a place becomes free, and when there may be new work for it. */
  onPlaceOrWork: () => void = () => undefined;

  private readonly places: WorkspacePlaces;
  /** By claim: how many places its rows still hold. */
  private readonly held = new Map<string, number>();
  /** By column: how many of its cells wait for other cells. */
  private readonly waiting = new Map<string, number>();
  private readonly runs = new Map<string, ExternalRun>();
  private readonly results: ResultStore;
  private readonly shared = new SharedResults();
  private readonly budgets: CallBudgets;
  private readonly slots: CallSlots;
  /** The claim on a cell whose workers died often, while it is worked on. */
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
    // Calls that are under way when the process stops may still end.
    const stopListening = afterGrace(signal, this.config.shutdownTimeoutMs, (reason) => run.signals.abortAll(reason));
    try {
      await run.compute(signal);
    } finally {
      stopListening();
      this.runs.delete(claim.claim);
      this.end(claim);
    }
    // What is left of the claim goes back, or is another's by now.
    signal.throwIfAborted();
  }

  async renew(claims: ClaimedCells[], leaseMs: number): Promise<Map<string, Standing>> {
    const held = await this.claims.renew(claims, leaseMs);
    for (const [claim, columns] of held) this.runs.get(claim)?.signals.keepOnly(columns);
    // A claim goes with the last of its rows, and with its execution.
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

  /** Frees everything that a claim holds here. */
  private end(claim: ClaimedCells): void {
    const wasSuspect = this.suspect === claim.claim;
    if (wasSuspect) this.suspect = null;
    this.leave(claim, Infinity);
    // Its place may have been free for long, while others like it were waiting.
    if (wasSuspect) this.onPlaceOrWork();
  }

  private wait(columnKey: string, rows: 1 | -1): void {
    const count = (this.waiting.get(columnKey) ?? 0) + rows;
    if (count > 0) this.waiting.set(columnKey, count);
    else this.waiting.delete(columnKey);
    // Cells of the column may be begun again.
    if (rows === -1 && count === MOST_WAITING - 1) this.onPlaceOrWork();
  }

  /** Frees places of a claim, as far as it holds any. */
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
