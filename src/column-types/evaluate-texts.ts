import type { EvaluationName, EvaluationOptions } from '../platform/sandbox/expressions/evaluations.js';
import type { Isolation } from '../platform/sandbox/expressions/isolation.js';
import type { JsonValue } from '../platform/json.js';
import type { CellOutcome } from '../grid/column-type/column-type.js';
import { asText } from '../grid/column-type/values.js';

/** One evaluation for each row over the text forms of its values. */
export function evaluateTexts<K extends EvaluationName>(
  isolation: Isolation,
  evaluation: { name: K; options: EvaluationOptions[K] },
  rows: (JsonValue | undefined)[][],
): Promise<CellOutcome[]> {
  return isolation.run(
    evaluation.name,
    evaluation.options,
    rows.map((values) => values.map(asText)),
  );
}

/** Returns the result of a function, or the message of the error it throws. */
export function attempt(compute: () => JsonValue): CellOutcome {
  try {
    return { value: compute() };
  } catch (error) {
    return { error: (error as Error).message };
  }
}
