import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { type ClaimedRow, now, RowWork, type WorkTable } from '../../platform/work/row-work.js';
import type { WorkAborted, WorkControl } from '../../platform/work/work-kind.js';
import { ColumnTypes } from '../grid/column-type/column-type.js';
import { SheetColumns } from '../grid/columns/sheet-columns.js';
import { findLiveSheet, SHEET_DELETED, SHEET_OF_WORK_LIVES } from '../grid/lock-sheet.js';
import { ScoreFailure } from './custom-score.js';
import { ScoreCalculation } from './score-calculation.entity.js';
import { configuredColumns } from './score-columns.js';
import { ScoreConfiguration } from './score-configuration.entity.js';
import type { ScoreResult } from './score-result.js';
import { ScoreErrors } from './scores.errors.js';
import { type ReadScore, SheetScorer } from './sheet-scorer.js';
import { attachScore } from './version-scores.queries.js';

export const SCORE_ROWS: WorkTable = {
  name: 'score',
  table: 'score_calculations',
  idType: 'uuid',
  open: `w.status IN ('queued', 'running')`,
  wanted: SHEET_OF_WORK_LIVES,
  claimed: 'error = NULL',
  // It stays running: another one may be queued by now, and there is only one of those.
  givenBack: 'error = NULL',
};

/** Calculates scores that were asked for. Each is read from one moment of its sheet and belongs to the version of that moment. */
@Injectable()
export class ScoreWork extends RowWork<ScoreCalculation> {
  constructor(
    db: DataSource,
    private readonly types: ColumnTypes,
    private readonly scorer: SheetScorer,
  ) {
    super(db, SCORE_ROWS, ScoreCalculation);
  }

  async work(claim: ClaimedRow, { signal }: WorkControl): Promise<void> {
    try {
      const read = await this.db.transaction('REPEATABLE READ', (tx) => this.readSheet(tx, claim, signal));
      const result = await this.scorer.finish(read, signal);
      await this.db.transaction((tx) => this.complete(tx, claim, { ...read, result }));
    } catch (error) {
      const { reason } = (signal.reason ?? {}) as Partial<WorkAborted>;
      if (reason === 'cancelled') await this.fail(claim, new ScoreFailure(SHEET_DELETED));
      throw error;
    }
  }

  fail(claim: ClaimedRow, error: unknown): Promise<void> {
    const message = this.messageOf(error, claim, 'The calculation failed because of an error on the server.');
    return this.end(this.db.manager, claim, { status: 'failed', error: message });
  }

  private async readSheet(tx: EntityManager, claim: ClaimedRow, signal: AbortSignal): Promise<ReadScore & Place> {
    const { workspaceId, sheetId, configurationId, keyId } = await this.readClaimed(tx, claim);
    const configuration = await tx.findOneByOrFail(ScoreConfiguration, { workspaceId, id: configurationId });
    const sheet = await findLiveSheet(tx, workspaceId, sheetId);
    if (!sheet) throw new ScoreFailure(SHEET_DELETED);
    const moment = { tx, sheet, columns: await SheetColumns.read(tx, this.types, sheet) };
    const columns = configuredColumns(moment.columns, configuration);
    if (columns?.length === 0) throw new ScoreFailure(ScoreErrors.score_columns_deleted().message);
    const { scoreType: type, config } = configuration;
    const scoring = { type, config, columns, owner: { workspaceId, keyId } };
    return { sheetId, version: sheet.version, ...(await this.scorer.read(moment, scoring, signal)) };
  }

  /** Stores the result and attaches its score to the version. */
  private async complete(
    tx: EntityManager,
    claim: ClaimedRow,
    { result, sheetId, version }: Place & { result: ScoreResult },
  ): Promise<void> {
    await this.end(tx, claim, { status: 'completed', result: result as object, calculatedAt: now });
    if (result.score === null) return;
    const { workspaceId } = claim;
    const { score, shape: scoreType } = result;
    await attachScore(tx, { workspaceId, sheetId, version, score, scoreType, source: 'score' });
  }
}

/** The version that a score belongs to. */
interface Place {
  sheetId: string;
  version: number;
}
