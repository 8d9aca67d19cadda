import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { CodeRunner } from '../platform/sandbox/code-runner.js';
import type { TurnOwner } from '../platform/turns.js';
import type { JsonObject } from '../platform/json.js';
import type { SheetColumn } from '../grid/columns/column.entity.js';
import type { Sheet } from '../grid/shared/sheet.entity.js';
import { scoreColumns, scoreDefault, type SheetMoment } from './calculate-score.js';
import { readCodeRows, type ShownValue } from './code-rows.js';
import { readCustomScore, ScoreFailure } from './custom-score.js';
import type { ScoreConfig, ScoringType } from './score-config.js';
import type { ScoreResult } from './score-result.js';

/** The scoring of a sheet. */
export interface SheetScoring {
  type: ScoringType;
  config: ScoreConfig;
  /** null: the columns with verdicts; for code, all that people see. */
  columns: SheetColumn[] | null;
  /** Owner of the turn in the sandbox, for code. */
  owner: TurnOwner;
  /** Strict: a column with a cell that cannot be scored has no score. */
  isStrict?: boolean;
  /** Maximum number of matrices that code may return. Default: 1. */
  mostMatrices?: number;
  show?: ShownValue;
}

/** A snapshot of a sheet, and its scoring. */
export interface SheetToScore extends SheetMoment {
  scoring: SheetScoring;
}

/** The score of a sheet as it was read. */
export interface ScoredSheet {
  sheet: Sheet;
  result: ScoreResult;
}

/** Calculates the scores of sheets, for all owners. */
@Injectable()
export class SheetScorer {
  constructor(
    private readonly db: DataSource,
    private readonly runner: CodeRunner,
  ) {}

  /**
   * Scores the sheet that `find` returns, from one snapshot; null when `find` returns none. Columns are scored while
   * they are read. Code may take minutes: it runs after the transaction that has read its rows. Throws a ScoreFailure
   * that describes the error.
   */
  async score(
    find: (tx: EntityManager) => Promise<SheetToScore | null>,
    signal: AbortSignal,
  ): Promise<ScoredSheet | null> {
    const read = await this.db.transaction('REPEATABLE READ', async (tx) => {
      const moment = await find(tx);
      return moment && { moment, content: await readContent(moment, signal) };
    });
    if (!read) return null;
    const { moment, content } = read;
    const result = 'rows' in content ? await this.runCode(content.rows, moment.scoring, signal) : content.result;
    return { sheet: moment.sheet, result };
  }

  private async runCode(rows: JsonObject[], scoring: SheetScoring, signal: AbortSignal): Promise<ScoreResult> {
    const { config, owner, mostMatrices } = scoring;
    const { code = '', code_language: language = 'PYTHON' } = config;
    const outcome = await this.runner.run({ language, code }, rows, owner, signal);
    if ('error' in outcome) throw new ScoreFailure(`The code failed: ${outcome.error}`);
    const { score, ...custom } = readCustomScore(outcome.value, mostMatrices);
    const counts = { totalRows: rows.length, scoredRows: rows.length };
    return { shape: 'custom', score, columns: [], ...counts, custom };
  }
}

/** The rows for the code, or the scores of columns. */
async function readContent(
  moment: SheetToScore,
  signal: AbortSignal,
): Promise<{ rows: JsonObject[] } | { result: ScoreResult }> {
  const { type, config, columns, isStrict, show } = moment.scoring;
  if (type === 'custom') return { rows: await readCodeRows(moment, columns, signal, show) };
  const how = { type, config, isStrict };
  return {
    result: columns ? await scoreColumns(moment, columns, how, signal) : await scoreDefault(moment, how, signal),
  };
}
