import { Injectable, Logger } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { Statement } from '../../platform/database/statement.js';
import { type ClaimedRow, CLAIM_HOLDS, keyOfClaim, RowWork, type WorkTable } from '../../platform/work/row-work.js';
import { AttemptsSpent, WorkAborted, type WorkControl } from '../../platform/work/work-kind.js';
import { ColumnTypes } from '../grid/column-type/column-type.js';
import { SheetColumns } from '../grid/columns/sheet-columns.js';
import { findLiveSheet, SHEET_OF_WORK_LIVES } from '../grid/lock-sheet.js';
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

const SHEET_DELETED = 'The sheet was deleted.';

/** Calculates scores that were asked for. Each is read from one moment of its sheet and belongs to the version of that moment. */
@Injectable()
export class ScoreWork extends RowWork {
  private readonly log = new Logger(ScoreWork.name);

  constructor(
    db: DataSource,
    private readonly types: ColumnTypes,
    private readonly scorer: SheetScorer,
  ) {
    super(db, SCORE_ROWS);
  }

  async work(claim: ClaimedRow, { signal }: WorkControl): Promise<void> {
    try {
      const read = await this.db.transaction('REPEATABLE READ', (tx) => this.read(tx, claim, signal));
      const result = await this.scorer.finish(read, signal);
      await this.db.transaction((tx) => store(tx, claim, { ...read, result }));
    } catch (error) {
      const { reason } = (signal.reason ?? {}) as Partial<WorkAborted>;
      if (reason === 'cancelled') await this.fail(claim, new ScoreFailure(SHEET_DELETED));
      throw error;
    }
  }

  async fail(claim: ClaimedRow, error: unknown): Promise<void> {
    const isExpected = error instanceof ScoreFailure || error instanceof AttemptsSpent;
    if (!isExpected) this.log.error(`Score ${claim.id}: ${error instanceof Error ? error.stack : String(error)}`);
    const message = isExpected ? error.message : 'The calculation failed because of an error on the server.';
    await this.db.query(
      `UPDATE score_calculations SET status = 'failed', error = $4, result = NULL, claim = NULL WHERE ${CLAIM_HOLDS}`,
      [...keyOfClaim(claim), message],
    );
  }

  private async read(tx: EntityManager, claim: ClaimedRow, signal: AbortSignal): Promise<ReadScore & Place> {
    const { workspaceId, id } = claim;
    const calculation = await tx.findOneBy(ScoreCalculation, { workspaceId, id, claim: claim.claim });
    if (!calculation) throw new WorkAborted('lease_lost');
    const { sheetId, configurationId, keyId } = calculation;
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
}

/** The version that a score belongs to. */
interface Place {
  sheetId: string;
  version: number;
}

const COMPLETE = new Statement<{ calculatedAt: Date }>(`
  UPDATE score_calculations SET status = 'completed', result = $4::jsonb, calculated_at = now(), claim = NULL
   WHERE ${CLAIM_HOLDS} RETURNING calculated_at AS "calculatedAt"`);

/** Stores what came of a claim and attaches the score to its version; throws when another worker has taken over. */
async function store(
  tx: EntityManager,
  claim: ClaimedRow,
  { result, sheetId, version }: Place & { result: ScoreResult },
): Promise<void> {
  const [completed] = await COMPLETE.run(tx, [...keyOfClaim(claim), JSON.stringify(result)]);
  if (!completed) throw new WorkAborted('lease_lost');
  if (result.score === null) return;
  const { workspaceId } = claim;
  const { score, shape: scoreType } = result;
  await attachScore(tx, { workspaceId, sheetId, version, score, scoreType, source: 'score', ...completed });
}
