import { type EntityManager, In } from 'typeorm';
import { groupBy } from '../../platform/group-by.js';
import {
  type EncodedCells,
  type GridRange,
  type NewCell,
  readChangedRows,
  readDifferentRows,
  writeCells,
} from '../cells/cells.queries.js';
import type { ColumnTypes } from '../column-type/column-type.js';
import { SheetColumns } from '../columns/sheet-columns.js';
import { lockLiveSheet } from '../shared/lock-sheet.js';
import { rangeOf, RowSet } from '../shared/row-set.js';
import type { Sheet } from '../shared/sheet.entity.js';
import { RUN_OWNERS } from '../shared/sheet-owner.js';
import { ChunkStates } from '../states/chunk-states.js';
import { markStale } from '../states/mark-stale.js';
import { recordVersion } from '../shared/record-version.js';
import { Execution } from './execution.entity.js';
import { findLeftReaders } from './left-readers.js';
import { type MemoEntry, rememberResults } from './memo.queries.js';
import { chargeBrokenCalls, releaseReservations } from './reservations.queries.js';
import { readStaleSources } from './stale-sources.js';
import {
  type ClaimSet,
  type HeldTask,
  holdClaims,
  NOTHING_WAITS,
  type PendingRows,
  readPending,
  type SettledCells,
  type SettledTask,
  settleCells,
  type WaitingCells,
} from './tasks.queries.js';
import { notifyOfProgress } from './notify-of-progress.js';

/** Results of cells of one column and one claim, and the version of the sheet that they were computed from. */
export interface WorkResults {
  /** Results of a lost claim are dropped, also when the same worker has claimed the cells again. */
  claim: string;
  executionId: string;
  columnKey: string;
  /** The rows of the results. */
  rows: RowSet;
  /**
   * Cells to write, with those of metadata columns. A row without a cell keeps its stored one: it has the same inputs,
   * or is blank as before.
   */
  cells: NewCell[];
  /** The cells, encoded for sending. */
  encoded: EncodedCells | null;
  /** Rows that were not computed because a source was stale. */
  unready: RowSet;
  /** Rows that were computed from a result that was not stored. */
  lost: RowSet;
  /** The version of the sheet at which the inputs were read. */
  readVersion: number;
  sourceKeys: string[];
  /** False when the column had no result in these chunks yet. */
  mayReplace: boolean;
  /** Results to reuse for equal inputs. */
  memo: MemoEntry[];
  /** Cost of the cells in US dollars. */
  cost: number;
  /** The highest cost of one of them; null when it does not predict the cost of others. */
  dearest: number | null;
}

export function noResults(
  of: Pick<WorkResults, 'claim' | 'executionId' | 'columnKey' | 'rows' | 'readVersion'>,
): WorkResults {
  return {
    ...of,
    cells: [],
    encoded: null,
    unready: RowSet.EMPTY,
    lost: RowSet.EMPTY,
    sourceKeys: [],
    mayReplace: true,
    memo: [],
    cost: 0,
    dearest: null,
  };
}

export interface StoreOutcome {
  /** By claim: rows of which a result was not stored. */
  lost: Map<string, RowSet>;
  /** Cells that may have waited for these. */
  waiting: WaitingCells;
}

/** Results, sorted by whether they are stored. */
interface Judged {
  results: WorkResults;
  tasks: HeldTask[];
  /** The rows that are finished, in whichever way. */
  done: RowSet;
  /** Rows to write. */
  usable: RowSet;
  /** Rows to compute again. */
  again: RowSet;
  /** Written rows that have failed. */
  failed: RowSet;
}

/**
 * Stores results for claimed cells of a sheet, under its lock, and removes these from their tasks. Results of a lost
 * claim are dropped. Results whose inputs changed meanwhile are dropped, too, and computed again: a stored result
 * always fits its inputs. Without results, and when the sheet was deleted, there is nothing left to compute, and the
 * claims end.
 */
export async function storeResults(
  tx: EntityManager,
  types: ColumnTypes,
  work: ClaimSet,
  results: WorkResults[],
): Promise<StoreOutcome> {
  const { workspaceId } = work;
  const sheet = await lockLiveSheet(tx, workspaceId, work.sheetId);
  const tasks = await holdClaims(tx, work);
  // Stored first, so that another claim of these cells, or later equal cells, need not pay for the results again.
  const memo = results.flatMap((each) => each.memo);
  await rememberResults(tx, workspaceId, memo);
  const judged = sheet && results.length > 0 ? await judge(tx, types, { sheet, tasks }, results) : drop(tasks);
  const lost = byClaim(judged, ({ results: { rows }, usable }) => rows.without(usable));
  if (tasks.length === 0) return { lost, waiting: NOTHING_WAITS };
  if (sheet) await write(tx, types, sheet, judged);
  const cells = countCells(judged);
  const settled = tasks.flatMap((task) => whatIsLeft(task, judged) ?? []);
  const { executions, waiting } = await settleCells(tx, work, settled, cells);
  await endReservations(tx, work, { tasks, results, ended: executions.filter(({ ended }) => ended) });
  if (!sheet) return { lost, waiting };
  for (const execution of executions) notifyOfProgress(tx, sheet, execution);
  return { lost, waiting };
}

/** Ends the reservations for the results: their real cost is known now and added to that of their executions. */
async function endReservations(
  tx: EntityManager,
  { workspaceId, claims }: ClaimSet,
  { tasks, results, ended }: { tasks: HeldTask[]; results: WorkResults[]; ended: { id: string }[] },
): Promise<void> {
  const limited = new Set(tasks.flatMap((task) => (task.isLimited ? task.executionId : [])));
  for (const [executionId, parts] of groupBy(results, (each) => each.executionId)) {
    if (!limited.has(executionId)) continue;
    const paid = parts.map(({ columnKey, rows, dearest }) => ({ columnKey, rows: [...rows], dearest }));
    await releaseReservations(tx, { workspaceId, executionId, claims }, paid);
  }
  const charged = ended.flatMap(({ id }) => (limited.has(id) ? id : []));
  await chargeBrokenCalls(tx, workspaceId, charged);
}

/** Drops tasks without results. */
function drop(tasks: HeldTask[]): Judged[] {
  const [usable, again, failed] = [RowSet.EMPTY, RowSet.EMPTY, RowSet.EMPTY];
  return tasks.map((task) => {
    const results = noResults({ ...task, readVersion: 0 });
    return { results, tasks: [task], done: task.rows, usable, again, failed };
  });
}

/** Decides which results are stored. A result that depends on a dropped one is dropped, too. */
async function judge(
  tx: EntityManager,
  types: ColumnTypes,
  { sheet, tasks }: { sheet: Sheet; tasks: HeldTask[] },
  all: WorkResults[],
): Promise<Judged[]> {
  const outdated = await findOutdated(tx, types, sheet, all);
  const judged = all.map((results): Judged => {
    const { claim, columnKey, rows, lost } = results;
    const own = tasks.filter((task) => task.claim === claim && task.columnKey === columnKey);
    const done = rows.intersect(RowSet.union(own.map((task) => task.rows)));
    const live = done.intersect(sheet.rows);
    const { changed, blocked } = outdated.get(results) ?? UP_TO_DATE;
    const again = live.intersect(changed.union(lost));
    return { results, tasks: own, done, usable: live.without(again).without(blocked), again, failed: RowSet.EMPTY };
  });
  return judged.map((each) =>
    withoutLost(
      each,
      judged.filter((other) => isBesides(each, other)),
      sheet,
    ),
  );
}

function isBesides({ results: a }: Judged, { results: b }: Judged): boolean {
  return a.claim === b.claim && a.columnKey !== b.columnKey;
}

function withoutLost(judged: Judged, others: Judged[], sheet: Sheet): Judged {
  const lost = RowSet.union(others.map(({ results, usable }) => results.rows.without(usable)));
  const again = judged.again.union(judged.done.intersect(sheet.rows).intersect(lost));
  const usable = judged.usable.without(lost);
  const failing = judged.results.cells.filter(
    ({ columnKey, error }) => error && columnKey === judged.results.columnKey,
  );
  const failed = RowSet.of(failing.map(({ rowIndex }) => rowIndex)).intersect(usable);
  return { ...judged, again, usable, failed };
}

/**
 * Returns the rest of a task. Results of one column may be from different snapshots. null for a task without results.
 */
function whatIsLeft(task: HeldTask, judged: Judged[]): SettledTask | null {
  const own = judged.filter(({ tasks }) => tasks.includes(task));
  const done = RowSet.union(own.map((each) => each.done));
  const again = RowSet.union(own.map((each) => each.again));
  if (done.isEmpty) return null;
  return { id: task.id, rows: task.rows.without(done), again: task.rows.intersect(again) };
}

interface OutdatedRows {
  /** Rows whose inputs changed since they were read, or were not ready then; they are computed again. */
  changed: RowSet;
  /** Rows with a stale source that nobody computes; they stay stale. */
  blocked: RowSet;
}

const UP_TO_DATE: OutdatedRows = { changed: RowSet.EMPTY, blocked: RowSet.EMPTY };

/** The inputs of runs never change. */
async function findOutdated(
  tx: EntityManager,
  types: ColumnTypes,
  sheet: Sheet,
  all: WorkResults[],
): Promise<Map<WorkResults, OutdatedRows>> {
  const mayChange = (readVersion: number) => sheet.version > readVersion && !isOfRuns(sheet);
  const suspects = all.filter(({ readVersion, unready }) => mayChange(readVersion) || !unready.isEmpty);
  const found = new Map<WorkResults, OutdatedRows>();
  if (suspects.length === 0) return found;
  const columns = await SheetColumns.read(tx, types, sheet);
  const pending = await readPending(tx, sheet);
  for (const each of suspects) found.set(each, await findOutdatedRows(tx, { sheet, columns, pending }, each));
  return found;
}

async function findOutdatedRows(
  tx: EntityManager,
  { sheet, columns, pending }: { sheet: Sheet; columns: SheetColumns; pending: PendingRows[] },
  results: WorkResults,
): Promise<OutdatedRows> {
  const { workspaceId } = sheet;
  const { unready, readVersion, columnKey } = results;
  const rows = rangeOf(results.rows);
  const column = columns.byKey(columnKey);
  if (!column) return { changed: RowSet.EMPTY, blocked: results.rows };
  const range: GridRange = { workspaceId, columnKeys: results.sourceKeys, rows };
  const changed = RowSet.of(await readChangedRows(tx, range, readVersion));
  const stale = await readStaleSources(tx, { workspaceId, columns, column }, rows);
  const sources = new Set(columns.computedSources([column]).map((source) => source.key));
  const awaited = RowSet.union(pending.filter((other) => sources.has(other.columnKey)).map((other) => other.rows));
  const reconfigured = column.version > readVersion ? results.rows : RowSet.EMPTY;
  const outdated = RowSet.union([changed, stale.intersect(awaited), unready.without(stale), reconfigured]);
  return { changed: outdated, blocked: stale.without(outdated) };
}

async function write(tx: EntityManager, types: ColumnTypes, sheet: Sheet, judged: Judged[]): Promise<void> {
  const written = judged.filter(({ usable }) => !usable.isEmpty);
  if (written.length === 0) return;
  const { workspaceId } = sheet;
  const keys = [...new Set(written.map(({ results }) => results.columnKey))];
  const states = await ChunkStates.read(
    tx,
    workspaceId,
    keys,
    rangeOf(RowSet.union(written.map(({ usable }) => usable))),
  );
  const makeStale: (() => Promise<void>)[] = [];
  for (const each of written) {
    if (!isOfRuns(sheet)) makeStale.push(await findReaders(tx, types, { sheet, states }, each));
    states.settle(each.results.columnKey, each.usable.without(each.failed), each.failed);
  }
  // Results that are all up to date already make no new version.
  if (written.every((each) => usableCells(each).length === 0) && !states.isChanged) return;
  const version = await versionFor(tx, sheet, written);
  for (const each of mergeByExecution(written)) await writeCells(tx, { workspaceId, version, ...each }, each.cells);
  await states.save(tx, version);
  for (const make of makeStale) await make();
}

/** Merges the cells of each execution, with encoded ones unchanged. */
function mergeByExecution(written: Judged[]) {
  const executions = groupBy(written, ({ results }) => results.executionId);
  return [...executions].map(([executionId, parts]) => {
    const [first, ...others] = parts;
    const encoded = others.length === 0 && first!.usable.equals(first!.results.rows) ? first!.results.encoded : null;
    return {
      executionId,
      mayReplace: parts.some(({ results }) => results.mayReplace),
      cells: encoded ?? parts.flatMap(usableCells),
    };
  });
}

function usableCells({ results: { rows, cells }, usable }: Judged): NewCell[] {
  return usable.equals(rows) ? cells : cells.filter(({ rowIndex }) => usable.has(rowIndex));
}

/**
 * Finds the cells that become stale with new results; returns a function that marks them after the results are written.
 */
async function findReaders(
  tx: EntityManager,
  types: ColumnTypes,
  { sheet, states }: { sheet: Sheet; states: ChunkStates },
  judged: Judged,
): Promise<() => Promise<void>> {
  const { columnKey } = judged.results;
  const cells = usableCells(judged);
  const stale = states.stale(columnKey);
  const replaced = await findReplaced(tx, sheet.workspaceId, cells, stale);
  const own = cells.filter((cell) => cell.columnKey === columnKey);
  const outdated = await findLeftReaders(tx, types, sheet, { columnKey, cells: own, stale });
  return async () => {
    if (!replaced.isEmpty) await markDependents(tx, types, { sheet, columnKey }, replaced);
    if (!outdated.rows.isEmpty) await markStale(tx, sheet, outdated.columns, outdated.rows);
  };
}

/**
 * Finds rows in which another value replaces one that was not stale. Readers of a stale value are stale already, so
 * only these rows can make cells stale, besides columns that read everything to their left (see findLeftReaders).
 */
async function findReplaced(tx: EntityManager, workspaceId: number, cells: NewCell[], stale: RowSet): Promise<RowSet> {
  const fresh = stale.isEmpty ? cells : cells.filter((cell) => !stale.has(cell.rowIndex));
  return fresh.length === 0 ? RowSet.EMPTY : RowSet.of(await readDifferentRows(tx, workspaceId, fresh));
}

/** Marks the dependents of cells. Columns that read the metrics of a cell are among them. */
async function markDependents(
  tx: EntityManager,
  types: ColumnTypes,
  { sheet, columnKey }: { sheet: Sheet; columnKey: string },
  rows: RowSet,
): Promise<void> {
  const columns = await SheetColumns.read(tx, types, sheet);
  const column = columns.byKey(columnKey);
  if (column) await markStale(tx, sheet, columns.dependents([column]), rows);
}

/**
 * The version of the results: one for a whole execution, unless somebody changed the sheet in between. That change
 * sealed the previous version, and later results go into a new one. Results of a scorecard are in no version.
 */
async function versionFor(tx: EntityManager, sheet: Sheet, written: Judged[]): Promise<number> {
  const executions = written.map(({ tasks: [task] }) => task!).filter(({ owner }) => owner !== 'scorecard');
  if (executions.every(({ executionVersion }) => executionVersion === sheet.version)) return sheet.version;
  const ids = [...new Set(executions.map(({ executionId }) => executionId))];
  const deltas = ids.map((id) => ({ type: 'execution', operation_id: id }));
  const version = await recordVersion(tx, sheet, { deltas, createdBy: null });
  await tx.update(Execution, { workspaceId: sheet.workspaceId, id: In(ids) }, { version });
  return version;
}

function countCells(judged: Judged[]): SettledCells[] {
  const executions = groupBy(judged, ({ results }) => results.executionId);
  const sum = (parts: Judged[], count: (part: Judged) => number) =>
    parts.reduce((total, part) => total + count(part), 0);
  return [...executions].map(([executionId, parts]) => ({
    executionId,
    completed: sum(parts, ({ usable, failed }) => usable.count - failed.count),
    failed: sum(parts, ({ failed }) => failed.count),
    reused: sum(parts, countReused),
    dropped: sum(parts, ({ done, usable, again }) => done.count - usable.count - again.count),
    cost: sum(parts, ({ results }) => results.cost),
    goesOn: parts.some(({ again }) => !again.isEmpty),
  }));
}

function countReused(judged: Judged): number {
  const { cells, columnKey } = judged.results;
  const isReused = ({ metrics, columnKey: key }: NewCell) => key === columnKey && Boolean(metrics?.reused_from);
  return cells.some(isReused) ? usableCells(judged).filter(isReused).length : 0;
}

function byClaim(judged: Judged[], rowsOf: (each: Judged) => RowSet): Map<string, RowSet> {
  const claims = groupBy(judged, ({ results }) => results.claim);
  return new Map([...claims].map(([claim, parts]) => [claim, RowSet.union(parts.map(rowsOf))]));
}

const isOfRuns = ({ owner }: Sheet): boolean => RUN_OWNERS.includes(owner);
