import type { EntityManager } from 'typeorm';
import { hexByteaArray, int4Array } from '../../platform/database/binary-arrays.js';
import { isPassingDatabaseFailure } from '../../platform/errors/failures.js';
import { sendTogether } from '../../platform/database/send-together.js';
import { Statement } from '../../platform/database/statement.js';
import { measureInputs, sourceCellsStep } from '../cells/cells.queries.js';
import { externalTypeOf } from '../column-type/column-type.js';
import type { SheetColumn } from '../columns/column.entity.js';
import type { SheetColumns } from '../columns/sheet-columns.js';
import { rangeOf, RowSet } from '../shared/row-set.js';
import { ColumnPlan } from './column-plan.js';
import { SourceRows } from './source-rows.js';
import { readStaleSources } from './stale-sources.js';

/** Limits of the inputs that a plan reads of a column. Results of further rows count as unknown. */
const MOST = { rows: 10_000, bytes: 16 * 1024 * 1024 };

const KNOWN = new Statement<{ row: number; same: boolean }>(`
  SELECT k.row, c.error IS NULL AND m.value IS NOT DISTINCT FROM c.value AS same
    FROM unnest($2::int[], $3::bytea[]) k (row, key)
    JOIN cell_memo m ON m.workspace_id = $1 AND m.key = k.key AND m.computed_at > now() - $4 * interval '1 day'
    LEFT JOIN cells c ON c.workspace_id = $1 AND c.column_key = $5 AND c.row_index = k.row`);

/** Cells of a plan, and the source of known results. */
export interface PlannedCells {
  workspaceId: number;
  cells: Map<SheetColumn, RowSet>;
  /** Maximum age of results that are reused. */
  days: number;
}

/**
 * Counts the cells of external columns that would reuse a known result. The count is a lower limit: a cell whose inputs
 * may change before counts as unknown, and so do the cells of a column beyond the first ten thousand.
 */
export async function countKnownResults(
  tx: EntityManager,
  columns: SheetColumns,
  planned: PlannedCells,
): Promise<Map<SheetColumn, number>> {
  const counts = new Map<SheetColumn, number>();
  /** By column: rows whose value will not change when the cell is computed. */
  const settled = new Map<string, RowSet>();
  const inOrder = [...planned.cells].toSorted(([a], [b]) => columns.rank(a) - columns.rank(b));
  for (const [column, rows] of inOrder) {
    const ready = await readReadyRows(tx, columns, { ...planned, column, rows, settled });
    if (!columns.isExternal(column)) {
      settled.set(column.key, ready);
      continue;
    }
    const known = await findKnown(tx, columns, { ...planned, column, rows: ready });
    counts.set(column, known.length);
    settled.set(column.key, RowSet.of(known.filter(({ same }) => same).map(({ row }) => row)));
  }
  return counts;
}

interface PlannedColumnCells extends PlannedCells {
  column: SheetColumn;
  rows: RowSet;
}

/** The rows in which a column will be computed from the current values of its sources. */
async function readReadyRows(
  tx: EntityManager,
  columns: SheetColumns,
  { workspaceId, cells, column, rows, settled }: PlannedColumnCells & { settled: Map<string, RowSet> },
): Promise<RowSet> {
  if (rows.isEmpty) return rows;
  const stale = await readStaleSources(tx, { workspaceId, columns, column }, rangeOf(rows));
  const sources = columns.graph.allSources([column.id]);
  const changing = [...cells]
    .filter(([source]) => sources.has(source.id))
    .map(([source, computed]) => computed.without(settled.get(source.key) ?? RowSet.EMPTY));
  return rows.without(stale).without(RowSet.union(changing));
}

async function findKnown(
  tx: EntityManager,
  columns: SheetColumns,
  { workspaceId, column, rows, days }: PlannedColumnCells,
): Promise<{ row: number; same: boolean }[]> {
  const reuses = columns.type(column).options.reusesResults !== false && days > 0;
  if (!reuses || rows.isEmpty) return [];
  const keys = await readKeys(tx, columns, { workspaceId, column, rows });
  const found = [int4Array(keys.map(({ row }) => row)), hexByteaArray(keys.map(({ key }) => key))];
  return keys.length === 0 ? [] : KNOWN.run(tx, [workspaceId, ...found, days, column.key]);
}

/** The keys of the results of the first rows. */
async function readKeys(
  tx: EntityManager,
  columns: SheetColumns,
  { workspaceId, column, rows }: Omit<PlannedColumnCells, 'cells' | 'days'>,
): Promise<{ row: number; key: string }[]> {
  const known = await planOrNull(columns, column, workspaceId);
  if (!known) return [];
  const { plan, dependsOn } = known;
  const first = RowSet.of(rows.page(null, MOST.rows, 'asc'));
  const range = { workspaceId, columnKeys: plan.sourceKeys, rows: rangeOf(first) };
  const { end } = await measureInputs(tx, range, MOST.bytes);
  const [cells] = await sendTogether(tx, [sourceCellsStep({ ...range, rows: { ...range.rows, to: end } })]);
  const sources = new SourceRows(cells, first);
  const read = plan.inputs.reader((key) => sources.of(key));
  return [...first.intersect(RowSet.range(0, end))].flatMap((row) => {
    const found = read(row);
    return 'values' in found ? [{ row, key: plan.hashOf(found.values, dependsOn) }] : [];
  });
}

/** null for a column whose cells would fail now, for example because its prompt or its credential is missing. */
async function planOrNull(columns: SheetColumns, column: SheetColumn, workspaceId: number) {
  try {
    const plan = ColumnPlan.of(columns, column);
    const dependsOn = await externalTypeOf(plan.type).dependsOn?.(plan.inputs.resolve([]), { workspaceId });
    return { plan, dependsOn: dependsOn ?? '' };
  } catch (error) {
    if (isPassingDatabaseFailure(error)) throw error;
    return null;
  }
}
