import type { EntityManager } from 'typeorm';
import { tellOwner } from '../sheet-owners.js';
import type { Sheet } from '../sheet.entity.js';

type OwnedSheet = Pick<Sheet, 'workspaceId' | 'id' | 'owner'>;

/** Tells the owner of a sheet that an execution over it has ended. */
export function tellOfEnd(tx: EntityManager, sheet: OwnedSheet, executionId: string): void {
  const execution = { workspaceId: sheet.workspaceId, sheetId: sheet.id, executionId };
  tellOwner(tx, sheet.owner, (plugin) => plugin.executionEnded?.(tx, execution));
}

/** Tells it that the execution was queued, or that cells of it were settled. */
export function tellOfAdvance(tx: EntityManager, sheet: OwnedSheet, executionId: string): void {
  const execution = { workspaceId: sheet.workspaceId, sheetId: sheet.id, executionId };
  tellOwner(tx, sheet.owner, (plugin) => plugin.executionAdvanced?.(tx, execution));
}

/** One or the other. */
export function tellOfProgress(tx: EntityManager, sheet: OwnedSheet, execution: { id: string; ended: boolean }): void {
  if (execution.ended) tellOfEnd(tx, sheet, execution.id);
  else tellOfAdvance(tx, sheet, execution.id);
}
