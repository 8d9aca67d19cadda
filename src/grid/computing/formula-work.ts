import { Inject, Injectable } from '@nestjs/common';
import { Mutex, type MutexInterface, Semaphore } from 'async-mutex';
import { CONFIG, type Config } from '../../platform/config/config.js';
import { afterGrace } from '../../platform/work/grace.js';
import { type Standing, type Turn, type WorkControl, type WorkKind } from '../../platform/work/work-kind.js';
import { EncodedCells } from '../cells/cells.queries.js';
import { CHUNK_ROWS, RowSet } from '../shared/row-set.js';
import type { SheetColumn } from '../columns/column.entity.js';
import { unlessAborted } from './cell-call.js';
import { CellClaims } from './cell-claims.js';
import { CellCounts } from './cell-counts.js';
import type { ComputedRows } from './column-plan.js';
import { computedRows, uncomputedCells, type WorkInputs } from './read-work.js';
import { noResults, type WorkResults } from './store-results.js';
import { type ClaimedCells, toClaimSet } from './tasks.queries.js';

/** Maximum number of rows of a task that are tried together after its worker died. */
const ROWS_OF_SUSPECTS = 32;

/** Work on cells that the server computes alone. Any number of workers may share a sheet. */
@Injectable()
export class FormulaWork implements WorkKind<ClaimedCells> {
  readonly name = 'cells';
  /**
   * The process computes one claim at a time and stores it while the next one is computed: results are ready soonest
   * that way.
   */
  private readonly turns = new Mutex();
  /** Rows whose worker died take all of the slots, so that nothing else is computed or stored meanwhile. */
  private readonly places: Semaphore;
  private readonly claiming = new Mutex();
  /**
   * The claim on rows whose worker died. No other such rows are claimed meanwhile: one of them may crash workers, and
   * would make the others look guilty.
   */
  private suspect: string | null = null;

  constructor(
    private readonly claims: CellClaims,
    private readonly counts: CellCounts,
    @Inject(CONFIG) private readonly config: Config,
  ) {
    this.places = new Semaphore(config.computeConcurrency);
  }

  claim(turn: Turn, leaseMs: number): Promise<ClaimedCells | null> {
    return this.claiming.runExclusive(async () => {
      const mostAttempts = this.suspect === null ? null : 0;
      const limits = { isExternal: false, rows: CHUNK_ROWS, rowsOfSuspects: ROWS_OF_SUSPECTS, mostAttempts };
      const claim = await this.claims.claim(turn, leaseMs, limits);
      if (claim && claim.attempts > 1) this.suspect = claim.claim;
      return claim;
    });
  }

  /** Ends with its claim. Results are dropped then, because the claim is lost when they are to be stored. */
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
    const held = await this.claims.renew(claims, leaseMs);
    return new Map([...held.keys()].map((claim) => [claim, 'held']));
  }

  giveBack(claim: ClaimedCells): Promise<void> {
    this.end(claim);
    return this.claims.giveBack(claim, claim.rows);
  }

  fail(claim: ClaimedCells, error: unknown): Promise<void> {
    this.end(claim);
    return this.claims.fail(claim, error);
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
    const inputs = await this.claims.read(claim);
    if (!inputs) return this.store(claim, null);
    await this.claims.giveBack(claim, inputs.unread);
    if (!inputs.plan.isImmediate) endTurn();
    const computed = await this.computeRows(inputs);
    const done = inputs.rows.intersect(RowSet.range(0, computed.end));
    // The rest is queued again, because other sheets would wait for it.
    await this.claims.giveBack(claim, inputs.rows.without(done));
    endTurn();
    await this.store(claim, toResults(claim, inputs, computed, done));
  }

  private async computeRows(inputs: WorkInputs) {
    const { plan, execution, sources, known } = inputs;
    const memo = execution.isForced ? NOTHING_KNOWN : known;
    const start = performance.now();
    const computed = await plan.compute(computedRows(inputs), { cellsOf: (key) => sources.of(key), known: memo });
    this.counts.noteTime(plan.column, computed.cells.length, performance.now() - start);
    this.count(plan.column, computed);
    return computed;
  }

  private async store(claim: ClaimedCells, results: WorkResults | null): Promise<void> {
    if (results && results.cells.length > 0) results.encoded = new EncodedCells(results.cells);
    const { waiting } = await this.claims.store(toClaimSet(claim), results ? [results] : []);
    if (waiting.external) this.claims.notifier.notifyExternal();
  }

  private count(column: SheetColumn, { cells, unchanged }: ComputedRows): void {
    const failed = cells.filter((cell) => cell.error).length;
    this.counts.count(column, 'completed', cells.length - failed);
    this.counts.count(column, 'failed', failed);
    this.counts.count(column, 'unchanged', unchanged.length);
  }
}

const NOTHING_KNOWN = new Map<number, string | null>();

/** The results of some rows, with those that were not computed. */
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
