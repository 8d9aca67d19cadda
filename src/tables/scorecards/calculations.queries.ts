import { type EntityManager, LessThan } from 'typeorm';
import { Execution } from '../../grid/computing/execution.entity.js';
import { pendingRows, readPending } from '../../grid/computing/tasks.queries.js';
import { RowSet } from '../../grid/shared/row-set.js';
import type { CalculationStatus } from '../../scoring/index.js';
import { ScorecardCalculation } from './scorecard-calculation.entity.js';
import type { Scorecard } from './scorecard.entity.js';

type ScorecardKey = Pick<Scorecard, 'workspaceId' | 'id' | 'sheetId'>;

const NEWEST = { order: { number: 'DESC' } } as const;

/** A calculation of a scorecard; null when it does not exist. */
export function findCalculation(
  tx: EntityManager,
  { workspaceId, id: scorecardId, sheetId }: ScorecardKey,
  id: string,
): Promise<ScorecardCalculation | null> {
  return tx.findOneBy(ScorecardCalculation, { workspaceId, sheetId, scorecardId, id });
}

/** The sheet of a calculation; null when the workspace has no such calculation. */
export async function findCalculationAnywhere(
  tx: EntityManager,
  workspaceId: number,
  id: string,
): Promise<string | null> {
  const found = await tx.findOne(ScorecardCalculation, { select: { sheetId: true }, where: { workspaceId, id } });
  return found && found.sheetId;
}

/** The newest calculation of a scorecard; with `completed`, the newest completed one. */
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

/** The progress of a calculation. */
export interface CalculationState {
  calculation: ScorecardCalculation;
  /** The status that callers see. */
  status: CalculationStatus;
  /** Rows with a step that is being computed, and rows with one that waits. */
  running: RowSet;
  queued: RowSet;
}

/** Reads the state from the execution that computes the cells. */
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

/** Number of calculations that are kept with their rows, besides the one that a baseline names. */
const KEPT = 20;

/** Deletes old calculations of a scorecard. Versions keep their scores. */
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

/** The calculation that a scorecard names as its baseline, if any. */
export function baselineOf({ baselineConfig }: Pick<Scorecard, 'baselineConfig'>): string | null {
  const id = baselineConfig?.calculation_id;
  return typeof id === 'string' && /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/i.test(id) ? id.toLowerCase() : null;
}
