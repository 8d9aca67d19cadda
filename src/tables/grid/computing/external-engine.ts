import type { DataSource } from 'typeorm';
import type { ModelPrices } from '../../../requests/index.js';
import type { OwnSpans } from '../../../traces/index.js';
import type { Config } from '../../../platform/config/config.js';
import type { OutboundClient } from '../../../platform/outbound/outbound.client.js';
import type { Metrics } from '../../../platform/telemetry/metrics.js';
import type { SlowWork } from '../../../platform/telemetry/slow-work.js';
import type { ColumnTypes } from '../column-type/column-type.js';
import type { SheetOwners } from '../sheet-owners.js';
import type { CallBudgets } from './call-budgets.js';
import type { CallSlots } from './call-slots.js';
import type { ComputationNotifier } from './computation-notifier.js';
import type { ResultStore } from './result-store.js';
import type { SharedResults } from './shared-results.js';
import type { ClaimedCells } from './tasks.queries.js';

/** What all runs of a process share. */
export interface ExternalEngine {
  db: DataSource;
  types: ColumnTypes;
  owners: SheetOwners;
  spans: OwnSpans;
  prices: ModelPrices;
  outbound: OutboundClient;
  metrics: Metrics;
  slow: SlowWork;
  notifier: ComputationNotifier;
  config: Config;
  results: ResultStore;
  shared: SharedResults;
  budgets: CallBudgets;
  slots: CallSlots;
  /** Called when rows of a claim do not need their places any more. */
  leave(claim: ClaimedCells, places: number): void;
  /** Called when a cell of a column waits for other cells, and when it does so no more. */
  wait(columnKey: string, rows: 1 | -1): void;
  /** Called when cells from outside may be ready now that have waited for others. */
  onWaiting(): void;
}
