import { type DataSource, type EntityManager, In } from 'typeorm';
import type { Caller } from '../../access/index.js';
import type { ColumnTypes } from '../../grid/column-type/column-type.js';
import { findVersion } from '../../grid/versions/find-version.js';
import { restoreContent } from '../../grid/versions/restore-content.js';
import type { SheetVersion } from '../../grid/shared/sheet-version.entity.js';
import { VersionErrors } from '../../grid/versions/versions.errors.js';
import { ImportOperation } from '../../imports/index.js';
import { restoreConfiguration } from '../../scoring/index.js';
import { restoreScorecard } from '../scorecards/stored-scorecard.queries.js';
import { Sheet } from '../../grid/shared/sheet.entity.js';
import { lockTable } from '../sheets/insert-sheet.js';
import { lockSheet, type SheetAddress, type TableSheet } from '../sheets/lock-sheet.js';
import { placeSheet } from '../sheets/sheet-order.js';

export interface RestoreRequest {
  caller: Caller;
  /** Name of the new version. */
  name: string | null;
  sourceVersionId: string;
}

/**
 * Restores a sheet to one of its versions, with its title and its position in the table, as one new version. Throws
 * version_not_found, version_is_current and version_restore_during_import.
 */
export function restoreVersion(
  db: DataSource,
  types: ColumnTypes,
  address: SheetAddress,
  request: RestoreRequest,
): Promise<SheetVersion> {
  return db.transaction(async (tx) => {
    // Lock the table before the sheet everywhere, to prevent deadlocks.
    await lockTable(tx, address.workspaceId, address.tableId);
    const sheet = await lockSheet(tx, address);
    const source = await findVersion(tx, sheet, request.sourceVersionId);
    await refuse(tx, sheet, source);
    await restorePlace(tx, sheet, source);
    const { name, caller } = request;
    await restoreContent(tx, types, sheet, { source, name, createdBy: caller.keyName });
    await restoreConfiguration(tx, sheet, source.number);
    await restoreScorecard(tx, types, sheet, source.number);
    return findVersion(tx, sheet, String(sheet.version));
  });
}

async function refuse(tx: EntityManager, sheet: Sheet, source: SheetVersion): Promise<void> {
  if (source.number === sheet.version) throw VersionErrors.version_is_current(source.number);
  const { workspaceId, id: sheetId } = sheet;
  // A running import has written rows that are not visible yet. A restore would delete them.
  const importing = { workspaceId, sheetId, status: In(['queued', 'running']) };
  if (await tx.existsBy(ImportOperation, importing)) throw VersionErrors.version_restore_during_import();
}

/** Versions that recorded no title and position leave these unchanged. */
async function restorePlace(tx: EntityManager, sheet: TableSheet, { title, index }: SheetVersion): Promise<void> {
  const { workspaceId, tableId, id } = sheet;
  sheet.title = title ?? sheet.title;
  if (index !== null && index !== sheet.index) {
    sheet.index = await placeSheet(tx, { workspaceId, tableId }, { sheetId: id, index });
  }
  await tx.update(Sheet, { workspaceId, id }, { title: sheet.title, index: sheet.index });
}
