import type { JsonValue } from '../../json.js';
import { MAX_FOUND } from '../limits.js';
import type { RowOutcome } from '../row-outcome.js';
import { rowsOfTurn } from '../rows-of-turn.js';
import { EvaluationError } from './evaluation-error.js';
import { type EvaluationName, evaluations } from './evaluations.js';

export interface EvaluationCall {
  name: EvaluationName;
  options: object;
  /** The texts of each row. */
  rows: string[][];
}

/** Inside a process of the sandbox: the outcomes of as many rows as fit into a turn. */
export function evaluateRows({ name, options, rows }: EvaluationCall): RowOutcome[] {
  return Array.from(rowsOfTurn(rows), (texts) => evaluate(() => evaluations[name](options as never, texts)));
}

function evaluate(run: () => JsonValue): RowOutcome {
  try {
    const value = run();
    const size = typeof value === 'object' ? JSON.stringify(value).length : String(value).length;
    return size > MAX_FOUND ? { error: `The result is longer than ${MAX_FOUND} characters.` } : { value };
  } catch (error) {
    if (error instanceof EvaluationError) return { error: error.message };
    if (error instanceof RangeError) return { error: 'The source nests too deeply or the expression is too large.' };
    return { error: `It could not be evaluated: ${String(error).slice(0, 200)}` };
  }
}
