import { Injectable } from '@nestjs/common';
import type { SheetColumn } from '../grid/columns/column.entity.js';
import type { TurnOwner } from '../../platform/turns.js';
import { scoreColumns, scoreDefault, type SheetMoment } from './calculate-score.js';
import { readCodeRows, type ShownValue } from './code-rows.js';
import { type CustomCalculation, CustomScores } from './custom-scores.js';
import type { ScoreConfig, ScoringType } from './score-config.js';
import { type ScoreResult, unscored } from './score-result.js';

/** How a sheet is scored. */
export interface SheetScoring {
  type: ScoringType;
  config: ScoreConfig;
  /** null: those that hold verdicts; for code, all that people see. */
  columns: SheetColumn[] | null;
  /** Whose turn it is in the sandbox when code scores. */
  owner: TurnOwner;
  /** A column with a cell that cannot be scored has no score. */
  isStrict?: boolean;
  /** How many matrices code may return. */
  mostMatrices?: number;
  show?: ShownValue;
}

/** What was read of a sheet for its score. */
export interface ReadScore {
  result: ScoreResult;
  /** Set when code still has to run for the result. */
  custom?: CustomCalculation;
}

/** Calculates the scores of sheets, whoever owns them. Code may take minutes: it runs when the moment that it sees has been read. */
@Injectable()
export class SheetScorer {
  constructor(private readonly customScores: CustomScores) {}

  /** Columns are scored while they are read. */
  async read(moment: SheetMoment, scoring: SheetScoring, signal: AbortSignal): Promise<ReadScore> {
    const { type, config, columns, owner, isStrict, mostMatrices, show } = scoring;
    if (type === 'custom') {
      const rows = await readCodeRows(moment, columns, signal, show);
      return { result: unscored(rows.length), custom: { config, rows, owner, mostMatrices } };
    }
    const how = { type, config, isStrict };
    return {
      result: columns ? await scoreColumns(moment, columns, how, signal) : await scoreDefault(moment, how, signal),
    };
  }

  /** Runs the code where there is any. Throws a ScoreFailure that says what is wrong with it. */
  finish({ result, custom }: ReadScore, signal: AbortSignal): Promise<ScoreResult> {
    return custom ? this.customScores.calculate(custom, signal) : Promise.resolve(result);
  }
}
