import { randomUUID } from 'node:crypto';
import type { EntityManager } from 'typeorm';
import { Statement } from '../../platform/database/statement.js';
import type { JsonObject } from '../../platform/json.js';
import { noteVersion } from './new-versions.js';
import { noteChange } from './changed-sources.js';
import type { RowSet } from './row-set.js';
import type { Sheet } from './sheet.entity.js';

export interface Change {
  /** The rows of the sheet afterwards; absent when they stay the same. */
  rows?: RowSet;
  /** The changes, such as `{type: 'column.create', column_id}`. */
  deltas: JsonObject[];
  /** The caller that made it; null for the server itself. */
  createdBy: string | null;
  /** Name of the version; absent unless somebody asked for one. */
  name?: string;
  /** The version that this one restores. */
  sourceVersionId?: string;
}

/** `followed`: whether columns of other sheets mirror one of this. */
const RECORD = new Statement<{ followed: boolean }>(`
  WITH sheet AS (
    UPDATE sheets SET version = $3, rows = $4::int4multirange, updated_at = $5 WHERE workspace_id = $1 AND id = $2
  ), recorded AS (
    INSERT INTO sheet_versions (workspace_id, sheet_id, number, rows, id, name, created_by, deltas, title, index, source_version_id)
    VALUES ($1, $2, $3, $4::int4multirange, $6, $7, $8, $9::jsonb, $10, $11, $12)
  )
  SELECT EXISTS (SELECT FROM composition_links WHERE workspace_id = $1 AND source_sheet_id = $2) AS followed`);

/**
 * Records the changes of a transaction as version `sheet.version + 1` of a locked sheet, and returns that number. Rows
 * that the transaction writes into history tables must carry it.
 */
export async function recordVersion(tx: EntityManager, sheet: Sheet, change: Change): Promise<number> {
  const { workspaceId, id } = sheet;
  sheet.version += 1;
  sheet.rows = change.rows ?? sheet.rows;
  sheet.updatedAt = new Date();
  const { version, rows, updatedAt } = sheet;
  const [recorded] = await RECORD.run(tx, [
    workspaceId,
    id,
    version,
    rows.toString(),
    updatedAt,
    randomUUID(),
    change.name ?? null,
    change.createdBy,
    JSON.stringify(change.deltas),
    sheet.title,
    sheet.index,
    change.sourceVersionId ?? null,
  ]);
  if (recorded!.followed) noteChange(tx, workspaceId, id);
  if (sheet.owner === 'table') noteVersion(tx, { workspaceId, sheetId: id, version });
  return version;
}
