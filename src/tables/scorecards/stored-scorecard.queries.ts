import { isDeepStrictEqual } from 'node:util';
import { type EntityManager, In, IsNull } from 'typeorm';
import type { ColumnTypes } from '../../grid/column-type/column-type.js';
import { SheetColumns } from '../../grid/columns/sheet-columns.js';
import { cancelTasks, NOTHING_CANCELLED } from '../../grid/computing/cancel-tasks.js';
import type { Sheet } from '../../grid/shared/sheet.entity.js';
import { markStale } from '../../grid/states/mark-stale.js';
import { ScorecardCalculation } from './scorecard-calculation.entity.js';
import { Scorecard } from './scorecard.entity.js';

type SheetKey = Pick<Sheet, 'workspaceId' | 'id'>;

/** A scorecard without the columns of its steps. */
export type ScorecardContent = Pick<
  Scorecard,
  'id' | 'name' | 'aggregation' | 'evaluatedColumnIds' | 'displayConfig' | 'baselineConfig' | 'steps' | 'createdAt'
>;

/** The scorecard of a sheet; null when it has none. */
export function findScorecard(tx: EntityManager, { workspaceId, id: sheetId }: SheetKey): Promise<Scorecard | null> {
  return tx.findOneBy(Scorecard, { workspaceId, sheetId, versionTo: IsNull() });
}

/** The scorecard that a sheet had at a version. */
export function findScorecardAt(
  tx: EntityManager,
  { workspaceId, id: sheetId }: SheetKey,
  version: number,
): Promise<Scorecard | null> {
  return tx
    .createQueryBuilder(Scorecard, 's')
    .where('s.workspaceId = :workspaceId AND s.sheetId = :sheetId', { workspaceId, sheetId })
    .andWhere('s.versionFrom <= :version AND (s.versionTo IS NULL OR s.versionTo > :version)', { version })
    .getOne();
}

/** Sets or deletes the scorecard of a locked sheet from its present version on. */
export async function replaceScorecard(
  tx: EntityManager,
  sheet: Sheet,
  next: ScorecardContent | null,
): Promise<Scorecard | null> {
  const { workspaceId, id: sheetId, version } = sheet;
  await tx.update(Scorecard, { workspaceId, sheetId, versionTo: IsNull() }, { versionTo: version });
  if (!next) return null;
  const scorecard = { ...next, workspaceId, sheetId, versionFrom: version, versionTo: null };
  // JSON nests more deeply than the types of TypeORM allow.
  await tx.insert(Scorecard, scorecard as never);
  return findScorecard(tx, sheet);
}

/** A cancelled calculation and its number of cancelled cells. */
export interface CancelledCalculation {
  calculation: ScorecardCalculation;
  cells: number;
}

/** The calculation of a sheet that is queued or running; there is at most one. */
export function findActive(
  tx: EntityManager,
  { workspaceId, id: sheetId }: SheetKey,
): Promise<ScorecardCalculation | null> {
  return tx.findOneBy(ScorecardCalculation, { workspaceId, sheetId, status: In(['queued', 'running']) });
}

/** Ends the calculation of a locked sheet that is queued or running; null when none is. */
export async function cancelActive(
  tx: EntityManager,
  types: ColumnTypes,
  sheet: Sheet,
): Promise<CancelledCalculation | null> {
  const calculation = await findActive(tx, sheet);
  if (!calculation) return null;
  const { workspaceId, id, executionId } = calculation;
  const taken = executionId ? await cancelTasks(tx, types, sheet, { executionId }) : NOTHING_CANCELLED;
  // It may have completed meanwhile: its worker does not lock the sheet.
  const open = { workspaceId, id, status: In(['queued', 'running']) };
  const { affected } = await tx.update(ScorecardCalculation, open, { status: 'cancelled', claim: null });
  if (affected === 0) return null;
  return { calculation, cells: taken.notStarted + taken.running };
}

/**
 * Restores the scorecard that a locked sheet had at one of its versions, after its columns were restored. Everything
 * counts as stale, because later scores are from other cells; results of the same inputs are not computed again.
 */
export async function restoreScorecard(
  tx: EntityManager,
  types: ColumnTypes,
  sheet: Sheet,
  source: number,
): Promise<void> {
  await cancelActive(tx, types, sheet);
  const before = await findScorecard(tx, sheet);
  const after = await findScorecardAt(tx, sheet, source);
  if (!isDeepStrictEqual(contentOf(before), contentOf(after))) {
    await replaceScorecard(tx, sheet, after && { ...contentOf(after)!, createdAt: after.createdAt });
  }
  const columns = await SheetColumns.read(tx, types, sheet);
  const steps = columns.steps.filter((step) => columns.rules(step).hasStates);
  if (steps.length > 0) await markStale(tx, sheet, steps, sheet.rows);
}

function contentOf(scorecard: Scorecard | null): Omit<ScorecardContent, 'createdAt'> | null {
  if (!scorecard) return null;
  const { id, name, aggregation, evaluatedColumnIds, displayConfig, baselineConfig, steps } = scorecard;
  return { id, name, aggregation, evaluatedColumnIds, displayConfig, baselineConfig, steps };
}
