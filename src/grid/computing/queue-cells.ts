import { randomUUID } from 'node:crypto';
import type { EntityManager } from 'typeorm';
import { ChunkStates } from '../states/chunk-states.js';
import type { SheetColumn } from '../columns/column.entity.js';
import type { SheetColumns } from '../columns/sheet-columns.js';
import { RowSet } from '../shared/row-set.js';
import type { Sheet } from '../shared/sheet.entity.js';
import type { ExecutionOwner } from '../shared/sheet-owner.js';
import { Execution } from './execution.entity.js';
import { insertTasks, type NewTask, pendingRows, readPending } from './tasks.queries.js';
import { notifyOfAdvance } from './notify-of-progress.js';

/** Cells to compute: rows per column. */
export type Selection = Map<SheetColumn, RowSet>;

export interface QueuedCells {
  executionId: string;
  cellCount: number;
  /** Number of tasks of columns that the server computes alone. */
  formulaTasks: number;
  /** Number of tasks of columns with external results. */
  externalTasks: number;
}

export interface QueueOptions {
  /** Computes results again although their inputs are the same. */
  isForced?: boolean;
  /** Ignores earlier external results; equal cells of the operation still share theirs. */
  asksAgain?: boolean;
  /** US dollars; null for no limit. */
  maxCost?: number | null;
}

export interface QueueRequest extends QueueOptions {
  cells: Selection;
  /** Default: the sheet. */
  owner?: ExecutionOwner;
  /** The name of the key that starts it; absent when the server does. */
  startedBy?: string | null;
  /** A running execution of the sheet that takes over the cells. Its options apply instead of the others here. */
  into?: string | null;
}

/**
 * Queues cells of a locked sheet, and the stale cells that they read in the same rows, except those that are read only
 * because they are on the left. Pending cells stay with their execution. Returns null when there is nothing to queue.
 * Notify after the commit.
 */
export async function queueCells(
  tx: EntityManager,
  sheet: Sheet,
  columns: SheetColumns,
  { cells, into = null, ...options }: QueueRequest,
): Promise<QueuedCells | null> {
  const wanted = await withStaleSources(tx, sheet, columns, cells);
  const busy = pendingRows(await readPending(tx, sheet));
  const idle = [...wanted].map(([column, rows]) => ({
    column,
    rows: rows.without(busy.get(column.key) ?? RowSet.EMPTY),
  }));
  const cellCount = idle.reduce((sum, { rows }) => sum + rows.count, 0);
  if (cellCount === 0) return null;
  const joined = into !== null && (await joinExecution(tx, sheet, { id: into, cellCount }));
  const executionId = joined ? into : await insertExecution(tx, sheet, { ...options, cellCount });
  const tasks = idle.flatMap((each) => toTasks(sheet, columns, { ...each, executionId }));
  await insertTasks(tx, tasks);
  notifyOfAdvance(tx, sheet, executionId);
  const externalTasks = tasks.filter(({ isExternal }) => isExternal).length;
  return { executionId, cellCount, formulaTasks: tasks.length - externalTasks, externalTasks };
}

async function insertExecution(
  tx: EntityManager,
  { workspaceId, id: sheetId, owner: sheetOwner }: Sheet,
  { owner = 'sheet', isForced = false, asksAgain = false, maxCost = null, startedBy = null, cellCount }: NewExecution,
): Promise<string> {
  const id = randomUUID();
  const asked = { isForced, asksAgain, maxCost, startedBy };
  const execution = { workspaceId, id, sheetId, owner, ...asked, cellCount };
  await tx.insert(Execution, { ...execution, inTable: sheetOwner === 'table', status: 'queued' });
  return id;
}

type NewExecution = Omit<QueueRequest, 'cells' | 'into'> & { cellCount: number };

/** False when the execution has ended. It ends under the lock of the sheet, which this transaction holds. */
async function joinExecution(
  tx: EntityManager,
  { workspaceId, id: sheetId }: Sheet,
  { id, cellCount }: { id: string; cellCount: number },
): Promise<boolean> {
  const [, joined] = await tx.query<[unknown[], number]>(
    `UPDATE executions SET cell_count = cell_count + $4::int
      WHERE workspace_id = $1 AND sheet_id = $2 AND id = $3 AND status IN ('queued', 'running')`,
    [workspaceId, sheetId, id, cellCount],
  );
  return joined > 0;
}

async function withStaleSources(
  tx: EntityManager,
  sheet: Sheet,
  columns: SheetColumns,
  selection: Selection,
): Promise<Selection> {
  const sources = columns.computedSources([...selection.keys()]);
  const all = { from: 0, to: sheet.rows.end };
  const states = await ChunkStates.read(
    tx,
    sheet.workspaceId,
    sources.map((column) => column.key),
    all,
  );
  const wanted: Selection = new Map([...selection].map(([column, rows]) => [column, rows.intersect(sheet.rows)]));
  for (const source of sources) {
    const readers = columns.explicitDependents([source]).flatMap((reader) => selection.get(reader) ?? []);
    const stale = states.stale(source.key).intersect(RowSet.union(readers)).intersect(sheet.rows);
    wanted.set(source, stale.union(wanted.get(source) ?? RowSet.EMPTY));
  }
  return wanted;
}

function toTasks(
  sheet: Sheet,
  columns: SheetColumns,
  { column, rows, executionId }: { column: SheetColumn; rows: RowSet; executionId: string },
): NewTask[] {
  const rank = columns.rank(column);
  return rows.chunks().map((chunkNo) => ({
    workspaceId: sheet.workspaceId,
    sheetId: sheet.id,
    chunkNo,
    rank,
    isExternal: columns.isExternal(column),
    columnKey: column.key,
    executionId,
    rows: rows.inChunk(chunkNo),
  }));
}
