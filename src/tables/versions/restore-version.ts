import { isDeepStrictEqual } from 'node:util';
import { type DataSource, type EntityManager, In } from 'typeorm';
import type { Caller } from '../../access/index.js';
import type { JsonObject } from '../../platform/json.js';
import type { ColumnTypes, RegisteredColumnType } from '../column-types/column-type.js';
import { parseConfig } from '../column-types/parse-config.js';
import { archiveColumns, deleteColumns } from '../columns/archive-columns.js';
import { stateOf } from '../columns/column-change.js';
import type { SheetColumn } from '../columns/column.entity.js';
import { SheetColumns } from '../columns/sheet-columns.js';
import { relinkMirrors } from '../composition/composition-links.js';
import { ImportOperation } from '../imports/import-operation.entity.js';
import { relinkColumn } from '../prompt-links/column-prompts.queries.js';
import { lockTable } from '../sheets/insert-sheet.js';
import { lockSheet, type SheetAddress } from '../sheets/lock-sheet.js';
import { placeSheet } from '../sheets/sheet-order.js';
import { Sheet } from '../sheets/sheet.entity.js';
import { findVersion } from './find-version.js';
import { recordVersion } from './record-version.js';
import { cancelAll, type Restoring, restoreCells, restoreStates, rewriteColumns } from './restore.queries.js';
import { PastGrid } from './sheet-grid.js';
import type { SheetVersion } from './sheet-version.entity.js';
import { VersionErrors } from './versions.errors.js';

export interface RestoreRequest {
  caller: Caller;
  /** What the new version is called. */
  name: string | null;
  sourceVersionId: string;
}

/**
 * Makes a sheet what it was at one of its versions, as one new version. Only what differs is written: the cost is that
 * of the differences, and versions in between stay readable. Throws version_not_found, version_is_current and
 * version_restore_during_import.
 */
export function restoreVersion(
  db: DataSource,
  types: ColumnTypes,
  address: SheetAddress,
  request: RestoreRequest,
): Promise<SheetVersion> {
  return db.transaction(async (tx) => {
    // The table before the sheet, as everywhere: two orders would deadlock.
    await lockTable(tx, address.workspaceId, address.tableId);
    const sheet = await lockSheet(tx, address);
    const source = await findVersion(tx, sheet, request.sourceVersionId);
    await refuse(tx, sheet, source);
    await cancelAll(tx, sheet);
    const before = { columns: await SheetColumns.read(tx, types, sheet), rows: sheet.rows };
    const after = await PastGrid.read(tx, types, sheet, source);
    await restorePlace(tx, sheet, source);
    const version = await recordVersion(tx, sheet, {
      rows: after.rows,
      deltas: [{ type: 'version.restore', version_id: source.id, version_number: source.number }],
      createdBy: request.caller.keyName,
      name: request.name ?? `Restored from version ${source.number}`,
      sourceVersionId: source.id,
    });
    await restoreColumns(tx, sheet, source.number, { before: before.columns, after: after.columns });
    const restoring: Restoring = {
      workspaceId: sheet.workspaceId,
      columnKeys: after.columns.list.map((column) => column.key),
      source: source.number,
      version,
      rows: after.rows,
      gone: before.rows.without(after.rows),
    };
    await restoreCells(tx, restoring);
    await restoreStates(tx, restoring);
    await relinkMirrors(tx, types, sheet, after.columns.list);
    return findVersion(tx, sheet, String(version));
  });
}

async function refuse(tx: EntityManager, sheet: Sheet, source: SheetVersion): Promise<void> {
  if (source.number === sheet.version) throw VersionErrors.version_is_current(source.number);
  const { workspaceId, id: sheetId } = sheet;
  // Its rows are written already where no reader looks; a restore would take them away under its hands.
  const importing = { workspaceId, sheetId, status: In(['queued', 'running']) };
  if (await tx.existsBy(ImportOperation, importing)) throw VersionErrors.version_restore_during_import();
}

/** Title and position; versions from before these were recorded leave them alone. */
async function restorePlace(tx: EntityManager, sheet: Sheet, { title, index }: SheetVersion): Promise<void> {
  const { workspaceId, tableId, id } = sheet;
  sheet.title = title ?? sheet.title;
  if (index !== null && index !== sheet.index) {
    sheet.index = await placeSheet(tx, { workspaceId, tableId }, { sheetId: id, index });
  }
  await tx.update(Sheet, { workspaceId, id }, { title: sheet.title, index: sheet.index });
}

async function restoreColumns(
  tx: EntityManager,
  sheet: Sheet,
  source: number,
  { before, after }: { before: SheetColumns; after: SheetColumns },
): Promise<void> {
  const superfluous = before.list.filter((column) => !after.find(column.id));
  const missing = after.list.filter((column) => !before.find(column.id));
  const changed = after.list.filter((column) => isDifferent(before, after, column));
  // First, because whoever reads a deleted column loses that edge; those that had it then get it back.
  if (superfluous.length > 0) await deleteColumns(tx, sheet, idsOf(superfluous));
  await archiveColumns(tx, sheet, idsOf(changed));
  await rewriteColumns(tx, sheet, idsOf([...missing, ...changed]), source);
  await relinkColumns(tx, after, [...missing, ...changed]);
}

/** The prompts that the restored configs refer to. */
async function relinkColumns(tx: EntityManager, columns: SheetColumns, restored: SheetColumn[]): Promise<void> {
  for (const column of restored) {
    const type = columns.type(column);
    // A config that its type does not take any more fails its cells when they are computed; it refers to nothing.
    const config = type.plugin.prompts && parseConfigOrNull(type, column.config);
    await relinkColumn(tx, column, config ? type.plugin.prompts!(config) : []);
  }
}

function parseConfigOrNull(type: RegisteredColumnType, config: JsonObject): JsonObject | null {
  try {
    return parseConfig(type, config);
  } catch {
    return null;
  }
}

function isDifferent(before: SheetColumns, after: SheetColumns, column: SheetColumn): boolean {
  const now = before.find(column.id);
  if (!now) return false;
  const whole = (columns: SheetColumns, each: SheetColumn) => ({
    ...stateOf(columns, each),
    positionRank: each.positionRank,
  });
  return !isDeepStrictEqual(whole(before, now), whole(after, column));
}

function idsOf(columns: SheetColumn[]): string[] {
  return columns.map((column) => column.id);
}
