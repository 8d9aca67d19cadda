import type { EntityManager } from 'typeorm';
import { type GridRange, readChangedRows, writeCells } from '../cells/cells.queries.js';
import { ChunkStates } from '../cells/chunk-states.js';
import type { ColumnTypes } from '../column-types/column-type.js';
import { SheetColumns } from '../columns/sheet-columns.js';
import { chunkRange, RowSet } from '../rows/row-set.js';
import { lockLiveSheet } from '../sheets/lock-sheet.js';
import type { Sheet } from '../sheets/sheet.entity.js';
import { recordVersion } from '../versions/record-version.js';
import { Execution } from './execution.entity.js';
import type { TaskResults } from './task-runner.js';
import { type ClaimedTask, holdClaim, readPending, releaseTask } from './tasks.queries.js';

/**
 * Stores what a task computed, under the lock of the sheet. Results of a lost claim are dropped. Results whose inputs
 * changed while they were computed are dropped too and computed again: what is stored always fits what it was made of.
 */
export async function storeResults(
  tx: EntityManager,
  types: ColumnTypes,
  task: ClaimedTask,
  results: TaskResults | null,
): Promise<void> {
  const sheet = await lockLiveSheet(tx, task.workspaceId, task.sheetId);
  const held = await holdClaim(tx, task);
  if (!held) return;
  if (!sheet || !results) return abandon(tx, task);
  const states = await ChunkStates.read(tx, task.workspaceId, [task.columnKey], chunkRange(task.chunkNo));
  const { outdated, blocked } = await findOutdated(tx, types, { sheet, task, results });
  const usable = task.rows.intersect(sheet.rows).without(outdated).without(blocked).without(RowSet.of(results.skipped));
  const outcome = await write(tx, { ...held, sheet, task, results, states, usable });
  const again = outdated.intersect(sheet.rows).intersect(task.rows);
  await releaseTask(tx, task, { ...outcome, again, dropped: task.rows.count - usable.count - again.count });
}

/** The sheet or the column is gone: there is nothing left to compute. */
async function abandon(tx: EntityManager, task: ClaimedTask): Promise<void> {
  await releaseTask(tx, task, { completed: 0, failed: 0, dropped: task.rows.count, again: RowSet.EMPTY });
}

interface Storing {
  sheet: Sheet;
  task: ClaimedTask;
  results: TaskResults;
}

/**
 * `outdated`: rows whose inputs changed since they were read; they are computed again. `blocked`: rows in which
 * something the cell reads has become stale and nobody computes it; they stay stale.
 */
async function findOutdated(
  tx: EntityManager,
  types: ColumnTypes,
  { sheet, task, results }: Storing,
): Promise<{ outdated: RowSet; blocked: RowSet }> {
  const { workspaceId, chunkNo } = task;
  const none = { outdated: RowSet.EMPTY, blocked: RowSet.EMPTY };
  if (sheet.version <= results.readVersion) return none;
  const columns = await SheetColumns.read(tx, types, sheet);
  const column = columns.byKey(task.columnKey);
  if (!column) return none;
  const range: GridRange = { workspaceId, columnKeys: results.sourceKeys, rows: chunkRange(chunkNo) };
  const changed = RowSet.of(await readChangedRows(tx, range, results.readVersion));
  const sources = columns.computedSources([column]).map((source) => source.key);
  const states = await ChunkStates.read(tx, workspaceId, sources, chunkRange(chunkNo));
  const stale = RowSet.union(sources.map((key) => states.stale(key)));
  const pending = await readPending(tx, sheet);
  const awaited = RowSet.union(pending.filter((other) => sources.includes(other.columnKey)).map((other) => other.rows));
  const reconfigured = column.version > results.readVersion ? task.rows : RowSet.EMPTY;
  const outdated = RowSet.union([changed, stale.intersect(awaited), reconfigured]);
  return { outdated, blocked: stale.without(outdated) };
}

interface Prepared {
  executionVersion: number | null;
  states: ChunkStates;
  usable: RowSet;
}

async function write(
  tx: EntityManager,
  { sheet, task, results, executionVersion, states, usable }: Storing & Prepared,
): Promise<{ completed: number; failed: number }> {
  if (usable.isEmpty) return { completed: 0, failed: 0 };
  const cells = usable.equals(task.rows) ? results.cells : results.cells.filter((cell) => usable.has(cell.rowIndex));
  const failed = RowSet.of(cells.filter((cell) => cell.error).map((cell) => cell.rowIndex));
  const { workspaceId, executionId, columnKey } = task;
  states.settle(columnKey, usable.without(failed), failed);
  // Computing again what was up to date already is no new version.
  if (cells.length > 0 || states.isChanged) {
    const version = executionVersion === sheet.version ? sheet.version : await nextVersion(tx, sheet, task);
    await writeCells(tx, { workspaceId, version, executionId, mayReplace: results.mayReplace }, cells);
    await states.save(tx, version);
  }
  return { completed: usable.count - failed.count, failed: failed.count };
}

/**
 * The version the results of an execution belong to: one for the whole execution, unless somebody changed the sheet in
 * between. That change sealed the version before it, and later results go into a new one.
 */
async function nextVersion(tx: EntityManager, sheet: Sheet, task: ClaimedTask): Promise<number> {
  const { workspaceId, executionId: id } = task;
  const version = await recordVersion(tx, sheet, {
    deltas: [{ type: 'execution', operation_id: id }],
    createdBy: null,
  });
  await tx.update(Execution, { workspaceId, id }, { version });
  return version;
}
