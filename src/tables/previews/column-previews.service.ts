import { randomUUID } from 'node:crypto';
import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import type { Caller } from '../../access/index.js';
import { ReadingPool } from '../../platform/database/reading-pool.js';
import { WorkspacePlaces } from '../../platform/work/workspace-places.js';
import type { NewCell } from '../../grid/cells/cells.queries.js';
import { CellFailure, ColumnTypes } from '../../grid/column-type/column-type.js';
import { rulesOf } from '../../grid/column-type/kinds.js';
import { parseConfig } from '../../grid/column-type/parse-config.js';
import type { ColumnInput } from '../../grid/column-edits/add-column.js';
import { readWithDraft } from '../../grid/column-edits/draft-column.js';
import { CellPreviews, type PreviewOptions, timedOutCell } from '../../grid/computing/cell-previews.js';
import { ColumnPlan } from '../../grid/computing/column-plan.js';
import { readInputs, type WorkContext } from '../../grid/computing/read-work.js';
import { GridErrors } from '../../grid/shared/grid.errors.js';
import { RowSet } from '../../grid/shared/row-set.js';
import type { Sheet } from '../../grid/shared/sheet.entity.js';
import { type RunPlan, RunPlansService } from '../operations/run-plans.service.js';
import { typed } from '../columns/columns.service.js';
import { getSheet } from '../sheets/lock-sheet.js';
import type { SheetPath } from '../sheets/sheets.dto.js';
import { addressOf } from '../sheets/sheets.service.js';
import { PreviewErrors } from './column-previews.errors.js';

export const MOST_ROWS = 3;
/** Maximum number of running previews in this process. */
const MOST = 8;
const MOST_OF_ONE_WORKSPACE = 4;
/** Time limit, because somebody waits for the answer. */
const LONGEST_MS = 60_000;

export interface PreviewInput extends Omit<ColumnInput, 'isOutputColumn'> {
  type: string | null;
  /** null for the first rows. */
  rows: number[] | null;
  /** Default: only the plan, without rows. */
  compute: boolean;
  /** Whether models are called although results of the same inputs are known. */
  force: boolean;
}

export interface PreviewedRow {
  row: number;
  /** null for a row with a stale source. */
  cell: NewCell | null;
}

export interface ColumnPreview {
  rows: PreviewedRow[];
  plan: RunPlan;
}

interface Prepared {
  context: WorkContext;
  rows: RowSet;
  isExternal: boolean;
  plan: RunPlan;
}

/** Tries unsaved columns on a few rows. The sheet stays as it is. */
@Injectable()
export class ColumnPreviewsService implements OnModuleDestroy {
  private readonly places = new WorkspacePlaces(MOST, MOST_OF_ONE_WORKSPACE);
  private readonly stopping = new AbortController();
  private readonly active = new Set<Promise<unknown>>();

  constructor(
    private readonly reading: ReadingPool,
    private readonly types: ColumnTypes,
    private readonly cells: CellPreviews,
    private readonly plans: RunPlansService,
  ) {}

  /** Ends running previews before the database closes. */
  async onModuleDestroy(): Promise<void> {
    this.stopping.abort(PreviewErrors.preview_stopped());
    await Promise.allSettled(this.active);
  }

  /** Throws the errors of adding the column, row_not_found, column_not_previewable, and previews_exceeded at once. */
  preview(caller: Caller, path: SheetPath, given: PreviewInput, unwanted: AbortSignal): Promise<ColumnPreview> {
    const { workspaceId } = caller;
    if (this.places.roomOf(workspaceId) === 0) throw PreviewErrors.previews_exceeded(MOST_OF_ONE_WORKSPACE);
    this.places.take(workspaceId, 1);
    const signal = AbortSignal.any([unwanted, this.stopping.signal]);
    const trying = this.try(caller, path, given, signal).finally(() => {
      this.places.leave(workspaceId, 1);
      this.active.delete(trying);
    });
    this.active.add(trying);
    return trying;
  }

  private async try(caller: Caller, path: SheetPath, given: PreviewInput, unwanted: AbortSignal) {
    const prepared = await this.prepare(caller, path, given);
    return { rows: given.compute ? await this.compute(prepared, unwanted) : [], plan: prepared.plan };
  }

  private prepare(caller: Caller, path: SheetPath, given: PreviewInput): Promise<Prepared> {
    const { workspaceId } = caller;
    const { type, input } = typed(this.types, given);
    // Validated before the sheet is read.
    parseConfig(type, input.config);
    if (!rulesOf(type.options.kind).computes) throw PreviewErrors.column_not_previewable(type.options.name);
    return this.reading.read(async (tx) => {
      const sheet = await getSheet(tx, addressOf(caller, path));
      const { column, columns } = await readWithDraft(tx, { types: this.types, type }, sheet, input);
      const rows = chooseRows(sheet, given.rows);
      const plan = await this.plans.planIn(tx, columns, { workspaceId, cells: new Map([[column, sheet.rows]]) });
      const { force } = given;
      const costs = { maxCost: null, cost: 0, dearestCells: {} };
      const execution = { id: randomUUID(), isForced: force, asksAgain: force, ...costs };
      const context = { plan: ColumnPlan.of(columns, column), following: [], sheet, execution, columns };
      return { context, rows, isExternal: columns.isExternal(column), plan };
    });
  }

  /** Cells fail at the timeout. All of them end when the client disconnects or the server stops. */
  private async compute({ context, rows, isExternal }: Prepared, unwanted: AbortSignal): Promise<PreviewedRow[]> {
    const timeLimitMs = Math.min(LONGEST_MS, this.cells.timeLimitMs);
    const over = new CellFailure(`It took longer than ${timeLimitMs / 1000} seconds and was stopped.`);
    const end = new AbortController();
    const timer = setTimeout(() => end.abort(over), timeLimitMs);
    const options = { isExternal, timeLimitMs, signal: AbortSignal.any([end.signal, unwanted]) };
    const done = new Map<number, NewCell | null>();
    try {
      await this.computeParts(context, rows, { ...options, done });
    } catch (error) {
      if (error !== over) throw error;
    } finally {
      clearTimeout(timer);
    }
    unwanted.throwIfAborted();
    const { key } = context.plan.column;
    const cellOf = (row: number) => (done.has(row) ? done.get(row)! : timedOutCell(key, row, over.message));
    return [...rows].map((row) => ({ row, cell: cellOf(row) }));
  }

  /** Computes rows in parts that fit into memory. */
  private async computeParts(
    context: WorkContext,
    rows: RowSet,
    { done, ...options }: PreviewOptions & { done: Map<number, NewCell | null> },
  ): Promise<void> {
    const { workspaceId } = context.sheet;
    for (let left = rows; !left.isEmpty;) {
      options.signal.throwIfAborted();
      const part = left;
      const inputs = await this.reading.read((tx) => readInputs(tx, context, { workspaceId, rows: part }));
      const cells = await this.cells.compute(inputs, options);
      for (const row of inputs.rows) done.set(row, cells.get(row) ?? null);
      left = inputs.unread;
    }
  }
}

/** Throws row_not_found. */
function chooseRows(sheet: Sheet, wanted: number[] | null): RowSet {
  if (wanted === null) return RowSet.of(sheet.rows.page(null, MOST_ROWS, 'asc'));
  const missing = wanted.find((row) => !sheet.rows.has(row));
  if (missing !== undefined) throw GridErrors.row_not_found(missing);
  return RowSet.of(wanted);
}
