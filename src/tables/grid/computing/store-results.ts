import type { EntityManager } from 'typeorm';
import {
  type GridRange,
  type NewCell,
  readChangedRows,
  readDifferentRows,
  writeCells,
} from '../cells/cells.queries.js';
import { ChunkStates } from '../states/chunk-states.js';
import { markStale } from '../states/mark-stale.js';
import type { ColumnTypes } from '../column-type/column-type.js';
import { SheetColumns } from '../columns/sheet-columns.js';
import { rangeOf, RowSet } from '../rows/row-set.js';
import { lockLiveSheet } from '../lock-sheet.js';
import type { Sheet } from '../sheet.entity.js';
import { recordVersion } from '../versions/record-version.js';
import { findLeftReaders } from './left-readers.js';
import { readStaleSources } from './stale-sources.js';
import { Execution } from './execution.entity.js';
import type { WorkResults } from './task-runner.js';
import { type ClaimedWork, holdClaim, readPending, releaseWork } from './tasks.queries.js';

/**
 * Stores what was computed for claimed tasks, under the lock of the sheet. Results of a lost claim are dropped. Results
 * whose inputs changed while they were computed are dropped too and computed again: what is stored always fits what it
 * was made of.
 */
export async function storeResults(
  tx: EntityManager,
  types: ColumnTypes,
  work: ClaimedWork,
  results: WorkResults | null,
): Promise<void> {
  const sheet = await lockLiveSheet(tx, work.workspaceId, work.sheetId);
  const claim = await holdClaim(tx, work);
  if (!claim) return;
  const held = claim.rows;
  if (!sheet || !results) return abandon(tx, work, held);
  const states = await ChunkStates.read(tx, work.workspaceId, [work.columnKey], rangeOf(work.rows));
  const { outdated, blocked } = await findOutdated(tx, types, { sheet, work, results });
  const usable = held.intersect(sheet.rows).without(outdated).without(blocked).without(RowSet.of(results.skipped));
  const { executionVersion } = claim;
  const outcome = await write(tx, types, { executionVersion, sheet, work, results, states, usable });
  const again = outdated.intersect(sheet.rows).intersect(held);
  await releaseWork(tx, work, { ...outcome, held, again, dropped: held.count - usable.count - again.count });
}

/** The sheet or the column is gone: there is nothing left to compute. */
async function abandon(tx: EntityManager, work: ClaimedWork, held: RowSet): Promise<void> {
  const nothing = { completed: 0, failed: 0, again: RowSet.EMPTY };
  await releaseWork(tx, work, { ...nothing, held, dropped: held.count });
}

interface Storing {
  sheet: Sheet;
  work: ClaimedWork;
  results: WorkResults;
}

/**
 * `outdated`: rows whose inputs changed since they were read, or were not ready then; they are computed again.
 * `blocked`: rows in which something the cell reads is stale and nobody computes it; they stay stale.
 */
async function findOutdated(
  tx: EntityManager,
  types: ColumnTypes,
  { sheet, work, results }: Storing,
): Promise<{ outdated: RowSet; blocked: RowSet }> {
  const { workspaceId } = work;
  const rows = rangeOf(work.rows);
  const { unready, readVersion } = results;
  if (sheet.version <= readVersion && unready.isEmpty) return { outdated: RowSet.EMPTY, blocked: RowSet.EMPTY };
  const columns = await SheetColumns.read(tx, types, sheet);
  const column = columns.byKey(work.columnKey);
  if (!column) return { outdated: RowSet.EMPTY, blocked: work.rows };
  const range: GridRange = { workspaceId, columnKeys: results.sourceKeys, rows };
  const changed = RowSet.of(await readChangedRows(tx, range, readVersion));
  const stale = await readStaleSources(tx, { workspaceId, columns, column }, rows);
  const sources = new Set(columns.computedSources([column]).map((source) => source.key));
  const pending = (await readPending(tx, sheet)).filter((other) => sources.has(other.columnKey));
  const awaited = RowSet.union(pending.map((other) => other.rows));
  const reconfigured = column.version > readVersion ? work.rows : RowSet.EMPTY;
  const outdated = RowSet.union([changed, stale.intersect(awaited), unready.without(stale), reconfigured]);
  return { outdated, blocked: stale.without(outdated) };
}

interface Prepared {
  executionVersion: number | null;
  states: ChunkStates;
  usable: RowSet;
}

async function write(
  tx: EntityManager,
  types: ColumnTypes,
  { sheet, work, results, executionVersion, states, usable }: Storing & Prepared,
): Promise<{ completed: number; failed: number }> {
  if (usable.isEmpty) return { completed: 0, failed: 0 };
  const complete = usable.equals(work.rows);
  const cells = complete ? results.cells : results.cells.filter((cell) => usable.has(cell.rowIndex));
  const failed = RowSet.of(cells.filter((cell) => cell.error).map((cell) => cell.rowIndex));
  const { workspaceId, executionId, columnKey } = work;
  const stale = states.stale(columnKey);
  const replaced = await findReplaced(tx, work, cells, stale);
  const outdated = await findLeftReaders(tx, types, work, { cells, stale });
  states.settle(columnKey, usable.without(failed), failed);
  // Computing again what was up to date already is no new version.
  if (cells.length > 0 || states.isChanged) {
    const version = executionVersion === sheet.version ? sheet.version : await nextVersion(tx, sheet, work);
    const write = { workspaceId, version, executionId, mayReplace: results.mayReplace };
    await writeCells(tx, write, (cells.length > 0 && complete && results.encoded) || cells);
    await states.save(tx, version);
    if (!replaced.isEmpty) await markDependents(tx, types, { sheet, work }, replaced);
    if (!outdated.rows.isEmpty) await markStale(tx, sheet, outdated.columns, outdated.rows);
  }
  return { completed: usable.count - failed.count, failed: failed.count };
}

/**
 * Rows in which another value takes the place of one that was not stale. What reads a stale value is stale itself, so
 * only these can make anything stale, besides columns that read everything to their left (see findLeftReaders).
 */
async function findReplaced(
  tx: EntityManager,
  { workspaceId, columnKey }: ClaimedWork,
  cells: NewCell[],
  stale: RowSet,
): Promise<RowSet> {
  const fresh = stale.isEmpty ? cells : cells.filter((cell) => !stale.has(cell.rowIndex));
  return fresh.length === 0 ? RowSet.EMPTY : RowSet.of(await readDifferentRows(tx, workspaceId, columnKey, fresh));
}

async function markDependents(
  tx: EntityManager,
  types: ColumnTypes,
  { sheet, work }: { sheet: Sheet; work: ClaimedWork },
  rows: RowSet,
): Promise<void> {
  const columns = await SheetColumns.read(tx, types, sheet);
  const column = columns.byKey(work.columnKey);
  if (column) await markStale(tx, sheet, columns.dependents([column]), rows);
}

/**
 * The version the results of an execution belong to: one for the whole execution, unless somebody changed the sheet in
 * between. That change sealed the version before it, and later results go into a new one.
 */
async function nextVersion(tx: EntityManager, sheet: Sheet, work: ClaimedWork): Promise<number> {
  const { workspaceId, executionId: id } = work;
  const version = await recordVersion(tx, sheet, {
    deltas: [{ type: 'execution', operation_id: id }],
    createdBy: null,
  });
  await tx.update(Execution, { workspaceId, id }, { version });
  return version;
}
