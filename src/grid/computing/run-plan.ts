import type { EntityManager } from 'typeorm';
import { Statement } from '../../platform/database/statement.js';
import { int8Array } from '../../platform/database/binary-arrays.js';
import type { JsonValue } from '../../platform/json.js';
import { readSingleCells, valueOf } from '../cells/cells.queries.js';
import { type CellEstimate, externalTypeOf } from '../column-type/column-type.js';
import type { SheetColumn } from '../columns/column.entity.js';
import type { SheetColumns } from '../columns/sheet-columns.js';
import type { RowSet } from '../shared/row-set.js';
import { ColumnPlan } from './column-plan.js';

/** Number of a column's earlier cells to average. */
const PAST_CELLS = 500;
const SAMPLE_ROWS = 5;

/** Average cost and time of one cell of a column; null for unknown values. */
export interface CellCost {
  inputTokens: number | null;
  outputTokens: number | null;
  /** US dollars. */
  price: number | null;
  latencyMs: number | null;
}

/** `history`: from earlier cells of the column. `template`: from the requests that would be sent now. */
export type CostSource = 'history' | 'template' | 'unknown';

export interface ColumnCost {
  source: CostSource;
  perCell: CellCost;
}

/** Prices an estimated call; null when the price is unknown. */
export type PriceOf = (estimate: CellEstimate) => number | null;

const UNKNOWN: CellCost = { inputTokens: null, outputTokens: null, price: null, latencyMs: null };

/** Leaves out cells that reused a result, because they cost nothing. */
const PAST = new Statement<CellCost & { key: string }>(`
  SELECT k.key::text AS key, avg((c.metrics ->> 'input_tokens')::float8) AS "inputTokens",
         avg((c.metrics ->> 'output_tokens')::float8) AS "outputTokens",
         avg((c.metrics ->> 'price')::float8) AS price, avg((c.metrics ->> 'latency_ms')::float8) AS "latencyMs"
    FROM unnest($2::bigint[]) k (key), LATERAL (
      SELECT metrics FROM cells
       WHERE workspace_id = $1 AND column_key = k.key AND (metrics ->> 'request_count')::int > 0
         AND NOT metrics ? 'reused_from'
       LIMIT ${PAST_CELLS}) c
   GROUP BY k.key`);

/** Reads the averages of earlier cells of these columns, by column key. */
export function readPastCosts(
  tx: EntityManager,
  workspaceId: number,
  columnKeys: string[],
): Promise<(CellCost & { key: string })[]> {
  return PAST.run(tx, [workspaceId, int8Array(columnKeys.map(Number))]);
}

/**
 * Estimates the cost of a cell of each of these columns: from its own past, or else from the requests that would be
 * sent.
 */
export async function estimateColumns(
  tx: EntityManager,
  columns: SheetColumns,
  work: { workspaceId: number; cells: Map<SheetColumn, RowSet>; priceOf: PriceOf },
): Promise<Map<SheetColumn, ColumnCost>> {
  const external = [...work.cells.keys()].filter((column) => columns.type(column).options.kind === 'external');
  const past = await readPastCosts(
    tx,
    work.workspaceId,
    external.map(({ key }) => key),
  );
  const costs = new Map<SheetColumn, ColumnCost>();
  for (const column of external) {
    const known = past.find(({ key }) => key === column.key);
    costs.set(column, known ? fromHistory(known) : await fromTemplate(tx, columns, column, work));
  }
  return costs;
}

function fromHistory({ inputTokens, outputTokens, price, latencyMs }: CellCost): ColumnCost {
  return { source: 'history', perCell: { inputTokens, outputTokens, price, latencyMs } };
}

/**
 * Estimates some of the rows with the column type. The cost stays unknown if the type cannot estimate it, or fails: a
 * plan is not exact.
 */
async function fromTemplate(
  tx: EntityManager,
  columns: SheetColumns,
  column: SheetColumn,
  { workspaceId, cells, priceOf }: { workspaceId: number; cells: Map<SheetColumn, RowSet>; priceOf: PriceOf },
): Promise<ColumnCost> {
  const type = externalTypeOf(columns.type(column));
  if (!type.estimate) return { source: 'unknown', perCell: UNKNOWN };
  const { inputs } = ColumnPlan.of(columns, column);
  const estimates: CellEstimate[] = [];
  for (const values of await readSample(tx, workspaceId, { inputs, rows: cells.get(column)! })) {
    const row = { config: inputs.resolve(values), inputs: inputs.list, left: inputs.leftOf(values) };
    const estimate = await type.estimate(row, { workspaceId }).catch(() => null);
    if (estimate) estimates.push(estimate);
  }
  if (estimates.length === 0) return { source: 'unknown', perCell: UNKNOWN };
  const average = (of: (estimate: CellEstimate) => number | null): number | null => {
    const told = estimates.map(of).filter((value) => value !== null);
    return told.length === 0 ? null : told.reduce((sum, value) => sum + value, 0) / told.length;
  };
  const perCell = {
    inputTokens: average(({ inputTokens }) => inputTokens),
    outputTokens: average(({ outputTokens }) => outputTokens),
    price: average(priceOf),
    latencyMs: null,
  };
  return { source: 'template', perCell };
}

/** The values of the first rows, as far as they can be read. */
async function readSample(
  tx: EntityManager,
  workspaceId: number,
  { inputs, rows }: { inputs: ColumnPlan['inputs']; rows: RowSet },
): Promise<JsonValue[][]> {
  const sample = rows.page(null, SAMPLE_ROWS, 'asc');
  const addresses = inputs.sourceKeys.flatMap((columnKey) => sample.map((rowIndex) => ({ columnKey, rowIndex })));
  const cells = await readSingleCells(tx, workspaceId, addresses);
  const found = new Map(cells.map((cell) => [`${cell.columnKey}:${cell.rowIndex}`, { ...cell, value: valueOf(cell) }]));
  const read = inputs.reader((columnKey) => (rowIndex) => found.get(`${columnKey}:${rowIndex}`));
  return sample.flatMap((row) => {
    const values = read(row);
    return 'values' in values ? [values.values] : [];
  });
}
