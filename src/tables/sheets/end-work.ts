import { type EntityManager, In } from 'typeorm';
import { cancelAll } from '../../grid/computing/cancel-tasks.js';
import { failImport, ImportOperation } from '../../imports/index.js';
import type { Sheet } from '../../grid/shared/sheet.entity.js';

/** Ends the computations and imports of a locked sheet; `reason` is the error message of these imports. */
export async function endWork(tx: EntityManager, sheet: Sheet, reason: string): Promise<void> {
  const { workspaceId, id: sheetId } = sheet;
  await cancelAll(tx, sheet);
  const imports = await tx.findBy(ImportOperation, { workspaceId, sheetId, status: In(['queued', 'running']) });
  for (const operation of imports) await failImport(tx, operation, reason);
}
