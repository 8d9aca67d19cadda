import type { EntityManager } from 'typeorm';
import type { JsonObject } from '../../platform/json.js';
import { ChunkStates } from '../states/chunk-states.js';
import { markStale } from '../states/mark-stale.js';
import type { ColumnTypes } from '../column-type/column-type.js';
import { SheetColumns } from '../columns/sheet-columns.js';
import { RowSet } from '../shared/row-set.js';
import { lockLiveSheet } from '../shared/lock-sheet.js';
import type { Sheet } from '../shared/sheet.entity.js';
import { recordVersion } from '../shared/record-version.js';
import type { MirrorSheet } from '../shared/changed-sources.js';
import {
  copyCells,
  failCells,
  type Mirror,
  type MirrorSource,
  readMirrors,
  readRowsAt,
  readSource,
  rememberSeen,
  SOURCE_GONE,
} from './mirror.queries.js';

/** The changes that a sheet has to copy from one source. */
interface Refresh {
  mirror: Mirror;
  /** null when it was deleted. */
  source: MirrorSource | null;
  changed: RowSet;
  newRows: RowSet;
}

/**
 * Refreshes the composition columns of a sheet from their sources, as one new version: cells, their states (stale and
 * failed like at the source) and new rows. Their readers become stale. Each source is read in one statement; a change
 * of it meanwhile has a newer version and is found next time.
 */
export async function refreshMirrors(tx: EntityManager, types: ColumnTypes, place: MirrorSheet): Promise<void> {
  const sheet = await lockLiveSheet(tx, place.workspaceId, place.sheetId);
  // An import has reserved rows at the end of the sheet.
  if (!sheet || sheet.reservedRows > 0) return;
  const columns = await SheetColumns.read(tx, types, sheet);
  const version = sheet.version + 1;
  const refreshes: Refresh[] = [];
  for (const mirror of await readMirrors(tx, sheet.workspaceId, sheet.id)) {
    const source = await readSource(tx, sheet.workspaceId, mirror);
    const seen = seenOf(source);
    if (mirror.seenVersion === seen && !source?.isOpen && !mirror.hasUnreadRows) continue;
    const write = { workspaceId: sheet.workspaceId, columnKey: mirror.columnKey, version };
    const changed = source
      ? await copyCells(tx, write, source)
      : await failCells(tx, write, sheet.rows, 'The column that it shows was deleted.');
    refreshes.push({ mirror, source, changed, newRows: await missingRows(tx, sheet, mirror, source) });
    await rememberSeen(tx, sheet.workspaceId, mirror.columnId, seen);
  }
  if (refreshes.length > 0) await apply(tx, sheet, columns, refreshes);
}

/**
 * The version of a source that was read completely. An operation may store results in an open version later, so only
 * the version before it counts, which has the same rows. The sweep reads the source again until the operation has ended.
 */
function seenOf(source: MirrorSource | null): number {
  if (!source) return SOURCE_GONE;
  return source.isOpen ? source.version - 1 : source.version;
}

/** Rows that the source has got since it was last read. One that was deleted here but not there stays deleted. */
async function missingRows(
  tx: EntityManager,
  sheet: Sheet,
  { sourceSheetId, seenVersion }: Mirror,
  source: MirrorSource | null,
): Promise<RowSet> {
  if (!source) return RowSet.EMPTY;
  const before = await readRowsAt(tx, sheet.workspaceId, sourceSheetId, seenVersion);
  return source.rows.without(before).without(sheet.rows);
}

async function apply(tx: EntityManager, sheet: Sheet, columns: SheetColumns, refreshes: Refresh[]): Promise<void> {
  const newRows = RowSet.union(refreshes.map((refresh) => refresh.newRows));
  const rows = sheet.rows.union(newRows);
  const states = await mirrorStates(tx, sheet, columns, { refreshes, rows });
  const changes = refreshes.filter(({ changed }) => !changed.isEmpty);
  if (changes.length === 0 && newRows.isEmpty && !states.isChanged) return;
  await recordVersion(tx, sheet, { rows, deltas: refreshes.map(toDelta), createdBy: null });
  await states.save(tx, sheet.version);
  const mirrors = new Set(refreshes.map(({ mirror }) => mirror.columnId));
  const others = columns.withStates.filter((column) => !mirrors.has(column.id));
  await markStale(tx, sheet, others, newRows);
  for (const { mirror, changed } of changes) {
    await markStale(tx, sheet, columns.dependents([columns.require(mirror.columnId)]), changed.intersect(rows));
  }
}

function toDelta({ mirror, source, changed, newRows }: Refresh): JsonObject {
  return {
    type: 'composition',
    column_id: mirror.columnId,
    source_sheet_id: mirror.sourceSheetId,
    source_column_id: mirror.sourceColumnId,
    source_version: source?.version ?? null,
    cells_changed: changed.count,
    rows_added: newRows.count,
  };
}

async function mirrorStates(
  tx: EntityManager,
  sheet: Sheet,
  columns: SheetColumns,
  { refreshes, rows }: { refreshes: Refresh[]; rows: RowSet },
): Promise<ChunkStates> {
  const { workspaceId } = sheet;
  const keys = refreshes.map(({ mirror }) => columns.require(mirror.columnId).key);
  const sources = refreshes.flatMap(({ source }) => source?.columnKey ?? []);
  const own = await ChunkStates.read(tx, workspaceId, keys, { from: 0, to: rows.end });
  const theirs = await ChunkStates.read(tx, workspaceId, sources, { from: 0, to: rows.end });
  for (const { mirror, source } of refreshes) {
    const stale = source ? theirs.stale(source.columnKey).intersect(rows) : RowSet.EMPTY;
    const failed = source ? theirs.failed(source.columnKey).intersect(rows) : rows;
    own.settle(mirror.columnKey, rows.without(failed), failed);
    own.markStale(mirror.columnKey, stale);
  }
  return own;
}
