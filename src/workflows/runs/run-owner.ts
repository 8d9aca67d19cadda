import { hash } from 'node:crypto';
import type { RunPlace } from '../../tables/index.js';

/** The row of a run. */
type RunRow = Omit<RunPlace, 'executionId'>;

/** The owner of sheets that hold runs. */
export const OWNER = 'workflow_run';

/** Ids of the trace and the root span of a run. They are derived from its row, so every process can compute them. */
export function traceOfRun({ workspaceId, sheetId, rowIndex }: RunRow): { traceId: string; rootId: string } {
  const digest = hash('sha256', `run:${workspaceId}:${sheetId}:${rowIndex}`);
  return { traceId: digest.slice(0, 32), rootId: digest.slice(32, 48) };
}

/** The span of a node of a run that has stored none itself. */
export function spanIdOfNode(place: RunRow, columnId: string): string {
  return hash('sha256', `node:${place.workspaceId}:${place.sheetId}:${place.rowIndex}:${columnId}`).slice(0, 16);
}
