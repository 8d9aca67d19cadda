import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { type ClaimedRow, now, RowWork, type WorkTable } from '../platform/work/row-work.js';
import type { WorkAborted, WorkControl } from '../platform/work/work-kind.js';
import { ColumnTypes } from '../grid/column-type/column-type.js';
import { SheetColumns } from '../grid/columns/sheet-columns.js';
import { findLiveSheet, SHEET_DELETED, SHEET_OF_WORK_LIVES } from '../grid/shared/lock-sheet.js';
import { ScoreFailure } from './custom-score.js';
import { ScoreCalculation } from './score-calculation.entity.js';
import { configuredColumns } from './score-columns.js';
import { ScoreConfiguration } from './score-configuration.entity.js';
import { ScoreErrors } from './scores.errors.js';
import { type ScoredSheet, SheetScorer, type SheetToScore } from './sheet-scorer.js';
import { attachScore } from './version-scores.queries.js';

export const SCORE_ROWS: WorkTable = {
  name: 'score',
  table: 'score_calculations',
  idType: 'uuid',
  open: `w.status IN ('queued', 'running')`,
  wanted: SHEET_OF_WORK_LIVES,
  claimed: 'error = NULL',
  // The status stays running: another calculation may be queued by now, and only one may be.
  givenBack: 'error = NULL',
};

/** Calculates requested scores. Each is read from one snapshot of its sheet and belongs to that version. */
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
      const scored = await this.scorer.score((tx) => this.find(tx, claim), signal);
      await this.db.transaction((tx) => this.complete(tx, claim, scored!));
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

  private async find(tx: EntityManager, claim: ClaimedRow): Promise<SheetToScore> {
    const { workspaceId, sheetId, configurationId, keyId } = await this.readClaimed(tx, claim);
    const configuration = await tx.findOneByOrFail(ScoreConfiguration, { workspaceId, id: configurationId });
    const sheet = await findLiveSheet(tx, workspaceId, sheetId);
    if (!sheet) throw new ScoreFailure(SHEET_DELETED);
    const columns = await SheetColumns.read(tx, this.types, sheet);
    const scored = configuredColumns(columns, configuration);
    if (scored?.length === 0) throw new ScoreFailure(ScoreErrors.score_columns_deleted().message);
    const { scoreType: type, config } = configuration;
    return { tx, sheet, columns, scoring: { type, config, columns: scored, owner: { workspaceId, keyId } } };
  }

  /** Stores the result and attaches its score to the version. */
  private async complete(tx: EntityManager, claim: ClaimedRow, { sheet, result }: ScoredSheet): Promise<void> {
    await this.end(tx, claim, { status: 'completed', result: result as object, calculatedAt: now });
    const { score, shape: scoreType } = result;
    await attachScore(tx, sheet, { score, scoreType, source: 'score' });
  }
}
