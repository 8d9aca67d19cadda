import { isDeepStrictEqual } from 'node:util';
import type { EntityManager } from 'typeorm';
import type { JsonObject } from '../../platform/json.js';
import type { ColumnTypes, RegisteredColumnType } from '../column-type/column-type.js';
import { parseConfig } from '../column-type/parse-config.js';
import { archiveColumns, deleteColumns } from '../columns/archive-columns.js';
import { stateOf } from '../columns/column-state.js';
import type { SheetColumn } from '../columns/column.entity.js';
import { SheetColumns } from '../columns/sheet-columns.js';
import { cancelAll } from '../computing/cancel-tasks.js';
import { relinkMirrors } from '../composition/composition-links.js';
import { relinkColumn } from '../prompt-links/column-prompts.queries.js';
import type { Sheet } from '../shared/sheet.entity.js';
import { recordVersion } from '../shared/record-version.js';
import { type Restoring, restoreCells, restoreStates, rewriteColumns } from './restore.queries.js';
import { PastGrid } from './sheet-grid.js';
import type { SheetVersion } from '../shared/sheet-version.entity.js';

export interface Restoration {
  source: SheetVersion;
  /** Name of the new version; null for a name that contains the source. */
  name: string | null;
  createdBy: string | null;
}

/**
 * Restores the columns, rows and cells of a locked sheet to one of its versions, as one new version. Only differences
 * are written: the cost is proportional to them, and versions in between stay readable. Running computations end.
 * Throws cycle_detected.
 */
export async function restoreContent(
  tx: EntityManager,
  types: ColumnTypes,
  sheet: Sheet,
  { source, name, createdBy }: Restoration,
): Promise<void> {
  await cancelAll(tx, sheet);
  const before = { columns: await SheetColumns.read(tx, types, sheet), rows: sheet.rows };
  const after = await PastGrid.read(tx, types, sheet, source);
  const version = await recordVersion(tx, sheet, {
    rows: after.rows,
    deltas: [{ type: 'version.restore', version_id: source.id, version_number: source.number }],
    createdBy,
    name: name ?? `Restored from version ${source.number}`,
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
  // Deleted first: readers of a deleted column lose that edge, and those that had it in the restored version get it
  // back afterwards.
  if (superfluous.length > 0) await deleteColumns(tx, sheet, idsOf(superfluous));
  await archiveColumns(tx, sheet, idsOf(changed));
  await rewriteColumns(tx, sheet, idsOf([...missing, ...changed]), source);
  await relinkColumns(tx, after, [...missing, ...changed]);
}

/** The prompts that the restored configs refer to. */
async function relinkColumns(tx: EntityManager, columns: SheetColumns, restored: SheetColumn[]): Promise<void> {
  for (const column of restored) {
    const type = columns.type(column);
    // A config that its type rejects refers to nothing; its cells fail when they are computed.
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
