import { randomUUID } from 'node:crypto';
import type { EntityManager } from 'typeorm';
import type { Caller } from '../../access/index.js';
import { lockFolder } from '../../folders/index.js';
import { getTable } from '../sheets/lock-sheet.js';
import { Table } from '../shared/table.entity.js';

/** A table without sheets. Throws folder_not_found. */
export async function insertTable(
  tx: EntityManager,
  { workspaceId, keyId: createdBy }: Caller,
  { title, folderId }: { title: string; folderId: number | null },
): Promise<Table> {
  if (folderId !== null) await lockFolder(tx, workspaceId, folderId);
  const id = randomUUID();
  await tx.insert(Table, { workspaceId, id, title, folderId, createdBy });
  return getTable(tx, workspaceId, id);
}
