import type { EntityManager } from 'typeorm';
import type { CellMetric } from '../column-type/execution-metadata.column-type.js';
import { metadataSource } from '../columns/metadata-source.js';
import type { SheetColumn } from '../columns/column.entity.js';
import type { RowSet } from '../shared/row-set.js';

/** Aggregates over the rows with a value, in US dollars or milliseconds; null without one. */
export interface MetricAggregate {
  metric: CellMetric;
  count: number;
  sum: number;
  avg: number | null;
  min: number | null;
  max: number | null;
}

export interface ColumnAggregate extends MetricAggregate {
  columnId: string;
  sourceColumnId: string;
}

const AGGREGATE = `
  SELECT column_key AS key, count(*)::int AS count, sum(value::float8) AS sum, min(value::float8) AS min, max(value::float8) AS max
    FROM (
      SELECT column_key, row_index, value FROM cells
       WHERE workspace_id = $1 AND column_key = ANY($2::bigint[]) AND version <= $4
      UNION ALL
      SELECT column_key, row_index, value FROM cell_history
       WHERE workspace_id = $1 AND column_key = ANY($2::bigint[]) AND version_from <= $4 AND version_to > $4) c
   WHERE $3::int4multirange @> row_index AND jsonb_typeof(value) = 'number'
   GROUP BY column_key`;

interface AggregateRow {
  key: string;
  count: number;
  sum: number;
  min: number;
  max: number;
}

/** Sums up metadata columns over all rows of a sheet at a version, with one statement. Columns of other types are left out. */
export async function aggregateMetadata(
  tx: EntityManager,
  { workspaceId, rows, version }: { workspaceId: number; rows: RowSet; version: number },
  columns: SheetColumn[],
): Promise<ColumnAggregate[]> {
  const measured = columns.flatMap((column) => {
    const source = metadataSource(column);
    return source ? [{ column, ...source }] : [];
  });
  if (measured.length === 0) return [];
  const keys = measured.map(({ column }) => column.key);
  const found = await tx.query<AggregateRow[]>(AGGREGATE, [workspaceId, keys, rows.toString(), version]);
  const byKey = new Map(found.map((row) => [row.key, row]));
  return measured.map(({ column, sourceColumnId, metric }) => ({
    columnId: column.id,
    sourceColumnId,
    ...toAggregate(metric, byKey.get(column.key)),
  }));
}

/** Combines the aggregates of several columns. */
export function combine(metric: CellMetric, aggregates: MetricAggregate[]): MetricAggregate {
  const filled = aggregates.filter((aggregate) => aggregate.metric === metric && aggregate.count > 0);
  if (filled.length === 0) return toAggregate(metric, undefined);
  return toAggregate(metric, {
    count: filled.reduce((total, { count }) => total + count, 0),
    sum: filled.reduce((total, { sum }) => total + sum, 0),
    min: Math.min(...filled.map(({ min }) => min!)),
    max: Math.max(...filled.map(({ max }) => max!)),
  });
}

function toAggregate(metric: CellMetric, found: Omit<AggregateRow, 'key'> | undefined): MetricAggregate {
  if (!found) return { metric, count: 0, sum: 0, avg: null, min: null, max: null };
  const { count, sum, min, max } = found;
  return { metric, count, sum, avg: sum / count, min, max };
}
