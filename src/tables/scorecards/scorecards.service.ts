import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { audit, type Caller } from '../../access/index.js';
import type { JsonObject } from '../../platform/json.js';
import { ColumnTypes } from '../../grid/column-type/column-type.js';
import { deleteColumns } from '../../grid/columns/archive-columns.js';
import { SheetColumns } from '../../grid/columns/sheet-columns.js';
import { ComputationNotifier } from '../../grid/computing/computation-notifier.js';
import { recordVersion } from '../../grid/shared/record-version.js';
import { getSheet, lockSheet, type TableSheet } from '../sheets/lock-sheet.js';
import type { SheetPath } from '../sheets/sheets.dto.js';
import { addressOf } from '../sheets/sheets.service.js';
import { type CalculationState, findNewest, readState } from './calculations.queries.js';
import { type GivenScorecard, readAggregation } from './given-scorecard.js';
import { planOf } from './plan-calculation.js';
import type { CalculationPlan } from './calculation-plan.js';
import type { ScorecardCalculation } from './scorecard-calculation.entity.js';
import type { Scorecard } from './scorecard.entity.js';
import { ScorecardErrors } from './scorecards.errors.js';
import { readStaleState, type StaleState } from './stale-state.js';
import { findColumns, type PreparedStep, prepareSteps, type StepPlace, writeSteps } from './step-columns.js';
import { cancelActive, findScorecard, replaceScorecard } from './stored-scorecard.queries.js';

/** A scorecard with its columns and calculations. */
export interface ScorecardView {
  sheet: TableSheet;
  columns: SheetColumns;
  scorecard: Scorecard;
  plan: CalculationPlan;
  /** The newest calculation with its progress. */
  latest: CalculationState | null;
  /** The newest completed one, which people see while another one is running. */
  display: ScorecardCalculation | null;
  stale: StaleState | null;
}

@Injectable()
export class ScorecardsService {
  constructor(
    private readonly db: DataSource,
    private readonly types: ColumnTypes,
    private readonly notifier: ComputationNotifier,
  ) {}

  /** null for a sheet without a scorecard. */
  get(caller: Caller, path: SheetPath): Promise<ScorecardView | null> {
    return this.db.transaction('REPEATABLE READ', async (tx) => {
      const sheet = await getSheet(tx, addressOf(caller, path));
      const scorecard = await findScorecard(tx, sheet);
      return scorecard && this.read(tx, sheet, scorecard);
    });
  }

  /** Creates or replaces the scorecard of a sheet. Its running calculation ends. */
  async configure(caller: Caller, path: SheetPath, given: GivenScorecard): Promise<ScorecardView> {
    const view = await this.db.transaction(async (tx) => {
      const sheet = await lockSheet(tx, addressOf(caller, path));
      const columns = await SheetColumns.read(tx, this.types, sheet);
      const before = await findScorecard(tx, sheet);
      const place = { types: this.types, sheet, columns, existing: before?.steps ?? [] };
      const aggregation = readAggregation(given.aggregation);
      const evaluatedColumnIds = findColumns(columns, 'evaluated_column_ids', given.evaluatedColumnIds);
      const steps = await prepareSteps(tx, place, given.steps);
      const { name, displayConfig, baselineConfig } = given;
      const content = { name, displayConfig, baselineConfig, aggregation, evaluatedColumnIds };
      return this.write(tx, caller, place, { before, content, steps });
    });
    this.notifier.notifyBoth();
    return view;
  }

  /** Deletes the scorecard of a sheet. Throws scorecard_not_found. */
  async delete(caller: Caller, path: SheetPath): Promise<void> {
    await this.db.transaction(async (tx) => {
      const sheet = await lockSheet(tx, addressOf(caller, path));
      const scorecard = await findScorecard(tx, sheet);
      if (!scorecard) throw ScorecardErrors.scorecard_not_found();
      const columns = await SheetColumns.read(tx, this.types, sheet);
      await cancelActive(tx, this.types, sheet);
      const deltas = [{ type: 'scorecard.delete', before: describe(scorecard.name, columns) }];
      await recordVersion(tx, sheet, { deltas, createdBy: caller.keyName });
      await deleteColumns(
        tx,
        sheet,
        columns.steps.map(({ id }) => id),
      );
      await replaceScorecard(tx, sheet, null);
      const details = { sheet_id: sheet.id, name: scorecard.name };
      await audit(tx, caller, { action: 'scorecard.delete', entityId: scorecard.id, details });
    });
    this.notifier.notifyBoth();
  }

  /** Writes the prepared steps of a locked sheet, as one version. */
  async write(
    tx: EntityManager,
    caller: Caller,
    place: StepPlace,
    { before, content, steps }: ScorecardChange,
  ): Promise<ScorecardView> {
    const { sheet, columns } = place;
    await cancelActive(tx, this.types, sheet);
    const after: JsonObject = {
      name: content.name,
      steps: steps.map(({ state: { title, type } }) => ({ title, type })),
    };
    const delta = { type: 'scorecard.configure', before: before && describe(before.name, columns), after };
    await recordVersion(tx, sheet, { deltas: [delta], createdBy: caller.keyName });
    const settings = await writeSteps(tx, place, steps);
    const { id = randomUUID(), createdAt = new Date() } = before ?? {};
    const scorecard = await replaceScorecard(tx, sheet, { ...content, id, createdAt, steps: settings });
    return this.read(tx, sheet as TableSheet, scorecard!);
  }

  /** Reads a scorecard with its calculations. */
  async read(tx: EntityManager, sheet: TableSheet, scorecard: Scorecard): Promise<ScorecardView> {
    const columns = await SheetColumns.read(tx, this.types, sheet);
    const plan = planOf(scorecard, columns);
    const newest = await findNewest(tx, scorecard, { completed: false });
    const latest = newest && (await readState(tx, newest));
    const display =
      newest && newest.status !== 'completed' ? await findNewest(tx, scorecard, { completed: true }) : newest;
    const stale = display && (await readStaleState({ tx, sheet, columns, plan }, display));
    return { sheet, columns, scorecard, plan, latest, display, stale };
  }
}

export interface ScorecardChange {
  before: Scorecard | null;
  content: Pick<Scorecard, 'name' | 'aggregation' | 'evaluatedColumnIds' | 'displayConfig' | 'baselineConfig'>;
  steps: PreparedStep[];
}

/** Describes a scorecard briefly: its version has all of it. */
function describe(name: string, columns: SheetColumns): JsonObject {
  return { name, steps: columns.steps.map(({ title, type }) => ({ title, type })) };
}
