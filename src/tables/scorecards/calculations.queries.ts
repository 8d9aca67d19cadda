import { type EntityManager, LessThan } from 'typeorm';
import { Execution } from '../../grid/computing/execution.entity.js';
import { pendingRows, readPending } from '../../grid/computing/tasks.queries.js';
import { RowSet } from '../../grid/rows/row-set.js';
import type { CalculationStatus } from '../../scoring/index.js';
import { ScorecardCalculation } from './scorecard-calculation.entity.js';
import type { Scorecard } from './scorecard.entity.js';

type ScorecardKey = Pick<Scorecard, 'workspaceId' | 'id' | 'sheetId'>;

const NEWEST = { order: { number: 'DESC' } } as const;

/** A calculation of a scorecard; null when it has no such one. */
export function findCalculation(
  tx: EntityManager,
  { workspaceId, id: scorecardId, sheetId }: ScorecardKey,
  id: string,
): Promise<ScorecardCalculation | null> {
  return tx.findOneBy(ScorecardCalculation, { workspaceId, sheetId, scorecardId, id });
}

/** The sheet that a calculation was made in; null when the workspace has no such calculation. */
export async function findCalculationAnywhere(
  tx: EntityManager,
  workspaceId: number,
  id: string,
): Promise<string | null> {
  const found = await tx.findOne(ScorecardCalculation, { select: { sheetId: true }, where: { workspaceId, id } });
  return found && found.sheetId;
}

/** The newest calculation of a scorecard, of those that completed when `completed` is set. */
export function findNewest(
  tx: EntityManager,
  { workspaceId, id: scorecardId, sheetId }: ScorecardKey,
  { completed }: { completed: boolean },
): Promise<ScorecardCalculation | null> {
  const where = { workspaceId, sheetId, scorecardId, ...(completed && { status: 'completed' as const }) };
  return tx.findOne(ScorecardCalculation, { where, ...NEWEST });
}

/** The calculation that completed before another one. */
export function findPrevious(
  tx: EntityManager,
  { workspaceId, sheetId, scorecardId, number }: ScorecardCalculation,
): Promise<ScorecardCalculation | null> {
  const where = { workspaceId, sheetId, scorecardId, status: 'completed' as const, number: LessThan(number) };
  return tx.findOne(ScorecardCalculation, { where, ...NEWEST });
}

/** How far a calculation is. */
export interface CalculationState {
  calculation: ScorecardCalculation;
  /** As callers see it. */
  status: CalculationStatus;
  /** Rows of which a step is computed, and rows of which one waits. */
  running: RowSet;
  queued: RowSet;
}

/** Its cells are computed by an execution, which says how far that is. */
export async function readState(tx: EntityManager, calculation: ScorecardCalculation): Promise<CalculationState> {
  const { workspaceId, sheetId, executionId, status } = calculation;
  const idle = { calculation, status, running: RowSet.EMPTY, queued: RowSet.EMPTY };
  if (!['queued', 'running'].includes(status) || executionId === null) return idle;
  const pending = await readPending(tx, { workspaceId, id: sheetId }, executionId);
  const union = (list: typeof pending) => RowSet.union(pendingRows(list).values());
  const running = union(pending.filter((task) => task.running));
  const queued = union(pending.filter((task) => !task.running)).without(running);
  const execution = await tx.findOneBy(Execution, { workspaceId, id: executionId });
  const hasBegun = status === 'running' || (execution !== null && execution.status !== 'queued');
  return { calculation, status: hasBegun ? 'running' : 'queued', running, queued };
}

/** Calculations that are kept with their rows, besides the one that a baseline names. */
const KEPT = 20;

/** Deletes calculations of a scorecard that nobody can be expected to ask for any more. Versions keep their scores. */
export async function forgetOldCalculations(
  tx: EntityManager,
  { workspaceId, sheetId, id: scorecardId }: ScorecardKey,
  baselineId: string | null,
): Promise<void> {
  await tx.query(
    `WITH old AS (
       DELETE FROM scorecard_calculations c
        WHERE c.workspace_id = $1 AND c.sheet_id = $2 AND c.scorecard_id = $3 AND c.status NOT IN ('queued', 'running')
          AND c.id IS DISTINCT FROM $4::uuid
          AND c.number <= (SELECT number FROM scorecard_calculations
                            WHERE workspace_id = $1 AND sheet_id = $2 AND scorecard_id = $3
                              AND (status = 'completed') = (c.status = 'completed')
                            ORDER BY number DESC OFFSET $5 LIMIT 1)
       RETURNING c.id)
     DELETE FROM scorecard_rows r USING old WHERE r.workspace_id = $1 AND r.calculation_id = old.id`,
    [workspaceId, sheetId, scorecardId, baselineId, KEPT],
  );
}

/** The calculation that a scorecard wants to be compared with, as far as it says one. */
export function baselineOf({ baselineConfig }: Pick<Scorecard, 'baselineConfig'>): string | null {
  const id = baselineConfig?.calculation_id;
  return typeof id === 'string' && /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/i.test(id) ? id.toLowerCase() : null;
}
