import type { Config } from '../../platform/config/config.js';
import type { CallBudgets } from './call-budgets.js';
import type { CallSlots } from './call-slots.js';
import type { CallTools } from './call-tools.js';
import type { CellClaims } from './cell-claims.js';
import type { CellCounts } from './cell-counts.js';
import type { ResultStore } from './result-store.js';
import type { SharedResults } from './shared-results.js';
import type { ClaimedCells } from './tasks.queries.js';

/** Objects shared by all runs of a process. */
export interface ExternalEngine {
  claims: CellClaims;
  tools: CallTools;
  counts: CellCounts;
  config: Config;
  results: ResultStore;
  shared: SharedResults;
  budgets: CallBudgets;
  slots: CallSlots;
  /** Called when rows of a claim do not need their slots any more. */
  leave(claim: ClaimedCells, places: number): void;
  /** Called when a cell of a column starts to wait for other cells, and when it stops. */
  wait(columnKey: string, rows: 1 | -1): void;
  /** Called when external cells that waited for others may be ready. */
  onWaiting(): void;
}
