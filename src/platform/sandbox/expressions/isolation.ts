import { Injectable } from '@nestjs/common';
import { RowGroup } from '../row-group.js';
import type { RowOutcome } from '../row-outcome.js';
import { Sandbox } from '../sandbox.js';
import { currentOwner } from '../turn-owner.js';
import type { EvaluationCall } from './evaluate-rows.js';
import type { EvaluationName, EvaluationOptions } from './evaluations.js';

/** Longest text that is evaluated: 5 MB of ASCII. */
const MAX_TEXT = 5_000_000;

/**
 * Evaluates expressions that users wrote (patterns, paths, diffs) over the texts of many rows, in processes that can be
 * ended. A row that takes too long or too much memory fails alone; the others are evaluated.
 */
@Injectable()
export class Isolation {
  constructor(private readonly sandbox: Sandbox) {}

  /** One outcome for each row, in their order. Rejects only when no process can be started. */
  async run<K extends EvaluationName>(name: K, options: EvaluationOptions[K], rows: string[][]): Promise<RowOutcome[]> {
    const { expressionMs: timeMs, stoppedRows } = this.sandbox.limits;
    const argumentOf = (texts: string[][]): EvaluationCall => ({ name, options, rows: texts });
    const read = (answer: unknown) => answer as RowOutcome[];
    const rules = { timeMs, stoppedRows, width: 1, broken: 'It could not be evaluated' };
    const work = { ...rules, kind: 'expressions', owner: currentOwner(), argumentOf, read } as const;
    const group = new RowGroup<string[]>(this.sandbox, work);
    const outcomes = rows.map(async (texts) => {
      if (texts.some((text) => text.length > MAX_TEXT)) {
        return { error: `The source is longer than ${MAX_TEXT} characters.` };
      }
      return group.add(texts, sizeOf(texts));
    });
    return Promise.all(outcomes);
  }
}

function sizeOf(texts: string[]): number {
  return texts.reduce((sum, text) => sum + text.length, 0);
}
