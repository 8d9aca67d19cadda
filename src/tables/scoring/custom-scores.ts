import { Injectable } from '@nestjs/common';
import type { JsonObject } from '../../platform/json.js';
import { CodeRunner } from '../../platform/sandbox/code-runner.js';
import type { TurnOwner } from '../../platform/turns.js';
import { readCustomScore, ScoreFailure } from './custom-score.js';
import type { ScoreConfig } from './score-config.js';
import type { ScoreResult } from './score-result.js';

export interface CustomCalculation {
  config: ScoreConfig;
  rows: JsonObject[];
  owner: TurnOwner;
  /** How many matrices the code may return; one unless said otherwise. */
  mostMatrices?: number;
}

/** Calculates scores with the code of users, in the sandbox. */
@Injectable()
export class CustomScores {
  constructor(private readonly runner: CodeRunner) {}

  /** Throws a ScoreFailure that says what is wrong with the code or with what it returned. */
  async calculate({ config, rows, owner, mostMatrices }: CustomCalculation, signal: AbortSignal): Promise<ScoreResult> {
    const { code = '', code_language: language = 'PYTHON' } = config;
    const outcome = await this.runner.run({ language, code }, rows, owner, signal);
    if ('error' in outcome) throw new ScoreFailure(`The code failed: ${outcome.error}`);
    const { score, ...custom } = readCustomScore(outcome.value, mostMatrices);
    const counts = { totalRows: rows.length, scoredRows: rows.length };
    return { shape: 'custom', score, columns: [], ...counts, custom };
  }
}
