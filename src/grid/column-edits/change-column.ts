import type { EntityManager } from 'typeorm';
import type { JsonObject, JsonValue } from '../../platform/json.js';
import { clearErrors, clearValues } from '../cells/drop-cells.queries.js';
import type { ColumnTypes, RegisteredColumnType } from '../column-type/column-type.js';
import { rulesOf } from '../column-type/kinds.js';
import { parseConfig, requireReferences } from '../column-type/parse-config.js';
import { linkMirrors, requireNoCircle } from '../composition/composition-links.js';
import { dropPendingColumns, refitTasks } from '../computing/pending.queries.js';
import { GridErrors } from '../shared/grid.errors.js';
import { relinkColumn } from '../prompt-links/column-prompts.queries.js';
import type { Sheet } from '../shared/sheet.entity.js';
import { ChunkStates } from '../states/chunk-states.js';
import { markStale } from '../states/mark-stale.js';
import { recordVersion } from '../shared/record-version.js';
import { deleteColumns, rewriteColumn } from '../columns/archive-columns.js';
import { changedParts, changedState, type ColumnPatch } from '../columns/column-change.js';
import { type ColumnState, stateOf } from '../columns/column-state.js';
import type { SheetColumn } from '../columns/column.entity.js';
import { findCreatableType } from '../columns/creatable-type.js';
import { fitMetadata, metadataToDelete, titlesAfter } from '../columns/metadata-columns.js';
import { retitledReaders } from '../columns/retitled-readers.js';
import { SheetColumns } from '../columns/sheet-columns.js';

export interface ChangedColumn {
  column: SheetColumn;
  columns: SheetColumns;
  /** Columns of the sheet whose stored values do not match their inputs any more. */
  affected: SheetColumn[];
  version: number;
}

/** A column of a locked sheet, and the author of the change: the name of an API key, or null for the server itself. */
export interface ColumnTarget {
  sheet: Sheet;
  columnId: string;
  createdBy: string | null;
}

/** A change of a column that may include its type, by name or as a registered type. */
export type TypedPatch = ColumnPatch & { type?: string | RegisteredColumnType };

interface Change {
  /** The columns before the change. */
  columns: SheetColumns;
  column: SheetColumn;
  before: ColumnState;
  after: ColumnState;
  parts: (keyof ColumnState)[];
}

/** Changes a column as one new version; makes none when the column is like that already. Nothing is recomputed. */
export async function changeColumn(
  tx: EntityManager,
  types: ColumnTypes,
  target: ColumnTarget,
  patch: TypedPatch,
): Promise<ChangedColumn> {
  const { sheet } = target;
  const columns = await SheetColumns.read(tx, types, sheet);
  const column = columns.require(target.columnId);
  requireOwn(column);
  const type =
    typeof patch.type === 'string' ? findCreatableType(types, patch.type) : (patch.type ?? columns.type(column));
  if (type.options.name !== column.type) requireChangeable(columns.type(column), type);
  const before = stateOf(columns, column);
  const after = changedState(columns, column, type, patch);
  const parts = changedParts(before, after);
  if (parts.length === 0) return { column, columns, affected: [], version: sheet.version };
  return apply(tx, types, target, { columns, column, before, after, parts });
}

/** Deletes a column as one new version. Its readers lose that edge, keep their config and become stale. */
export async function removeColumn(
  tx: EntityManager,
  types: ColumnTypes,
  { sheet, columnId, createdBy }: ColumnTarget,
): Promise<{ removed: SheetColumn; left: SheetColumns }> {
  const columns = await SheetColumns.read(tx, types, sheet);
  const column = columns.require(columnId);
  requireOwn(column);
  const { title, type, config } = column;
  await recordVersion(tx, sheet, {
    deltas: [{ type: 'column.delete', column_id: column.id, before: { title, type, config } }],
    createdBy,
  });
  const gone = [column, ...metadataToDelete(columns, column)];
  const dependents = columns.dependents(gone);
  await deleteColumns(
    tx,
    sheet,
    gone.map(({ id }) => id),
  );
  await dropPendingColumns(tx, sheet, [column.key]);
  const left = await SheetColumns.read(tx, types, sheet);
  const affected = [...dependents, ...left.withDependents(left.withOtherLeft(columns))];
  await refitTasks(tx, sheet, left, affected);
  await markStale(tx, sheet, affected, sheet.rows);
  return { removed: column, left };
}

async function apply(
  tx: EntityManager,
  types: ColumnTypes,
  { sheet, createdBy }: ColumnTarget,
  change: Change,
): Promise<ChangedColumn> {
  const { column, before, after, parts } = change;
  const readers = parts.includes('title')
    ? retitledReaders(change.columns, titlesAfter(change.columns, column, after.title))
    : [];
  const version = await recordVersion(tx, sheet, {
    deltas: [
      toDelta(column, before, after, parts),
      ...readers
        .filter((reader) => reader.column.owner !== 'scorecard')
        .map((reader) => toDelta(reader.column, reader.before, reader.after, ['config'])),
    ],
    createdBy,
  });
  const changed = await rewriteColumn(tx, sheet, column.id, after);
  await fitMetadata(tx, sheet, change.columns, changed);
  for (const reader of readers) await rewriteColumn(tx, sheet, reader.column.id, reader.after);
  if (parts.includes('config')) await linkMirrors(tx, types, sheet, [changed]);
  await requireNoCircle(tx, types, changed);
  const next = await SheetColumns.read(tx, types, sheet);
  const type = next.type(changed);
  if (parts.includes('type') || parts.includes('config')) {
    const parsed = parseConfig(type, after.config);
    await requireReferences(tx, type, parsed, sheet);
    await relinkColumn(tx, changed, type.plugin.prompts?.(parsed) ?? []);
  }
  await fitCells(tx, sheet, change, next);
  const affected = affectedBy(change, next);
  await refitTasks(tx, sheet, next, affected);
  await markStale(tx, sheet, affected, sheet.rows);
  return { column: changed, columns: next, affected: affected.filter((each) => next.ofSheet.includes(each)), version };
}

/** A column that mirrors another sheet is created as such and cannot change its type. */
function requireChangeable(from: RegisteredColumnType, to: RegisteredColumnType): void {
  const fixed = rulesOf(from.options.kind).fixed || rulesOf(to.options.kind).fixed;
  if (fixed) throw GridErrors.column_type_fixed(from.options.name, to.options.name);
}

/** Metadata columns are deleted with the columns that they measure. Steps of a scorecard are not found at all. */
function requireOwn(column: SheetColumn): void {
  if (column.owner !== 'sheet') throw GridErrors.column_of_server(column.title);
}

/** Adapts stored cells and states to the new type. */
async function fitCells(
  tx: EntityManager,
  sheet: Sheet,
  { columns, column, parts }: Change,
  next: SheetColumns,
): Promise<void> {
  const [old, now] = [columns.rules(column), next.rules(next.require(column.id))];
  if (!now.computes) await dropPendingColumns(tx, sheet, [column.key]);
  if (!parts.includes('type') && !parts.includes('config')) return;
  if (!now.keepsValues) await clearValues(tx, sheet, column.key);
  else if (!now.hasStates && old.hasStates) await clearErrors(tx, sheet, column.key);
  if (now.hasStates || !old.hasStates) return;
  const states = await ChunkStates.read(tx, sheet.workspaceId, [column.key], { from: 0, to: sheet.rows.end });
  states.forget(column.key, sheet.rows);
  await states.save(tx, sheet.version);
}

/** Only columns that were computed from other values, or are computed differently now, have to be computed again. */
function affectedBy(change: Change, next: SheetColumns): SheetColumn[] {
  const affected = [...directlyAffected(change, next), ...formerReaders(change, next)];
  return next.withDependents([...affected, ...next.withOtherLeft(change.columns)]);
}

/** Readers of metadata columns that were deleted because the column is not measured any more. */
function formerReaders({ columns }: Change, next: SheetColumns): SheetColumn[] {
  const gone = columns.list.filter(({ id }) => !next.find(id));
  return columns.dependents(gone).flatMap(({ id }) => next.find(id) ?? []);
}

function directlyAffected({ column, parts }: Change, next: SheetColumns): SheetColumn[] {
  const changed = next.require(column.id);
  const now = next.rules(changed);
  const redefined = parts.some((part) => part === 'type' || part === 'config' || (part === 'edges' && now.computes));
  if (redefined && now.hasStates) return [changed];
  if (parts.includes('type')) return next.dependents([changed]);
  return parts.includes('title') ? titleReaders(next, changed) : [];
}

function titleReaders(columns: SheetColumns, column: SheetColumn): SheetColumn[] {
  return columns.readers(column).filter((reader) => columns.type(reader).options.readsTitles);
}

function toDelta(column: SheetColumn, before: ColumnState, after: ColumnState, parts: (keyof ColumnState)[]) {
  return {
    type: 'column.update' as const,
    column_id: column.id,
    before: described(before, parts),
    after: described(after, parts),
  };
}

/** The parts of a column as the API names them. */
function described(state: ColumnState, parts: (keyof ColumnState)[]): JsonObject {
  const dependencies = state.edges.map(({ sourceId, configKey, configMeta }) => ({
    column_id: sourceId,
    config_key: configKey,
    config_meta: configMeta,
  }));
  const all: Record<keyof ColumnState, [string, JsonValue]> = {
    title: ['title', state.title],
    type: ['type', state.type],
    config: ['config', state.config],
    isOutputColumn: ['is_output_column', state.isOutputColumn],
    edges: ['dependencies', dependencies],
  };
  return Object.fromEntries(parts.map((part) => all[part]));
}
