import type { SheetColumn } from './column.entity.js';
import type { ResolvedEdge } from './references.js';
import type { SheetColumns } from './sheet-columns.js';

/** Everything about a column that can change. */
export interface ColumnState {
  title: string;
  type: string;
  config: SheetColumn['config'];
  isOutputColumn: boolean;
  edges: ResolvedEdge[];
}

export function stateOf(columns: SheetColumns, column: SheetColumn): ColumnState {
  const { title, type, config, isOutputColumn } = column;
  const edges = columns
    .edgesOf(column)
    .map(({ sourceId, configKey, configMeta }) => ({ sourceId, configKey, configMeta }));
  return { title, type, config, isOutputColumn, edges };
}
