import type { DataSource } from 'typeorm';
import type { ModelPrices } from '../../../requests/index.js';
import type { OwnSpans } from '../../../traces/index.js';
import type { Config } from '../../../platform/config/config.js';
import type { OutboundClient } from '../../../platform/outbound/outbound.client.js';
import type { Metrics } from '../../../platform/telemetry/metrics.js';
import type { ColumnTypes } from '../column-type/column-type.js';
import type { SheetOwners } from '../sheet-owners.js';
import type { ComputationBell } from './computation-bell.js';
import { ExternalRows } from './external-rows.js';
import { readWork, type WorkInputs } from './read-work.js';
import type { ResultStore } from './result-store.js';
import { RowSignals } from './row-signals.js';
import type { SharedResults } from './shared-results.js';
import { storeResults } from './store-results.js';
import { type ClaimedCells, giveBackRows, toClaimSet } from './tasks.queries.js';

/** What all runs of a process share. */
export interface ExternalEngine {
  db: DataSource;
  types: ColumnTypes;
  owners: SheetOwners;
  spans: OwnSpans;
  prices: ModelPrices;
  outbound: OutboundClient;
  metrics: Metrics;
  bell: ComputationBell;
  config: Config;
  results: ResultStore;
  shared: SharedResults;
  /** Called when rows of a claim do not need their places any more. */
  leave(claim: ClaimedCells, places: number): void;
  /** Called when a cell of a column waits for other cells, and when it does so no more. */
  wait(columnKey: string, rows: 1 | -1): void;
  /** Called when cells from outside may be ready now that have waited for others. */
  onWaiting(): void;
  /** Called when an execution has spent what it may. */
  overBudget(executionId: string): void;
}

/**
 * One claim that is worked on: its rows are computed at the same time, and finished, stored and aborted one by one. Where the claim
 * has several columns, each row goes through them in turn, and on to the next one while the result of the last is stored.
 */
export class ExternalRun {
  readonly signals = new RowSignals();

  constructor(
    private readonly engine: ExternalEngine,
    readonly claim: ClaimedCells,
  ) {}

  /** Resolves when every row has its results or was aborted. When `ending` is aborted no other calls are begun. */
  async compute(ending: AbortSignal): Promise<void> {
    const { claim, engine } = this;
    const inputs = await readWork(engine.db, engine.types, claim);
    if (!inputs) return this.abandon();
    await this.giveBack(inputs);
    this.leaveShared(inputs);
    const traceOf = await engine.owners.traceOf(inputs.sheet);
    await new ExternalRows(engine, { claim, inputs, signals: this.signals, ending, traceOf }).compute();
  }

  /** The sheet or the column is gone. */
  private async abandon(): Promise<void> {
    const { db, types } = this.engine;
    await db.transaction((tx) => storeResults(tx, types, toClaimSet(this.claim), []));
  }

  private async giveBack({ unread, rows, following }: WorkInputs): Promise<void> {
    const { manager } = this.engine.db;
    await giveBackRows(manager, this.claim, unread);
    this.engine.leave(this.claim, unread.count);
    await giveBackRows(manager, this.claim, rows, this.claim.columnKeys.slice(1 + following.length));
  }

  /** Cells that share a place free the others at once, so that the next claim is begun. */
  private leaveShared({ plan, following, rows }: WorkInputs): void {
    const together = [plan, ...following].map(({ type }) => type.options.cellsPerPlace ?? 1);
    this.engine.leave(this.claim, rows.count - Math.ceil(rows.count / Math.min(...together)));
  }
}
