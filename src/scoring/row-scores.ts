import type { EntityManager } from 'typeorm';
import type { JsonValue } from '../platform/json.js';
import type { Sheet } from '../grid/shared/sheet.entity.js';
import { BooleanRules } from './column-score.js';
import { readValueGroups } from './score-cells.queries.js';
import type { ScoreConfig } from './score-config.js';
import { singleNumber, unwrapCell } from '../grid/cells/unwrap-cell.js';

/** The scores of a column. */
export interface ColumnScores {
  byRow: Map<number, number>;
  /** Whether a cell has a number: without the rest of its scale it is no verdict, even if it is 1. */
  hasNumbers: boolean;
}

/** Converts the value of a cell to a score: 1 for passed, 0 for failed, a number as it is; null for anything else. */
export function cellScorer({
  true_values: trueValues,
  false_values: falseValues,
}: ScoreConfig): (value: JsonValue) => number | null {
  const rules = new BooleanRules({ trueValues, falseValues });
  return (value) => {
    const values = unwrapCell(value);
    const score = rules.score(values) ?? singleNumber(values);
    return score !== null && Number.isFinite(score) ? score : null;
  };
}

/**
 * The score of each row in some columns, by the key of the column. A row whose cell cannot be scored is missing. `tx`
 * must be a snapshot.
 */
export async function readRowScores(
  tx: EntityManager,
  sheet: Sheet,
  columnKeys: string[],
  config: ScoreConfig = {},
): Promise<Map<string, ColumnScores>> {
  const scoreOf = cellScorer(config);
  const scores = new Map(
    columnKeys.map((key): [string, ColumnScores] => [key, { byRow: new Map(), hasNumbers: false }]),
  );
  for await (const groups of readValueGroups(tx, sheet, columnKeys)) {
    for (const { columnKey, value, rows } of groups) {
      const score = scoreOf(value);
      if (score === null) continue;
      const column = scores.get(columnKey)!;
      column.hasNumbers ||= singleNumber(unwrapCell(value)) !== null;
      for (const row of rows) column.byRow.set(row, score);
    }
  }
  return scores;
}
