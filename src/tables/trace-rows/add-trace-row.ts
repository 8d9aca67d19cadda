import type { EntityManager } from 'typeorm';
import type { JsonObject } from '../../platform/json.js';
import type { SpanTree } from '../../traces/index.js';
import type { CellMetrics } from '../../grid/column-type/cell-metrics.js';
import { type NewCell, writeCells } from '../../grid/cells/cells.queries.js';
import type { ColumnTypes } from '../../grid/column-type/column-type.js';
import { outdateLeftReaders } from '../../grid/column-edits/outdate-left-readers.js';
import { rewriteColumn } from '../../grid/columns/archive-columns.js';
import { stateOf } from '../../grid/columns/column-state.js';
import type { SheetColumn } from '../../grid/columns/column.entity.js';
import { insertColumn } from '../../grid/columns/insert-column.js';
import { fitMetadata, insertMetadataColumns, metadataKeys } from '../../grid/columns/metadata-columns.js';
import { SheetColumns } from '../../grid/columns/sheet-columns.js';
import { refitTasks } from '../../grid/computing/pending.queries.js';
import { GridErrors } from '../../grid/shared/grid.errors.js';
import { nextRowIndex } from '../../grid/rows/next-row-index.js';
import { RowSet } from '../../grid/shared/row-set.js';
import type { Sheet } from '../../grid/shared/sheet.entity.js';
import { markStale } from '../../grid/states/mark-stale.js';
import { recordVersion } from '../../grid/shared/record-version.js';
import { TraceRowErrors } from './trace-rows.errors.js';

/** Title of the column for traces. */
const TITLE = 'Trace';
const TYPE = 'TRACE';

interface AddingTrace {
  types: ColumnTypes;
  /** The caller that adds it. */
  createdBy: string | null;
  /** Limit of the rows of the sheet. */
  maxRows: number;
}

interface NewTraceRow {
  tree: SpanTree;
  /** The requested span. */
  spanId: string | null;
  /** Metadata from the sender. */
  metadata: JsonObject;
}

/**
 * Adds a row with a trace after the last one of a locked sheet, as one version, and returns its index. Its computed
 * cells are stale and wait until somebody starts a recalculation. Throws trace_column_computed, row_limit_exceeded.
 */
export async function addTraceRow(
  tx: EntityManager,
  sheet: Sheet,
  { types, createdBy, maxRows }: AddingTrace,
  { tree, spanId, metadata }: NewTraceRow,
): Promise<number> {
  const before = await SheetColumns.read(tx, types, sheet);
  const found = findTraceColumn(before);
  if (sheet.rows.count + 1 > maxRows) throw GridErrors.row_limit_exceeded(maxRows);
  const rowIndex = nextRowIndex(sheet);
  const added = RowSet.range(rowIndex, rowIndex + 1);
  const imported = { type: 'trace_import', row_index: rowIndex, trace_id: tree.traceId, span_id: spanId, metadata };
  const version = await recordVersion(tx, sheet, {
    rows: sheet.rows.union(added),
    deltas: [imported, ...conversionOf(found)],
    createdBy,
  });
  const column = await fitTraceColumn(tx, sheet, before, found);
  const columns = await SheetColumns.read(tx, types, sheet);
  const write = { workspaceId: sheet.workspaceId, version, executionId: null, mayReplace: true };
  await writeCells(tx, write, toCells(metadataKeys(columns, column), column, rowIndex, tree));
  await markStale(tx, sheet, columns.withStates, added);
  if (found && found.type !== TYPE) await outdateReaders(tx, sheet, columns, column);
  // A new trace column is to the left of the scorecard's steps.
  await outdateLeftReaders(tx, sheet, before, columns);
  return rowIndex;
}

/** The column with that title: a trace column before a text column, then the leftmost one. */
function findTraceColumn(columns: SheetColumns): SheetColumn | null {
  const titled = columns.shown({ withSystem: false }).filter(({ title }) => title === TITLE);
  const fitting = titled.find(({ type }) => type === TYPE) ?? titled.find((column) => columns.inputs.includes(column));
  if (!fitting && titled.length > 0) throw TraceRowErrors.trace_column_computed(TITLE);
  return fitting ?? null;
}

function conversionOf(column: SheetColumn | null): JsonObject[] {
  if (!column || column.type === TYPE) return [];
  return [{ type: 'column.update', column_id: column.id, before: { type: column.type }, after: { type: TYPE } }];
}

/** Gives the sheet a trace column, as part of the version that was just recorded. */
async function fitTraceColumn(
  tx: EntityManager,
  sheet: Sheet,
  columns: SheetColumns,
  found: SheetColumn | null,
): Promise<SheetColumn> {
  if (found?.type === TYPE) return found;
  if (found) {
    const changed = await rewriteColumn(tx, sheet, found.id, { ...stateOf(columns, found), type: TYPE });
    await fitMetadata(tx, sheet, columns, changed);
    return changed;
  }
  const { version } = sheet;
  const fresh = { title: TITLE, type: TYPE, config: {}, isOutputColumn: false, edges: [], version };
  const column = await insertColumn(tx, sheet, fresh);
  await insertMetadataColumns(tx, sheet, column);
  return column;
}

/** Makes the readers of a text column stale when it becomes a trace column. */
async function outdateReaders(tx: EntityManager, sheet: Sheet, columns: SheetColumns, column: SheetColumn) {
  const readers = columns.dependents([columns.require(column.id)]);
  await refitTasks(tx, sheet, columns, readers);
  await markStale(tx, sheet, readers, sheet.rows);
}

function toCells(
  keys: ReturnType<typeof metadataKeys>,
  column: SheetColumn,
  rowIndex: number,
  { root, latencyMs, calls, traceId }: SpanTree,
): NewCell[] {
  const price = total(calls.map((call) => call.price));
  const metrics: CellMetrics = {
    request_count: calls.length,
    request_ids: calls.map(({ id }) => id),
    latency_ms: latencyMs,
    price,
    input_tokens: total(calls.map(({ call }) => call.usage.input)),
    output_tokens: total(calls.map(({ call }) => call.usage.output)),
    trace_ids: [traceId],
  };
  const measured: [string | undefined, number | null][] = [
    [keys.price, price],
    [keys.latency_ms, latencyMs],
  ];
  return [
    { columnKey: column.key, rowIndex, value: root, displayValue: String(root.name), metrics },
    ...measured.flatMap(([columnKey, value]) => (columnKey === undefined ? [] : [{ columnKey, rowIndex, value }])),
  ];
}

/** null when all of them are unknown. */
function total(values: (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0);
}
