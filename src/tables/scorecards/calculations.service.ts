import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { audit, type Caller } from '../../access/index.js';
import { InjectNotifier, WorkNotifier } from '../../platform/work/work-notifier.js';
import { ColumnTypes } from '../../grid/column-type/column-type.js';
import { SheetColumns } from '../../grid/columns/sheet-columns.js';
import { ComputationNotifier } from '../../grid/computing/computation-notifier.js';
import { queueCells, type QueuedCells, type Selection } from '../../grid/computing/queue-cells.js';
import { RowSet } from '../../grid/shared/row-set.js';
import type { Sheet } from '../../grid/shared/sheet.entity.js';
import type { ChooseCells } from '../operations/run-plans.service.js';
import { getSheet, lockSheet } from '../sheets/lock-sheet.js';
import type { SheetPath } from '../sheets/sheets.dto.js';
import { addressOf } from '../sheets/sheets.service.js';
import { type CalculationPlan, type CalculationScope, rowSteps } from './calculation-plan.js';
import { type CalculationState, findCalculation, findNewest, readState } from './calculations.queries.js';
import { planOf } from './plan-calculation.js';
import { ScorecardCalculation } from './scorecard-calculation.entity.js';
import type { Scorecard } from './scorecard.entity.js';
import {
  countVerdicts,
  readRow,
  readRowSummaries,
  type RowFilter,
  type RowSummary,
  type StoredRow,
} from './scorecard-rows.queries.js';
import { ScorecardErrors } from './scorecards.errors.js';
import { readStaleState } from './stale-state.js';
import { cancelActive, type CancelledCalculation, findActive, findScorecard } from './stored-scorecard.queries.js';
import type { VerdictCounts } from './criterion.js';

export interface StartedCalculation {
  calculationId: string;
  version: number;
}

/** A page of results of one calculation. */
export interface ResultPage {
  calculation: ScorecardCalculation | null;
  rows: RowSummary[];
  /** Rows with outdated results. */
  outdated: RowSet;
  counts: VerdictCounts | null;
}

/** The result of a calculation for a row. */
export interface FoundRow {
  calculation: ScorecardCalculation;
  row: StoredRow;
  isOutdated: boolean;
}

/** Calculates scorecards: the grid computes the cells of their steps, and a worker makes the results. */
@Injectable()
export class CalculationsService {
  constructor(
    private readonly db: DataSource,
    private readonly types: ColumnTypes,
    private readonly notifier: ComputationNotifier,
    @InjectNotifier('scorecards') private readonly workers: WorkNotifier,
  ) {}

  /**
   * Starts a calculation and ends the active one, if any. Throws scorecard_not_configured, scorecard_without_steps,
   * step_not_found.
   */
  async start(
    caller: Caller,
    path: SheetPath,
    { asksAgain, ...scope }: CalculationScope & { asksAgain: boolean },
  ): Promise<StartedCalculation> {
    const { queued, ...started } = await this.db.transaction(async (tx) => {
      const sheet = await lockSheet(tx, addressOf(caller, path));
      const scorecard = await findWithSteps(tx, sheet);
      await cancelActive(tx, this.types, sheet);
      const columns = await SheetColumns.read(tx, this.types, sheet);
      return begin(tx, { sheet, scorecard, columns, startedBy: caller.keyName, asksAgain }, scope);
    });
    if (queued) this.notifier.notify(queued);
    else this.workers.notify();
    return started;
  }

  /**
   * Cancels cells that have not been computed. If a scope leaves any of them, nothing is cancelled outside the scope.
   * The whole calculation ends anyway, because a part of it would be no result. Throws scorecard_not_configured and
   * step_not_found.
   */
  async cancel(
    caller: Caller,
    path: SheetPath,
    scope: CalculationScope,
  ): Promise<{ scorecard: Scorecard; cancelled: CancelledCalculation | null }> {
    const result = await this.db.transaction(async (tx) => {
      const sheet = await lockSheet(tx, addressOf(caller, path));
      const scorecard = await findScorecard(tx, sheet);
      if (!scorecard) throw ScorecardErrors.scorecard_not_configured();
      const active = await findActive(tx, sheet);
      if (!active || !touches(active, scope)) return { scorecard, cancelled: null };
      const cancelled = await cancelActive(tx, this.types, sheet);
      const details = { sheet_id: sheet.id, cells: cancelled?.cells ?? 0 };
      await audit(tx, caller, { action: 'scorecard.cancel', entityId: active.id, details });
      return { scorecard, cancelled };
    });
    this.notifier.notifyBoth();
    return result;
  }

  /** Throws calculation_not_found. */
  get(caller: Caller, path: SheetPath, id: string): Promise<CalculationState> {
    return this.db.transaction('REPEATABLE READ', async (tx) => {
      const sheet = await getSheet(tx, addressOf(caller, path));
      return readState(tx, await this.find(tx, sheet, id));
    });
  }

  /**
   * Up to `limit + 1` results in the order of the rows, from the named calculation or else the newest completed one.
   */
  async list(caller: Caller, path: SheetPath, calculationId: string | null, filter: RowFilter): Promise<ResultPage> {
    return this.db.transaction('REPEATABLE READ', async (tx) => {
      const sheet = await getSheet(tx, addressOf(caller, path));
      const calculation = await this.choose(tx, sheet, calculationId);
      if (!calculation) return { calculation, rows: [], outdated: RowSet.EMPTY, counts: null };
      const { stepId } = filter;
      const place = stepId === null ? null : rowSteps(calculation.plan).findIndex(({ id }) => id === stepId);
      if (place === -1) throw ScorecardErrors.step_not_found(stepId!);
      const rows = await readRowSummaries(tx, calculation, { ...filter, place });
      const outdated = await this.outdated(tx, sheet, calculation);
      const counts = calculation.result?.counts ?? (await countVerdicts(tx, calculation));
      return { calculation, rows, outdated, counts };
    });
  }

  /** Throws calculation_not_found and row_result_not_found. */
  async row(caller: Caller, path: SheetPath, rowIndex: number, calculationId: string | null): Promise<FoundRow> {
    return this.db.transaction('REPEATABLE READ', async (tx) => {
      const sheet = await getSheet(tx, addressOf(caller, path));
      const calculation = await this.choose(tx, sheet, calculationId);
      const row = calculation && (await readRow(tx, calculation, rowIndex));
      if (!row) throw ScorecardErrors.row_result_not_found(rowIndex);
      const outdated = await this.outdated(tx, sheet, calculation);
      return { calculation, row, isOutdated: outdated.has(rowIndex) };
    });
  }

  /** Only results of the newest calculation can be outdated: earlier ones belong to earlier content. */
  private async outdated(tx: EntityManager, sheet: Sheet, calculation: ScorecardCalculation): Promise<RowSet> {
    const scorecard = await findScorecard(tx, sheet);
    const newest = scorecard && (await findNewest(tx, scorecard, { completed: true }));
    if (newest?.id !== calculation.id) return RowSet.EMPTY;
    const columns = await SheetColumns.read(tx, this.types, sheet);
    const { rows } = await readStaleState({ tx, sheet, columns, plan: planOf(scorecard!, columns) }, calculation);
    return rows;
  }

  private async choose(tx: EntityManager, sheet: Sheet, id: string | null): Promise<ScorecardCalculation | null> {
    if (id !== null) return this.find(tx, sheet, id);
    const scorecard = await findScorecard(tx, sheet);
    if (!scorecard) return null;
    return (await findNewest(tx, scorecard, { completed: true })) ?? findNewest(tx, scorecard, { completed: false });
  }

  private async find(tx: EntityManager, sheet: Sheet, id: string): Promise<ScorecardCalculation> {
    const scorecard = await findScorecard(tx, sheet);
    const calculation = scorecard && (await findCalculation(tx, scorecard, id));
    if (!calculation) throw ScorecardErrors.calculation_not_found(id);
    return calculation;
  }
}

/** The cells that a calculation would compute. Throws scorecard_not_configured, scorecard_without_steps, step_not_found. */
export const cellsToCalculate =
  (scope: CalculationScope): ChooseCells =>
  async (tx, sheet, columns) => {
    const plan = planOf(await findWithSteps(tx, sheet), columns);
    const wanted = scopeOf(plan, scope);
    return cellsOf(plan, columns, wanted, rowsOf(sheet, wanted));
  };

interface CalculatedSheet {
  sheet: Sheet;
  scorecard: Scorecard;
  columns: SheetColumns;
  startedBy: string | null;
  asksAgain: boolean;
}

/** Queues the cells and stores the calculation in the same transaction, so that it is visible at once. */
async function begin(
  tx: EntityManager,
  { sheet, scorecard, columns, startedBy, asksAgain }: CalculatedSheet,
  given: CalculationScope,
): Promise<StartedCalculation & { queued: QueuedCells | null }> {
  const plan = planOf(scorecard, columns);
  const scope = scopeOf(plan, given);
  const rows = rowsOf(sheet, scope);
  const queued = await queueCells(tx, sheet, columns, {
    cells: cellsOf(plan, columns, scope, rows),
    owner: 'scorecard',
    startedBy,
    asksAgain,
  });
  const { workspaceId, id: sheetId, version } = sheet;
  const before = scope && (await findNewest(tx, scorecard, { completed: true }));
  const id = randomUUID();
  const calculation = {
    workspaceId,
    id,
    sheetId,
    scorecardId: scorecard.id,
    executionId: queued?.executionId ?? null,
    status: 'queued',
    version,
    plan,
    scope,
    rows: before ? rows.union(before.rows) : rows,
  };
  // JSON nests more deeply than the types of TypeORM allow.
  await tx.insert(ScorecardCalculation, calculation as never);
  return { calculationId: id, version, queued };
}

/** Throws scorecard_not_configured and scorecard_without_steps. */
async function findWithSteps(tx: EntityManager, sheet: Sheet): Promise<Scorecard> {
  const scorecard = await findScorecard(tx, sheet);
  if (!scorecard) throw ScorecardErrors.scorecard_not_configured();
  if (scorecard.steps.length === 0) throw ScorecardErrors.scorecard_without_steps();
  return scorecard;
}

const rowsOf = (sheet: Sheet, scope: CalculationScope | null): RowSet =>
  scope?.rows ? RowSet.of(scope.rows).intersect(sheet.rows) : sheet.rows;

/** null for everything. Throws step_not_found. */
function scopeOf({ steps }: CalculationPlan, { rows, stepIds }: CalculationScope): CalculationScope | null {
  const ids = stepIds?.map((id) => id.toLowerCase()) ?? null;
  const unknown = ids?.find((id) => !steps.some((step) => step.id === id));
  if (unknown !== undefined) throw ScorecardErrors.step_not_found(unknown);
  return rows === null && ids === null ? null : { rows, stepIds: ids };
}

function cellsOf(
  plan: CalculationPlan,
  columns: SheetColumns,
  scope: CalculationScope | null,
  rows: RowSet,
): Selection {
  const steps = rowSteps(plan).filter(({ id }) => scope?.stepIds?.includes(id) ?? true);
  return new Map(steps.map(({ id }) => [columns.find(id)!, rows]));
}

/** Whether a scope overlaps with that of a calculation. Throws step_not_found. */
function touches(calculation: ScorecardCalculation, given: CalculationScope): boolean {
  const wanted = scopeOf(calculation.plan, given);
  const meets = <T>(a: T[] | null | undefined, b: T[] | null | undefined) =>
    !a || !b || a.some((each) => b.includes(each));
  return meets(wanted?.rows, calculation.scope?.rows) && meets(wanted?.stepIds, calculation.scope?.stepIds);
}
