import { type EntityManager, In, IsNull } from 'typeorm';
import { auditAll, type Caller } from '../../access/index.js';
import { endWork } from '../sheets/end-work.js';
import { lockLiveSheet } from '../../grid/shared/lock-sheet.js';
import { Sheet } from '../../grid/shared/sheet.entity.js';

/**
 * Hides live tables with everything in them, and ends their computations and imports. Sheets are deleted as well: the
 * grid, which does not know tables, would go on to compute those that follow their inputs.
 */
export async function deleteTables(tx: EntityManager, caller: Caller, ids: string[]): Promise<void> {
  const { workspaceId } = caller;
  const [deleted] = await tx.query<[{ id: string; title: string }[], number]>(
    `UPDATE tables SET deleted_at = now() WHERE workspace_id = $1 AND id = ANY ($2::uuid[]) AND deleted_at IS NULL
     RETURNING id, title`,
    [workspaceId, ids],
  );
  for (const { id } of await sheetsOf(tx, workspaceId, ids)) {
    const sheet = await lockLiveSheet(tx, workspaceId, id);
    if (!sheet) continue;
    await endWork(tx, sheet, 'The table was deleted.');
    await tx.update(Sheet, { workspaceId, id }, { deletedAt: new Date() });
  }
  const deeds = deleted.map(({ id, title }) => ({ action: 'table.delete', entityId: id, details: { name: title } }));
  await auditAll(tx, caller, deeds);
}

/** Locked in one order, to prevent deadlocks between deletions. */
function sheetsOf(tx: EntityManager, workspaceId: number, tableIds: string[]): Promise<Sheet[]> {
  const where = { workspaceId, tableId: In(tableIds), deletedAt: IsNull() };
  return tx.find(Sheet, { select: { id: true }, where, order: { id: 'ASC' } });
}
