import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager, In } from 'typeorm';
import type { Caller } from '../../access/index.js';
import { ReadingPool } from '../../platform/database/reading-pool.js';
import type { JsonObject } from '../../platform/json.js';
import { InjectNotifier, WorkNotifier } from '../../platform/work/work-notifier.js';
import { ColumnTypes } from '../../grid/column-type/column-type.js';
import { SheetColumns } from '../../grid/columns/sheet-columns.js';
import type { Sheet } from '../../grid/shared/sheet.entity.js';
import { recordVersion } from '../../grid/shared/record-version.js';
import { getSheet, lockSheet } from '../sheets/lock-sheet.js';
import type { SheetPath } from '../sheets/sheets.dto.js';
import { addressOf } from '../sheets/sheets.service.js';
import { findNewest } from '../scorecards/calculations.queries.js';
import type { ScorecardCalculation } from '../scorecards/scorecard-calculation.entity.js';
import { findScorecard } from '../scorecards/stored-scorecard.queries.js';
import {
  configuredColumns,
  findConfiguration,
  type GivenScore,
  queueCalculation,
  readGivenScore,
  replaceConfiguration,
  ScoreCalculation,
  ScoreConfiguration,
  scoreDefault,
  ScoreErrors,
  type ScoreResult,
  unscored,
} from '../../scoring/index.js';
import { type HistoryRange, type Resolution, type Sample, samplePoints, versionsIn } from './score-history.js';
import { describeScores, readScores, type ScoredVersion } from './score-history.queries.js';

/** The score of a sheet with its configuration and calculation. */
export interface SheetScore {
  sheet: Sheet;
  /** null without a configured score; the result was calculated just now then. */
  configuration: ScoreConfiguration | null;
  /** The newest calculation since the score was configured; null for none. */
  calculation: ScoreCalculation | null;
  result: ScoreResult;
  calculatedAt: Date | null;
  /** Set without a configured score if the sheet has a calculated scorecard, which gives the score. */
  scorecard?: ScorecardCalculation;
}

@Injectable()
export class ScoresService {
  constructor(
    private readonly db: DataSource,
    private readonly types: ColumnTypes,
    private readonly reading: ReadingPool,
    @InjectNotifier('scores') private readonly workers: WorkNotifier,
  ) {}

  /** The score of a sheet. Without a configured score it is calculated at once. */
  async get(caller: Caller, path: SheetPath): Promise<SheetScore> {
    const stored = await this.readStored(this.db.manager, caller, path);
    return stored ?? this.reading.read((tx) => this.calculateDefault(tx, caller, path));
  }

  /** Changes the score settings of a sheet. Calculates nothing. */
  configure(caller: Caller, path: SheetPath, given: GivenScore) {
    return this.db.transaction(async (tx) => {
      const sheet = await lockSheet(tx, addressOf(caller, path));
      const next = readGivenScore(given, await SheetColumns.read(tx, this.types, sheet));
      const before = await findConfiguration(tx, sheet);
      const deltas = [{ type: 'score.configure', before: toDelta(before), after: toDelta(next) }];
      await recordVersion(tx, sheet, { deltas, createdBy: caller.keyName });
      const configuration = await replaceConfiguration(tx, sheet, next);
      return { configuration: configuration!, version: sheet.version };
    });
  }

  /**
   * Queues a calculation; null for a sheet with a scorecard and without a configured score. A queued calculation reads
   * all changes made before it starts, so it is used again.
   */
  async calculate(caller: Caller, path: SheetPath): Promise<ScoreCalculation | null> {
    const calculation = await this.db.transaction(async (tx) => {
      const sheet = await lockSheet(tx, addressOf(caller, path));
      const configuration = await findConfiguration(tx, sheet);
      if (!configuration && (await findScorecard(tx, sheet))) return null;
      if (!configuration) throw ScoreErrors.score_not_configured();
      const columns = await SheetColumns.read(tx, this.types, sheet);
      if (configuredColumns(columns, configuration)?.length === 0) throw ScoreErrors.score_columns_deleted();
      const { workspaceId, id: sheetId } = sheet;
      const waiting = await tx.findOneBy(ScoreCalculation, { workspaceId, sheetId, status: 'queued' });
      return waiting ?? queueCalculation(tx, caller.keyId, configuration);
    });
    if (calculation) this.workers.notify();
    return calculation;
  }

  /** The sampled scores of the versions of a sheet. */
  async history(
    caller: Caller,
    path: SheetPath,
    { range, ...sampling }: { maxPoints: number; range: HistoryRange; resolution: Resolution },
  ): Promise<{ sample: Sample<ScoredVersion>; total: number }> {
    const sheet = await getSheet(this.db.manager, addressOf(caller, path));
    const scores = await readScores(this.db.manager, sheet, versionsIn(range));
    const { points, resolution } = samplePoints(scores, sampling);
    return {
      sample: { points: await describeScores(this.db.manager, sheet, points), resolution },
      total: scores.length,
    };
  }

  private async readStored(tx: EntityManager, caller: Caller, path: SheetPath): Promise<SheetScore | null> {
    const sheet = await getSheet(tx, addressOf(caller, path));
    const configuration = await findConfiguration(tx, sheet);
    if (!configuration) return this.readScorecard(tx, sheet);
    const { workspaceId, id: sheetId } = sheet;
    const made = { workspaceId, sheetId, configurationId: configuration.id };
    const newest = { order: { number: 'DESC' } } as const;
    const calculation = await tx.findOne(ScoreCalculation, { where: made, ...newest });
    const ended = { ...made, status: In(['completed', 'failed']) };
    const last = calculation && (await tx.findOne(ScoreCalculation, { where: ended, ...newest }));
    // During a calculation the last score stays, unless that failed: then there is none.
    const result = last?.result ?? (await this.unscored(tx, sheet, configuration));
    return { sheet, configuration, calculation, result, calculatedAt: last?.calculatedAt ?? null };
  }

  private async readScorecard(tx: EntityManager, sheet: Sheet): Promise<SheetScore | null> {
    const scorecard = await findScorecard(tx, sheet);
    const calculation = scorecard && (await findNewest(tx, scorecard, { completed: true }));
    if (!calculation) return null;
    const { completedAt: calculatedAt } = calculation;
    const result = unscored(calculation.rows.count);
    return { sheet, configuration: null, calculation: null, result, calculatedAt, scorecard: calculation };
  }

  private async unscored(tx: EntityManager, sheet: Sheet, configuration: ScoreConfiguration): Promise<ScoreResult> {
    const columns = await SheetColumns.read(tx, this.types, sheet);
    const isCustom = configuration.scoreType === 'custom';
    return unscored(sheet.rows.count, isCustom ? [] : (configuredColumns(columns, configuration) ?? []));
  }

  private async calculateDefault(tx: EntityManager, caller: Caller, path: SheetPath): Promise<SheetScore> {
    const sheet = await getSheet(tx, addressOf(caller, path));
    const columns = await SheetColumns.read(tx, this.types, sheet);
    const result = await scoreDefault({ tx, sheet, columns }, { type: 'auto', config: {} });
    return { sheet, configuration: null, calculation: null, result, calculatedAt: new Date() };
  }
}

function toDelta(configuration: Pick<ScoreConfiguration, 'scoreType' | 'config'> | null): JsonObject | null {
  if (!configuration) return null;
  // The version stores the configuration itself; code may be long.
  const { code: _, ...config } = configuration.config;
  return { score_type: configuration.scoreType, ...(config as JsonObject) };
}
