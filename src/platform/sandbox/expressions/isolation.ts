import { Injectable } from '@nestjs/common';
import { type RowOutcome, RowGroup } from '../row-group.js';
import { Sandbox } from '../sandbox.js';
import { currentOwner } from '../turn-owner.js';
import type { EvaluationCall, Outcome } from './evaluate-rows.js';
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
  async run<K extends EvaluationName>(name: K, options: EvaluationOptions[K], rows: string[][]): Promise<Outcome[]> {
    const { expressionMs: timeMs, stoppedRows } = this.sandbox.limits;
    const argumentOf = (texts: string[][]): EvaluationCall => ({ name, options, rows: texts });
    const read = (answer: unknown) => answer as Outcome[];
    const work = { kind: 'plain', method: 'expressions', timeMs, width: 1, stoppedRows, argumentOf, read } as const;
    const group = new RowGroup<string[], Outcome>(this.sandbox, { ...work, owner: currentOwner() });
    const outcomes = rows.map(async (texts) => {
      if (texts.some((text) => text.length > MAX_TEXT)) {
        return { error: `The source is longer than ${MAX_TEXT} characters.` };
      }
      return this.settled(await group.add(texts, sizeOf(texts)));
    });
    return Promise.all(outcomes);
  }

  private settled(outcome: RowOutcome<Outcome>): Outcome {
    if (!('stopped' in outcome)) return outcome;
    const { expressionMs, stoppedRows } = this.sandbox.limits;
    switch (outcome.stopped) {
      case 'memory':
        return { error: 'It needed too much memory and was stopped.' };
      case 'time':
        return { error: `It took longer than ${expressionMs / 1000} seconds and was stopped.` };
      case 'broken':
        return { error: `It could not be evaluated: ${outcome.detail}` };
      default:
        return { error: `It was not tried: ${stoppedRows} rows before it had to be stopped.` };
    }
  }
}

function sizeOf(texts: string[]): number {
  return texts.reduce((sum, text) => sum + text.length, 0);
}
