import type { EntityManager } from 'typeorm';
import { CELL_METRICS, type CellMetric, EXECUTION_METADATA } from '../column-type/execution-metadata.column-type.js';
import type { Sheet } from '../shared/sheet.entity.js';
import { deleteColumns, rewriteColumn } from './archive-columns.js';
import { stateOf } from './column-state.js';
import type { SheetColumn } from './column.entity.js';
import { insertColumn } from './insert-column.js';
import { metadataSource } from './metadata-source.js';
import type { SheetColumns } from './sheet-columns.js';

const SUFFIXES: Record<CellMetric, string> = { price: '.price', latency_ms: '.latency' };
/** Maximum length of a column's title. */
const MAX_TITLE = 255;

function metadataOf({ list }: SheetColumns, source: SheetColumn): SheetColumn[] {
  return list.filter((column) => metadataSource(column)?.sourceColumnId === source.id);
}

/** The keys of the columns that hold the metrics of a measured column, as far as they exist. */
export type MetadataKeys = Partial<Record<CellMetric, string>>;

export function metadataKeys(columns: SheetColumns, source: SheetColumn): MetadataKeys {
  return Object.fromEntries(metadataOf(columns, source).map((column) => [metadataSource(column)!.metric, column.key]));
}

function metadataTitle(sourceTitle: string, metric: CellMetric): string {
  const suffix = SUFFIXES[metric];
  return sourceTitle.slice(0, MAX_TITLE - suffix.length) + suffix;
}

/** Adds the columns that hold the price and the latency of the cells of a new column, in the same version. */
export async function insertMetadataColumns(tx: EntityManager, sheet: Sheet, source: SheetColumn): Promise<void> {
  for (const metric of CELL_METRICS) {
    await insertColumn(tx, sheet, {
      owner: 'metadata',
      title: metadataTitle(source.title, metric),
      type: EXECUTION_METADATA,
      config: { source_column_id: source.id, metric_key: metric },
      isOutputColumn: false,
      edges: [],
      version: source.version,
    });
  }
}

/** The metadata columns to delete with this column. */
export function metadataToDelete(columns: SheetColumns, column: SheetColumn): SheetColumn[] {
  const { measured } = columns.type(column).options;
  return measured && !measured.outlived ? metadataOf(columns, column) : [];
}

/** The new titles of a column and its metadata columns when the column is renamed. */
export function titlesAfter(columns: SheetColumns, column: SheetColumn, title: string): Map<string, string> {
  const metadata = metadataOf(columns, column).map((each): [string, string] => [
    each.id,
    metadataTitle(title, metadataSource(each)!.metric),
  ]);
  return new Map([[column.id, title], ...metadata]);
}

/** Renames metadata columns with their column, and adds or deletes them when its type changes. */
export async function fitMetadata(
  tx: EntityManager,
  sheet: Sheet,
  columns: SheetColumns,
  changed: SheetColumn,
): Promise<void> {
  const existing = metadataOf(columns, changed);
  const { measured } = columns.type(changed).options;
  if (!measured) {
    await deleteColumns(
      tx,
      sheet,
      existing.map(({ id }) => id),
    );
  } else if (existing.length === 0) await insertMetadataColumns(tx, sheet, changed);
  else for (const column of existing) await renameMetadata(tx, sheet, columns, { column, title: changed.title });
}

async function renameMetadata(
  tx: EntityManager,
  sheet: Sheet,
  columns: SheetColumns,
  { column, title: source }: { column: SheetColumn; title: string },
): Promise<void> {
  const title = metadataTitle(source, metadataSource(column)!.metric);
  if (title !== column.title) await rewriteColumn(tx, sheet, column.id, { ...stateOf(columns, column), title });
}
