import type { EntityManager } from 'typeorm';
import {
  type EncodedCells,
  type GridRange,
  type NewCell,
  readChangedRows,
  readDifferentRows,
  writeCells,
} from '../cells/cells.queries.js';
import type { ColumnTypes } from '../column-type/column-type.js';
import type { SheetColumn } from '../columns/column.entity.js';
import { SheetColumns } from '../columns/sheet-columns.js';
import { lockLiveSheet } from '../lock-sheet.js';
import { rangeOf, RowSet } from '../rows/row-set.js';
import type { Sheet } from '../sheet.entity.js';
import { ChunkStates } from '../states/chunk-states.js';
import { markStale } from '../states/mark-stale.js';
import { recordVersion } from '../versions/record-version.js';
import { stopOverBudget } from './cancel-tasks.js';
import { Execution } from './execution.entity.js';
import { findLeftReaders } from './left-readers.js';
import { type MemoEntry, rememberResults } from './memo.queries.js';
import { readStaleSources } from './stale-sources.js';
import {
  type ClaimSet,
  type HeldCells,
  holdClaims,
  NOTHING_WAITS,
  readPending,
  settleCells,
  type WaitingCells,
} from './tasks.queries.js';
import { tellOfProgress } from './tell-of-progress.js';

/** What became of claimed cells, and from which state of the sheet. */
export interface WorkResults {
  /** The rows these are the results of. */
  rows: RowSet;
  /**
   * Cells to write, those of metadata columns among them. A row without one keeps what is stored: it was computed from
   * the same inputs, or it is blank and was so before.
   */
  cells: NewCell[];
  /** All of them as they are sent. */
  encoded: EncodedCells | null;
  /** Rows that were not computed because something they read was stale. */
  unready: RowSet;
  /** The version of the sheet at which the inputs were read. */
  readVersion: number;
  sourceKeys: string[];
  /** False when the column had no result in these chunks yet. */
  mayReplace: boolean;
  /** Results that equal inputs may have later. */
  memo: MemoEntry[];
  /** What the cells have cost, in US dollars. */
  cost: number;
}

export function noResults(rows: RowSet, readVersion: number): WorkResults {
  return {
    rows,
    cells: [],
    encoded: null,
    unready: RowSet.EMPTY,
    readVersion,
    sourceKeys: [],
    mayReplace: true,
    memo: [],
    cost: 0,
  };
}

export interface StoreOutcome {
  /** True when the execution has spent what it may, and has ended. */
  overBudget: boolean;
  /** Cells that may have waited for these. */
  waiting: WaitingCells;
}

const NOTHING_STORED: StoreOutcome = { overBudget: false, waiting: NOTHING_WAITS };

/**
 * Stores what was computed for claimed cells, under the lock of the sheet, and takes them out of their tasks. Results of a
 * lost claim are dropped. Results whose inputs changed while they were computed are dropped too and computed again: what
 * is stored always fits what it was made of. null: the sheet or the column is gone, and there is nothing left to compute.
 */
export async function storeResults(
  tx: EntityManager,
  types: ColumnTypes,
  work: ClaimSet,
  results: WorkResults | null,
): Promise<StoreOutcome> {
  const sheet = await lockLiveSheet(tx, work.workspaceId, work.sheetId);
  const claim = await holdClaims(tx, work);
  // Whoever has the cells now, or has equal ones later, need not pay for the results again.
  if (results) await rememberResults(tx, work.workspaceId, results.memo);
  if (!claim) return NOTHING_STORED;
  const done = results ? claim.rows.intersect(results.rows) : claim.rows;
  if (!sheet || !results) {
    const nothing = { completed: 0, failed: 0, cost: 0, again: RowSet.EMPTY };
    const waiting = await settleCells(tx, work, { ...nothing, done, dropped: done.count });
    if (sheet) tellOfProgress(tx, sheet, { id: work.executionId, ended: waiting.ended });
    return { overBudget: false, waiting };
  }
  const states = await ChunkStates.read(tx, work.workspaceId, [work.columnKey], rangeOf(work.rows));
  const { outdated, blocked } = await findOutdated(tx, types, { sheet, work, results });
  const usable = done.intersect(sheet.rows).without(outdated).without(blocked);
  const { budget } = claim;
  const outcome = await write(tx, types, { claim, sheet, work, results, states, usable });
  const again = outdated.intersect(sheet.rows).intersect(done);
  const { cost } = results;
  const dropped = done.count - usable.count - again.count;
  const waiting = await settleCells(tx, work, { ...outcome, done, again, cost, dropped });
  tellOfProgress(tx, sheet, { id: work.executionId, ended: waiting.ended });
  const overBudget = budget !== null && cost > 0 && cost >= budget;
  if (overBudget) await stopOverBudget(tx, types, sheet, work.executionId);
  return { overBudget, waiting };
}

interface Storing {
  sheet: Sheet;
  work: ClaimSet;
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
  const rows = rangeOf(results.rows);
  const { unready, readVersion } = results;
  if (sheet.version <= readVersion && unready.isEmpty) return { outdated: RowSet.EMPTY, blocked: RowSet.EMPTY };
  const columns = await SheetColumns.read(tx, types, sheet);
  const column = columns.byKey(work.columnKey);
  if (!column) return { outdated: RowSet.EMPTY, blocked: results.rows };
  const range: GridRange = { workspaceId, columnKeys: results.sourceKeys, rows };
  const changed = RowSet.of(await readChangedRows(tx, range, readVersion));
  const stale = await readStaleSources(tx, { workspaceId, columns, column }, rows);
  const sources = new Set(columns.computedSources([column]).map((source) => source.key));
  const pending = (await readPending(tx, sheet)).filter((other) => sources.has(other.columnKey));
  const awaited = RowSet.union(pending.map((other) => other.rows));
  const reconfigured = column.version > readVersion ? results.rows : RowSet.EMPTY;
  const outdated = RowSet.union([changed, stale.intersect(awaited), unready.without(stale), reconfigured]);
  return { outdated, blocked: stale.without(outdated) };
}

interface Prepared {
  claim: HeldCells;
  states: ChunkStates;
  usable: RowSet;
}

async function write(
  tx: EntityManager,
  types: ColumnTypes,
  { sheet, work, results, claim, states, usable }: Storing & Prepared,
): Promise<{ completed: number; failed: number }> {
  if (usable.isEmpty) return { completed: 0, failed: 0 };
  const complete = usable.equals(results.rows);
  const cells = complete ? results.cells : results.cells.filter((cell) => usable.has(cell.rowIndex));
  const { workspaceId, executionId, columnKey } = work;
  const own = cells.filter((cell) => cell.columnKey === columnKey);
  const failed = RowSet.of(own.filter((cell) => cell.error).map((cell) => cell.rowIndex));
  const stale = states.stale(columnKey);
  const replaced = await findReplaced(tx, workspaceId, cells, stale);
  const outdated = await findLeftReaders(tx, types, work, { cells: own, stale });
  states.settle(columnKey, usable.without(failed), failed);
  // Computing again what was up to date already is no new version.
  if (cells.length > 0 || states.isChanged) {
    const version = await versionFor(tx, sheet, work, claim);
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
async function findReplaced(tx: EntityManager, workspaceId: number, cells: NewCell[], stale: RowSet): Promise<RowSet> {
  const fresh = stale.isEmpty ? cells : cells.filter((cell) => !stale.has(cell.rowIndex));
  return fresh.length === 0 ? RowSet.EMPTY : RowSet.of(await readDifferentRows(tx, workspaceId, fresh));
}

/** What reads the metrics of a cell is among its dependents. */
async function markDependents(
  tx: EntityManager,
  types: ColumnTypes,
  { sheet, work }: { sheet: Sheet; work: ClaimSet },
  rows: RowSet,
): Promise<void> {
  const columns = await SheetColumns.read(tx, types, sheet);
  const column: SheetColumn | undefined = columns.byKey(work.columnKey);
  if (column) await markStale(tx, sheet, columns.dependents([column]), rows);
}

/**
 * The version the results of an execution belong to: one for the whole execution, unless somebody changed the sheet in
 * between. That change sealed the version before it, and later results go into a new one.
 */
async function versionFor(
  tx: EntityManager,
  sheet: Sheet,
  work: ClaimSet,
  { owner, executionVersion }: HeldCells,
): Promise<number> {
  // No version shows what a scorecard has computed.
  if (owner === 'scorecard' || executionVersion === sheet.version) return sheet.version;
  const { workspaceId, executionId: id } = work;
  const version = await recordVersion(tx, sheet, {
    deltas: [{ type: 'execution', operation_id: id }],
    createdBy: null,
  });
  await tx.update(Execution, { workspaceId, id }, { version });
  return version;
}
