import { Injectable, Logger } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { isPassingFailure } from '../../platform/errors/failures.js';
import { Problem } from '../../platform/errors/problem.js';
import { AttemptsSpent, type Turn } from '../../platform/work/work-kind.js';
import { ColumnTypes } from '../column-type/column-type.js';
import { lockLiveSheet } from '../shared/lock-sheet.js';
import type { RowSet } from '../shared/row-set.js';
import { cancelTasks } from './cancel-tasks.js';
import { emptyCell, failCell } from './cell-result.js';
import { claimCells, type ClaimLimits } from './claim-cells.js';
import { ComputationNotifier } from './computation-notifier.js';
import { readWork, type WorkInputs } from './read-work.js';
import { noResults, storeResults, type StoreOutcome, type WorkResults } from './store-results.js';
import {
  type ClaimedCells,
  type ClaimSet,
  giveBackRows,
  type HeldRows,
  renewLeases,
  toClaimSet,
} from './tasks.queries.js';

const INTERRUPTED = 'Computing was interrupted 5 times. Recalculate the cell to try again.';

/** Claims queued cells, reads their inputs, stores their results and releases the rest. */
@Injectable()
export class CellClaims {
  private readonly log = new Logger(CellClaims.name);

  constructor(
    readonly db: DataSource,
    readonly types: ColumnTypes,
    readonly notifier: ComputationNotifier,
  ) {}

  /** Claims the next cells; null when none are ready. */
  claim(turn: Turn, leaseMs: number, limits: ClaimLimits): Promise<ClaimedCells | null> {
    return claimCells(this.db.manager, turn, leaseMs, limits);
  }

  /** Renews leases and returns the rows that each claim still holds. Lost claims are missing. */
  renew(claims: ClaimedCells[], leaseMs: number): Promise<Map<string, HeldRows>> {
    return renewLeases(this.db.manager, claims, leaseMs);
  }

  /** Reads the inputs of a claim from one snapshot; null when its sheet or its column was deleted. */
  read(claim: ClaimedCells): Promise<WorkInputs | null> {
    return readWork(this.db, this.types, claim);
  }

  /** Stores results in one transaction. Without results the claims end. */
  store(claims: ClaimSet, results: WorkResults[]): Promise<StoreOutcome> {
    return this.db.transaction((tx) => storeResults(tx, this.types, claims, results));
  }

  /** Releases rows of all columns of the claim, or only of the named ones. */
  giveBack(claim: ClaimedCells, rows: RowSet, columnKeys: string[] | null = null): Promise<void> {
    return giveBackRows(this.db.manager, claim, rows, columnKeys);
  }

  /**
   * Fails the cells of a claim's first column if it cannot be computed at all; their last good values stay. Rejects
   * with any other error: the lease then expires, and the cells are retried.
   */
  async fail(claim: ClaimedCells, error: unknown): Promise<void> {
    const message = messageOf(error);
    if (message === null) {
      if (!isPassingFailure(error)) this.log.error(`Cells could not be computed: ${stackOf(error)}`);
      throw error;
    }
    // Nothing was read, so no input can have changed since.
    const { claim: id, executionId, rows, columnKeys } = claim;
    const [columnKey, ...others] = columnKeys as [string];
    const results = noResults({ claim: id, executionId, columnKey, rows, readVersion: Number.MAX_SAFE_INTEGER });
    results.cells = [...rows].map((row) => failCell(emptyCell(columnKey, row), message));
    const { waiting } = await this.store(toClaimSet(claim), [results]);
    await this.giveBack(claim, rows, others);
    if (waiting.formulas) this.notifier.notifyFormulas();
    if (waiting.external) this.notifier.notifyExternal();
  }

  /**
   * Ends an execution whose budget is spent. Cells that were not computed stay as they are, and can be queued again.
   */
  async endSpent({ workspaceId, sheetId, executionId }: ClaimedCells): Promise<void> {
    await this.db.transaction(async (tx) => {
      const sheet = await lockLiveSheet(tx, workspaceId, sheetId);
      if (sheet) await cancelTasks(tx, this.types, sheet, { executionId, spent: true });
    });
    this.notifier.notifyBoth();
  }
}

/** Cells fail if their column type does not accept the stored config any more, or if they crash workers. */
function messageOf(error: unknown): string | null {
  if (error instanceof AttemptsSpent) return INTERRUPTED;
  return error instanceof Problem ? error.message : null;
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
