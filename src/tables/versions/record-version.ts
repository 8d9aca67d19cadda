import { randomUUID } from 'node:crypto';
import type { EntityManager } from 'typeorm';
import type { JsonObject } from '../../platform/json.js';
import { noteChange } from '../composition/changed-sources.js';
import type { RowSet } from '../rows/row-set.js';
import { Sheet } from '../sheets/sheet.entity.js';
import { SheetVersion } from './sheet-version.entity.js';

export interface Change {
  /** The rows the sheet has afterwards; left out when they stay. */
  rows?: RowSet;
  /** What happened, such as `{type: 'column.create', column_id}`. */
  deltas: JsonObject[];
  /** Who did it; null for the server itself. */
  createdBy: string | null;
  /** What the version is called; versions are nameless unless somebody asked for one. */
  name?: string;
  /** The version whose state this one brings back. */
  sourceVersionId?: string;
}

/**
 * Makes the changes of a transaction version `sheet.version + 1` of a locked sheet, and gives that number. What the
 * transaction writes into history tables must carry it.
 */
export async function recordVersion(tx: EntityManager, sheet: Sheet, change: Change): Promise<number> {
  const { workspaceId, id } = sheet;
  sheet.version += 1;
  sheet.rows = change.rows ?? sheet.rows;
  sheet.updatedAt = new Date();
  const { version, rows, updatedAt } = sheet;
  await tx.update(Sheet, { workspaceId, id }, { version, rows, updatedAt });
  await tx.insert(SheetVersion, {
    workspaceId,
    sheetId: id,
    number: version,
    id: randomUUID(),
    name: change.name ?? null,
    createdBy: change.createdBy,
    rows,
    deltas: change.deltas as object[],
    title: sheet.title,
    index: sheet.index,
    sourceVersionId: change.sourceVersionId ?? null,
  });
  await noteChange(tx, workspaceId, id);
  return version;
}
