import type { EntityManager } from 'typeorm';
import { tellOwner } from '../sheet-owners.js';
import type { Sheet } from '../sheet.entity.js';

type OwnedSheet = Pick<Sheet, 'workspaceId' | 'id' | 'owner'>;

/** Reports the end of an execution to the owner of its sheet. */
export function tellOfEnd(tx: EntityManager, sheet: OwnedSheet, executionId: string): void {
  const execution = { workspaceId: sheet.workspaceId, sheetId: sheet.id, executionId };
  tellOwner(tx, sheet.owner, (plugin) => plugin.executionEnded?.(tx, execution));
}

/** Reports to the owner that the execution was queued, or that cells of it were settled. */
export function tellOfAdvance(tx: EntityManager, sheet: OwnedSheet, executionId: string): void {
  const execution = { workspaceId: sheet.workspaceId, sheetId: sheet.id, executionId };
  tellOwner(tx, sheet.owner, (plugin) => plugin.executionAdvanced?.(tx, execution));
}

/** Reports the end of an execution, or its progress. */
export function tellOfProgress(tx: EntityManager, sheet: OwnedSheet, execution: { id: string; ended: boolean }): void {
  if (execution.ended) tellOfEnd(tx, sheet, execution.id);
  else tellOfAdvance(tx, sheet, execution.id);
}
