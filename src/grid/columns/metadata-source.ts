import { type CellMetric, EXECUTION_METADATA } from '../column-type/execution-metadata.column-type.js';
import type { SheetColumn } from './column.entity.js';

/** The column that a metadata column measures, and the metric. */
export interface MetadataSource {
  sourceColumnId: string;
  metric: CellMetric;
}

/** null for every other column. */
export function metadataSource({ type, config }: SheetColumn): MetadataSource | null {
  if (type !== EXECUTION_METADATA) return null;
  return { sourceColumnId: config.source_column_id as string, metric: config.metric_key as CellMetric };
}
