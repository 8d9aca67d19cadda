import { Inject, Injectable, Logger } from '@nestjs/common';
import { Mutex } from 'async-mutex';
import { DataSource } from 'typeorm';
import { LoggingService } from '../../../requests/index.js';
import { CONFIG, type Config } from '../../../platform/config/config.js';
import { Metrics } from '../../../platform/telemetry/metrics.js';
import {
  type Standing,
  type Turn,
  WorkAborted,
  type WorkControl,
  type WorkKind,
} from '../../../platform/work/work-kind.js';
import { afterGrace } from '../../../platform/work/grace.js';
import { WorkspacePlaces } from '../../../platform/work/workspace-places.js';
import { ColumnTypes } from '../column-type/column-type.js';
import { ComputationBell } from './computation-bell.js';
import { ExternalRun } from './external-run.js';
import { failCells } from './fail-cells.js';
import { ResultStore } from './result-store.js';
import { SharedResults } from './shared-results.js';
import { type ClaimedCells, claimCells, giveBackRows, renewLeases, toClaimSet } from './tasks.queries.js';

/** A cell whose workers died this often is computed while no other such cell is: one of them may be what kills workers. */
const ALONE_FROM_ATTEMPT = 3;

/**
 * The cells whose results come from outside. A claim has as many rows as there are places for, so what a dead worker loses is
 * what it was waiting for. Every row is stored as soon as it is finished and then leaves the claim.
 */
@Injectable()
export class ExternalWork implements WorkKind<ClaimedCells> {
  readonly name = 'external_cells';
  /** Called when a place becomes free. */
  onFreePlace: () => void = () => undefined;

  private readonly log = new Logger(ExternalWork.name);
  private readonly places: WorkspacePlaces;
  /** By claim: how many places its rows still hold. */
  private readonly held = new Map<string, number>();
  private readonly runs = new Map<string, ExternalRun>();
  private readonly results: ResultStore;
  private readonly shared = new SharedResults();
  private readonly suspects = new Mutex();

  // oxlint-disable-next-line max-params -- everything it works with
  constructor(
    private readonly db: DataSource,
    private readonly types: ColumnTypes,
    private readonly logging: LoggingService,
    private readonly metrics: Metrics,
    private readonly bell: ComputationBell,
    @Inject(CONFIG) private readonly config: Config,
  ) {
    this.places = new WorkspacePlaces(config.externalConcurrency, config.externalConcurrencyPerWorkspace);
    this.results = new ResultStore(db, types);
  }

  async claim(turn: Turn, leaseMs: number): Promise<ClaimedCells | null> {
    const { room } = this.places;
    if (room === 0) return null;
    const rooms = this.places.rooms();
    const full = [...rooms].filter(([, left]) => left === 0).map(([workspaceId]) => workspaceId);
    const limits = { isExternal: true, rows: room, rowsOfSuspects: 1, rooms };
    const claim = await claimCells(this.db.manager, { ...turn, full }, leaseMs, limits);
    if (!claim) return null;
    this.held.set(claim.claim, claim.rows.count);
    this.places.take(claim.workspaceId, claim.rows.count);
    return claim;
  }

  async work(claim: ClaimedCells, { signal }: WorkControl): Promise<void> {
    const { db, types, logging, metrics, bell, config, results, shared } = this;
    const engine = { db, types, logging, metrics, bell, config, results, shared };
    const run = new ExternalRun(
      { ...engine, leave: (of, count) => this.leave(of, count), overBudget: (id) => this.stopExecution(id) },
      claim,
    );
    this.runs.set(claim.claim, run);
    // Calls that are under way when the process stops may still end.
    const stopListening = afterGrace(signal, this.config.shutdownTimeoutMs, (reason) => run.signals.abortAll(reason));
    const endTurn = claim.attempts >= ALONE_FROM_ATTEMPT ? await this.suspects.acquire() : () => undefined;
    try {
      await run.compute();
    } finally {
      endTurn();
      stopListening();
      this.runs.delete(claim.claim);
      this.leave(claim, Infinity);
    }
    // What is left of the claim goes back, or is another's by now.
    signal.throwIfAborted();
  }

  async renew(claims: ClaimedCells[], leaseMs: number): Promise<Map<string, Standing>> {
    const held = await renewLeases(this.db.manager, claims, leaseMs);
    for (const [claim, rows] of held) this.runs.get(claim)?.signals.keepOnly(rows);
    // A claim goes with the last of its rows, and with its execution.
    return new Map(claims.map(({ claim }) => [claim, held.has(claim) ? 'held' : 'cancelled']));
  }

  async giveBack(claim: ClaimedCells): Promise<void> {
    this.leave(claim, Infinity);
    await giveBackRows(this.db.manager, toClaimSet(claim), claim.rows);
  }

  fail(claim: ClaimedCells, error: unknown): Promise<void> {
    this.leave(claim, Infinity);
    return failCells({ db: this.db, types: this.types, log: this.log }, claim, error);
  }

  /** The database has taken the other cells of the execution back; what is under way for them here ends now. */
  private stopExecution(executionId: string): void {
    for (const { claim, signals } of this.runs.values()) {
      if (claim.executionId === executionId) signals.abortAll(new WorkAborted('over_budget'));
    }
  }

  /** Frees places of a claim, as far as it holds any. */
  private leave({ claim, workspaceId }: ClaimedCells, count: number): void {
    const held = this.held.get(claim) ?? 0;
    const left = Math.max(0, held - count);
    if (left > 0) this.held.set(claim, left);
    else this.held.delete(claim);
    if (held === left) return;
    this.places.leave(workspaceId, held - left);
    this.onFreePlace();
  }
}
