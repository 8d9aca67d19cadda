import type { Logger } from '@nestjs/common';
import type { DataSource } from 'typeorm';
import { isPassingFailure } from '../../../platform/database/failures.js';
import { Problem } from '../../../platform/errors/problem.js';
import { AttemptsSpent } from '../../../platform/work/work-kind.js';
import type { ColumnTypes } from '../column-type/column-type.js';
import { emptyCell, failCell } from './cell-result.js';
import type { ComputationNotifier } from './computation-notifier.js';
import { noResults, storeResults } from './store-results.js';
import { type ClaimedCells, giveBackRows, toClaimSet } from './tasks.queries.js';

const INTERRUPTED = 'Computing was interrupted 5 times. Recalculate the cell to try again.';

/**
 * Fails the cells of the column that a claim begins with where it cannot be computed at all; their last good values stay. Rejects with any other
 * error: the lease ends, and the cells are tried again.
 */
export async function failCells(
  { db, types, notifier, log }: { db: DataSource; types: ColumnTypes; notifier: ComputationNotifier; log: Logger },
  claim: ClaimedCells,
  error: unknown,
): Promise<void> {
  const message = messageOf(error);
  if (message === null) {
    if (!isPassingFailure(error)) log.error(`Cells could not be computed: ${stackOf(error)}`);
    throw error;
  }
  // Nothing was read, so nothing can have changed since.
  const { claim: id, executionId, rows, columnKeys } = claim;
  const [columnKey, ...others] = columnKeys as [string];
  const results = noResults({ claim: id, executionId, columnKey, rows, readVersion: Number.MAX_SAFE_INTEGER });
  results.cells = [...rows].map((row) => failCell(emptyCell(columnKey, row), message));
  const { waiting } = await db.transaction((tx) => storeResults(tx, types, toClaimSet(claim), [results]));
  await giveBackRows(db.manager, claim, rows, others);
  if (waiting.scored) notifier.notifyScorecards();
}

/** A stored config that its column type does not accept any more fails the cells, and so does what ends workers. */
function messageOf(error: unknown): string | null {
  if (error instanceof AttemptsSpent) return INTERRUPTED;
  return error instanceof Problem ? error.message : null;
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
