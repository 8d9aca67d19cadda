import type { EntityManager } from 'typeorm';
import { findTableSheet, type TableSheet } from '../sheets/lock-sheet.js';
import { findCalculation, findCalculationAnywhere, findPrevious } from './calculations.queries.js';
import type { ScorecardCalculation } from './scorecard-calculation.entity.js';
import type { Scorecard } from './scorecard.entity.js';
import { ScorecardErrors } from './scorecards.errors.js';
import { findScorecard } from './stored-scorecard.queries.js';

/** A calculation with its sheet. */
export interface CompletedCalculation {
  sheet: TableSheet;
  scorecard: Scorecard;
  calculation: ScorecardCalculation;
}

/** A calculation of the sheet's current scorecard. Throws calculation_not_found and calculation_not_completed. */
export async function findCompleted(tx: EntityManager, sheet: TableSheet, id: string): Promise<CompletedCalculation> {
  const scorecard = await findScorecard(tx, sheet);
  const calculation = scorecard && (await findCalculation(tx, scorecard, id));
  if (!calculation) throw ScorecardErrors.calculation_not_found(id);
  if (calculation.status !== 'completed') throw ScorecardErrors.calculation_not_completed(id);
  return { sheet, scorecard, calculation };
}

/** The calculation that completed before another one. Throws calculation_is_first. */
export async function findBefore(tx: EntityManager, own: CompletedCalculation): Promise<CompletedCalculation> {
  const calculation = await findPrevious(tx, own.calculation);
  if (!calculation) throw ScorecardErrors.calculation_is_first(own.calculation.id);
  return { ...own, calculation };
}

/**
 * A calculation of this sheet or of another one in its workspace. Throws calculation_not_found and
 * calculation_not_completed.
 */
export async function findNamed(tx: EntityManager, sheet: TableSheet, id: string): Promise<CompletedCalculation> {
  const sheetId = await findCalculationAnywhere(tx, sheet.workspaceId, id);
  return sheetId === sheet.id ? findCompleted(tx, sheet, id) : findInWorkspace(tx, sheet.workspaceId, id);
}

/** A calculation of any sheet of a workspace. Throws calculation_not_found and calculation_not_completed. */
export async function findInWorkspace(
  tx: EntityManager,
  workspaceId: number,
  id: string,
): Promise<CompletedCalculation> {
  const sheetId = await findCalculationAnywhere(tx, workspaceId, id);
  const sheet = sheetId && (await findTableSheet(tx, workspaceId, sheetId));
  if (!sheet) throw ScorecardErrors.calculation_not_found(id);
  return findCompleted(tx, sheet, id);
}
