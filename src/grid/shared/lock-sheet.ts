import type { EntityManager } from 'typeorm';
import { Statement, type Step } from '../../platform/database/statement.js';
import { RowSet } from './row-set.js';
import { Sheet } from './sheet.entity.js';

/** The fields of a sheet `s`, as `toSheet` reads them. */
export const SHEET_FIELDS = `s.workspace_id AS "workspaceId", s.id, s.owner, s.table_id AS "tableId", s.title, s.index,
  s.version, s.rows, s.reserved_rows AS "reservedRows", s.auto_recalculate AS "autoRecalculate", s.created_at AS "createdAt", s.updated_at AS "updatedAt"`;

export type SheetRow = Omit<Sheet, 'rows' | 'deletedAt'> & { rows: string };

const LOCK_LIVE = new Statement<SheetRow>(
  `SELECT ${SHEET_FIELDS} FROM sheets s WHERE workspace_id = $1 AND id = $2 AND deleted_at IS NULL FOR NO KEY UPDATE`,
);

const READ_LIVE = new Statement<SheetRow>(
  `SELECT ${SHEET_FIELDS} FROM sheets s WHERE workspace_id = $1 AND id = $2 AND deleted_at IS NULL`,
);

/** The condition that the sheet of claimed work `w` still exists. */
export const SHEET_OF_WORK_LIVES =
  'EXISTS (SELECT FROM sheets s WHERE s.workspace_id = w.workspace_id AND s.id = w.sheet_id AND s.deleted_at IS NULL)';

/** The error of such work without its sheet. */
export const SHEET_DELETED = 'The sheet was deleted.';

/** Reads a live sheet of any owner, for `toSheet`. */
export function sheetStep(workspaceId: number, sheetId: string): Step<SheetRow> {
  return READ_LIVE.with([workspaceId, sheetId]);
}

/** A live sheet of any owner; null when it was deleted. */
export async function findLiveSheet(tx: EntityManager, workspaceId: number, sheetId: string): Promise<Sheet | null> {
  return toSheet(await READ_LIVE.run(tx, [workspaceId, sheetId]));
}

/**
 * A live sheet of any owner, locked until the end of the transaction; null when it was deleted. Everything that changes
 * a sheet holds this lock, so changes of one sheet happen one after the other and each gets its own version number.
 */
export async function lockLiveSheet(tx: EntityManager, workspaceId: number, sheetId: string): Promise<Sheet | null> {
  return toSheet(await LOCK_LIVE.run(tx, [workspaceId, sheetId]));
}

export function toSheet([row]: SheetRow[]): Sheet | null {
  return row ? Object.assign(new Sheet(), row, { rows: RowSet.parse(row.rows), deletedAt: null }) : null;
}
