import { randomUUID } from 'node:crypto';
import type { EntityManager } from 'typeorm';
import { ChunkStates } from '../states/chunk-states.js';
import type { SheetColumn } from '../columns/column.entity.js';
import type { SheetColumns } from '../columns/sheet-columns.js';
import { RowSet } from '../rows/row-set.js';
import type { Sheet } from '../sheet.entity.js';
import type { ExecutionOwner } from '../sheet-owner.js';
import { Execution } from './execution.entity.js';
import { insertTasks, type NewTask, pendingRows, readPending } from './tasks.queries.js';
import { tellOfAdvance } from './tell-of-progress.js';

/** Cells to compute: rows per column. */
export type Selection = Map<SheetColumn, RowSet>;

export interface QueuedCells {
  executionId: string;
  cellCount: number;
  /** Tasks of columns that the server computes by itself. */
  formulaTasks: number;
  /** Tasks of columns whose results come from outside. */
  externalTasks: number;
}

export interface QueueOptions {
  /** Results are computed anew although their inputs are the same. */
  isForced?: boolean;
  /** Results from outside that were known before do not count; equal cells of the operation share theirs. */
  asksAgain?: boolean;
  /** US dollars; null for any amount. */
  maxCost?: number | null;
}

export interface QueueRequest extends QueueOptions {
  cells: Selection;
  /** The sheet, unless said otherwise. */
  owner?: ExecutionOwner;
  /** The name of the key that asks for it; left out when the server begins it by itself. */
  startedBy?: string | null;
}

/**
 * Queues cells of a locked sheet, and with them the stale cells they read in the same rows, except those that they only
 * read because they stand to their left. Cells that are pending
 * already are left to the execution that has them. Gives null when nothing is left to queue. Notify after the commit.
 */
export async function queueCells(
  tx: EntityManager,
  sheet: Sheet,
  columns: SheetColumns,
  { cells, owner = 'sheet', isForced = false, asksAgain = false, maxCost = null, startedBy = null }: QueueRequest,
): Promise<QueuedCells | null> {
  const wanted = await withStaleSources(tx, sheet, columns, cells);
  const busy = pendingRows(await readPending(tx, sheet));
  const executionId = randomUUID();
  const tasks = [...wanted].flatMap(([column, rows]) => {
    const idle = rows.without(busy.get(column.key) ?? RowSet.EMPTY);
    return toTasks(sheet, columns, { column, rows: idle, executionId });
  });
  if (tasks.length === 0) return null;
  const cellCount = tasks.reduce((sum, task) => sum + task.rows.count, 0);
  const { workspaceId, id: sheetId } = sheet;
  const asked = { isForced, asksAgain, maxCost, startedBy };
  const execution = { workspaceId, id: executionId, sheetId, owner, ...asked, cellCount };
  await tx.insert(Execution, { ...execution, inTable: sheet.owner === 'table', status: 'queued' });
  await insertTasks(tx, tasks);
  tellOfAdvance(tx, sheet, executionId);
  const externalTasks = tasks.filter(({ isExternal }) => isExternal).length;
  return { executionId, cellCount, formulaTasks: tasks.length - externalTasks, externalTasks };
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
