import type { EntityManager } from 'typeorm';
import { notifyOwner } from '../shared/sheet-owners.js';
import type { Execution } from './execution.entity.js';
import type { Sheet } from '../shared/sheet.entity.js';

type OwnedSheet = Pick<Sheet, 'workspaceId' | 'id' | 'owner'>;

/** An execution that was changed. */
type ChangedExecution = Pick<Execution, 'id' | 'owner'>;

/** Reports the end of an execution to the owner of its sheet. */
export function notifyOfEnd(tx: EntityManager, sheet: OwnedSheet, { id: executionId, owner }: ChangedExecution): void {
  const isOfScorecard = owner === 'scorecard';
  const execution = { workspaceId: sheet.workspaceId, sheetId: sheet.id, executionId, isOfScorecard };
  notifyOwner(tx, sheet.owner, (plugin) => plugin.executionEnded?.(tx, execution));
}

/** Reports to the owner that the execution was queued, or that cells of it were settled. */
export function notifyOfAdvance(tx: EntityManager, sheet: OwnedSheet, executionId: string): void {
  const execution = { workspaceId: sheet.workspaceId, sheetId: sheet.id, executionId };
  notifyOwner(tx, sheet.owner, (plugin) => plugin.executionAdvanced?.(tx, execution));
}

/** Reports the end of an execution, or its progress. */
export function notifyOfProgress(
  tx: EntityManager,
  sheet: OwnedSheet,
  execution: ChangedExecution & { ended: boolean },
): void {
  if (execution.ended) notifyOfEnd(tx, sheet, execution);
  else notifyOfAdvance(tx, sheet, execution.id);
}
