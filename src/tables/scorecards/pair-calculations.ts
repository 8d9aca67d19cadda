import type { EntityManager } from 'typeorm';
import type { ColumnTypes } from '../../grid/column-type/column-type.js';
import type { CompletedCalculation } from './completed-calculation.js';
import { pairByIndex, type RowPairs } from './pair-rows.js';
import { pairRowsOfSheets } from './pair-sheets.js';
import type { CalculationScores } from './paired-scores.queries.js';

/** Two calculations with their scores by row. */
export interface Pairing {
  own: CompletedCalculation;
  other: CompletedCalculation;
  now: CalculationScores;
  before: CalculationScores;
  matchBy: string[] | null;
}

/**
 * Pairs rows: by index in one sheet, by inputs in two sheets. The pairs begin with the rows of the other calculation.
 * Throws calculations_not_comparable.
 */
export async function pairRows(
  tx: EntityManager,
  types: ColumnTypes,
  { own, other, now, before, matchBy }: Pairing,
): Promise<{ pairs: RowPairs; matchedBy: string[] }> {
  if (own.sheet.id === other.sheet.id) return { pairs: pairByIndex(before.rows, now.rows), matchedBy: [] };
  const first = { ...other, rows: before.rows };
  return pairRowsOfSheets(tx, types, { first, second: { ...own, rows: now.rows }, matchBy });
}
