import { Inject, Injectable, Logger } from '@nestjs/common';
import { Mutex, type MutexInterface, Semaphore } from 'async-mutex';
import { DataSource } from 'typeorm';
import { CONFIG, type Config } from '../../../platform/config/config.js';
import { Metrics } from '../../../platform/telemetry/metrics.js';
import { SlowWork } from '../../../platform/telemetry/slow-work.js';
import { afterGrace } from '../../../platform/work/grace.js';
import { type Standing, type Turn, type WorkControl, type WorkKind } from '../../../platform/work/work-kind.js';
import { EncodedCells } from '../cells/cells.queries.js';
import { ColumnTypes } from '../column-type/column-type.js';
import { CHUNK_ROWS, RowSet } from '../rows/row-set.js';
import { unlessAborted } from './cell-call.js';
import { ComputationNotifier } from './computation-notifier.js';
import type { ComputedRows } from './column-plan.js';
import { failCells } from './fail-cells.js';
import { computedRows, readWork, uncomputedCells, type WorkInputs } from './read-work.js';
import { noResults, storeResults, type WorkResults } from './store-results.js';
import { claimCells } from './claim-cells.js';
import { type ClaimedCells, giveBackRows, renewLeases, toClaimSet } from './tasks.queries.js';

/** Rows of a task whose worker died that are tried together. */
const ROWS_OF_SUSPECTS = 32;

/** The cells that the server computes by itself. Any number of workers may share a sheet. */
@Injectable()
export class FormulaWork implements WorkKind<ClaimedCells> {
  readonly name = 'cells';
  private readonly log = new Logger(FormulaWork.name);
  /**
   * This process can compute only one thing at a time. What has its turn is ready to be stored soonest, and is stored
   * while the next is computed.
   */
  private readonly turns = new Mutex();
  /** Rows whose worker died take all of these, so that nothing is computed or stored beside them. */
  private readonly places: Semaphore;
  private readonly claiming = new Mutex();
  /**
   * The claim on rows whose worker died. No others like them are claimed meanwhile: one of them may be what ends workers,
   * and the others would be blamed for it, too.
   */
  private suspect: string | null = null;

  // oxlint-disable-next-line max-params -- everything it works with
  constructor(
    private readonly db: DataSource,
    private readonly types: ColumnTypes,
    private readonly metrics: Metrics,
    private readonly slow: SlowWork,
    private readonly notifier: ComputationNotifier,
    @Inject(CONFIG) private readonly config: Config,
  ) {
    this.places = new Semaphore(config.computeConcurrency);
  }

  claim(turn: Turn, leaseMs: number): Promise<ClaimedCells | null> {
    return this.claiming.runExclusive(async () => {
      const mostAttempts = this.suspect === null ? null : 0;
      const limits = { isExternal: false, rows: CHUNK_ROWS, rowsOfSuspects: ROWS_OF_SUSPECTS, mostAttempts };
      const claim = await claimCells(this.db.manager, turn, leaseMs, limits);
      if (claim && claim.attempts > 1) this.suspect = claim.claim;
      return claim;
    });
  }

  /** Ends with its claim. What is computed by then is dropped: the claim does not hold when it is to be stored. */
  async work(claim: ClaimedCells, { signal }: WorkControl): Promise<void> {
    const isSuspect = claim.attempts > 1;
    const end = new AbortController();
    const stopListening = afterGrace(signal, this.config.shutdownTimeoutMs, (reason) => end.abort(reason));
    try {
      const weight = isSuspect ? this.config.computeConcurrency : 1;
      await unlessAborted(
        this.places.runExclusive(() => this.workInTurn(claim), weight),
        end.signal,
      );
    } finally {
      stopListening();
      this.end(claim);
    }
  }

  async renew(claims: ClaimedCells[], leaseMs: number): Promise<Map<string, Standing>> {
    const held = await renewLeases(this.db.manager, claims, leaseMs);
    return new Map([...held.keys()].map((claim) => [claim, 'held']));
  }

  giveBack(claim: ClaimedCells): Promise<void> {
    this.end(claim);
    return giveBackRows(this.db.manager, claim, claim.rows);
  }

  fail(claim: ClaimedCells, error: unknown): Promise<void> {
    this.end(claim);
    return failCells({ db: this.db, types: this.types, notifier: this.notifier, log: this.log }, claim, error);
  }

  private end({ claim }: ClaimedCells): void {
    if (this.suspect === claim) this.suspect = null;
  }

  private async workInTurn(claim: ClaimedCells): Promise<void> {
    const endTurn = await this.turns.acquire();
    try {
      await this.compute(claim, endTurn);
    } finally {
      endTurn();
    }
  }

  private async compute(claim: ClaimedCells, endTurn: MutexInterface.Releaser): Promise<void> {
    const inputs = await readWork(this.db, this.types, claim);
    if (!inputs) return this.store(claim, null);
    await giveBackRows(this.db.manager, claim, inputs.unread);
    if (!inputs.plan.isImmediate) endTurn();
    const computed = await this.computeRows(inputs);
    const done = inputs.rows.intersect(RowSet.range(0, computed.end));
    // What is left would keep other sheets waiting: it comes again in its turn.
    await giveBackRows(this.db.manager, claim, inputs.rows.without(done));
    endTurn();
    await this.store(claim, toResults(claim, inputs, computed, done));
  }

  private async computeRows(inputs: WorkInputs) {
    const { plan, execution, sources, known } = inputs;
    const memo = execution.isForced ? NOTHING_KNOWN : known;
    const start = performance.now();
    const computed = await plan.compute(computedRows(inputs), { cellsOf: (key) => sources.of(key), known: memo });
    const { id: columnId, type, workspaceId } = plan.column;
    this.slow.noteCells({ workspaceId, columnId, type, cells: computed.cells.length, ms: performance.now() - start });
    this.count(type, computed);
    return computed;
  }

  private async store(claim: ClaimedCells, results: WorkResults | null): Promise<void> {
    if (results && results.cells.length > 0) results.encoded = new EncodedCells(results.cells);
    const work = toClaimSet(claim);
    const { waiting } = await this.db.transaction((tx) => storeResults(tx, this.types, work, results ? [results] : []));
    if (waiting.external) this.notifier.notifyExternal();
    if (waiting.scored) this.notifier.notifyScorecards();
  }

  private count(type: string, { cells, unchanged }: ComputedRows): void {
    const failed = cells.filter((cell) => cell.error).length;
    this.metrics.counters.cellsComputed.inc({ type, outcome: 'completed' }, cells.length - failed);
    this.metrics.counters.cellsComputed.inc({ type, outcome: 'failed' }, failed);
    this.metrics.counters.cellsComputed.inc({ type, outcome: 'unchanged' }, unchanged.length);
  }
}

const NOTHING_KNOWN = new Map<number, string | null>();

/** The results of some rows. Those that were not computed are among them, too. */
function toResults({ claim }: ClaimedCells, inputs: WorkInputs, computed: ComputedRows, rows: RowSet): WorkResults {
  const { plan, known, sheet, execution, unready } = inputs;
  return {
    ...noResults({ claim, executionId: execution.id, columnKey: plan.column.key, rows, readVersion: sheet.version }),
    cells: [...computed.cells, ...uncomputedCells(inputs, rows)],
    unready: unready.intersect(rows),
    sourceKeys: plan.sourceKeys,
    mayReplace: known.size > 0,
  };
}
