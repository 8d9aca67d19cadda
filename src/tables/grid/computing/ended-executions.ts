import type { EntityManager } from 'typeorm';
import { tellOwner } from '../sheet-owners.js';
import type { Sheet } from '../sheet.entity.js';

/** Tells the owner of a sheet that an execution over it has ended. */
export function tellOfEnd(
  tx: EntityManager,
  { workspaceId, id: sheetId, owner }: Pick<Sheet, 'workspaceId' | 'id' | 'owner'>,
  executionId: string,
): void {
  tellOwner(tx, owner, (plugin) => plugin.executionEnded?.(tx, { workspaceId, sheetId, executionId }));
}
