import type { EntityManager } from 'typeorm';
import type { JsonObject } from '../../platform/json.js';
import type { ColumnTypes, RegisteredColumnType } from '../column-type/column-type.js';
import { rulesOf } from '../column-type/kinds.js';
import { parseConfig, requireReferences } from '../column-type/parse-config.js';
import { sourceFields } from '../column-type/source-fields.js';
import { linkMirrors } from '../composition/composition-links.js';
import { queueCells, type QueuedCells } from '../computing/queue-cells.js';
import { linkColumn } from '../prompt-links/column-prompts.queries.js';
import type { Sheet } from '../shared/sheet.entity.js';
import { markStale } from '../states/mark-stale.js';
import { recordVersion } from '../shared/record-version.js';
import type { SheetColumn } from '../columns/column.entity.js';
import { insertColumn } from '../columns/insert-column.js';
import { insertMetadataColumns } from '../columns/metadata-columns.js';
import { type GivenDependency, type ResolvedEdge, resolveReferences } from '../columns/references.js';
import { requireNamesInTexts } from '../columns/retitled-readers.js';
import { SheetColumns } from '../columns/sheet-columns.js';
import { outdateLeftReaders } from './outdate-left-readers.js';

export interface ColumnInput {
  title: string;
  config: JsonObject;
  dependencies: GivenDependency[];
  /** Default: true for computed columns. */
  isOutputColumn?: boolean;
  /** Whether computed cells are queued. Default: true. */
  isQueued?: boolean;
}

export interface AddedColumn {
  column: SheetColumn;
  columns: SheetColumns;
  /** True for a column whose cells have no state: they begin as blank ones. */
  blank: boolean;
  version: number;
  /** Queued cells. Notify workers of them after the commit. */
  queued: QueuedCells | null;
}

/** Checks a new column and returns its parsed config and its edges. Throws the same errors as adding it. */
export async function checkColumn(
  tx: EntityManager,
  { types, type }: { types: ColumnTypes; type: RegisteredColumnType },
  sheet: Sheet,
  { config, dependencies }: Pick<ColumnInput, 'config' | 'dependencies'>,
): Promise<{ parsed: JsonObject; before: SheetColumns; edges: ResolvedEdge[] }> {
  const parsed = parseConfig(type, config);
  await requireReferences(tx, type, parsed, sheet);
  const before = await SheetColumns.read(tx, types, sheet);
  const edges = resolveReferences(sourceFields(type.options.config), parsed, dependencies, before.ofSheet);
  requireNamesInTexts(type, { config: parsed, edges }, before.ofSheet);
  return { parsed, before, edges };
}

/** Adds a column at the end of a locked sheet, as one new version. The cells of a computed one are queued with it. */
export async function addColumn(
  tx: EntityManager,
  { types, type, createdBy }: { types: ColumnTypes; type: RegisteredColumnType; createdBy: string | null },
  sheet: Sheet,
  input: ColumnInput,
): Promise<AddedColumn> {
  const { options, plugin } = type;
  const { parsed, before, edges } = await checkColumn(tx, { types, type }, sheet, input);
  const { computes, hasStates } = rulesOf(options.kind);
  const { title, config, isOutputColumn = computes, isQueued = true } = input;
  const column = await insertColumn(tx, sheet, { title, type: options.name, config, isOutputColumn, edges });
  await linkColumn(tx, column, plugin.prompts?.(parsed) ?? []);
  await linkMirrors(tx, types, sheet, [column]);
  if (options.measured) await insertMetadataColumns(tx, sheet, column);
  const version = await recordVersion(tx, sheet, {
    deltas: [{ type: 'column.create', column_id: column.id, after: { title, type: options.name, config } }],
    createdBy,
  });
  const columns = await SheetColumns.read(tx, types, sheet);
  if (hasStates) await markStale(tx, sheet, [column], sheet.rows);
  // The new column is to the left of the scorecard's steps.
  await outdateLeftReaders(tx, sheet, before, columns);
  const queued = computes && isQueued ? await startFilling(tx, sheet, columns, { column, startedBy: createdBy }) : null;
  return { column, columns, blank: !hasStates, version, queued };
}

async function startFilling(
  tx: EntityManager,
  sheet: Sheet,
  columns: SheetColumns,
  { column, startedBy }: { column: SheetColumn; startedBy: string | null },
) {
  const selection = new Map([[columns.require(column.id), sheet.rows]]);
  return queueCells(tx, sheet, columns, { cells: selection, startedBy });
}
