import type { EntityManager } from 'typeorm';
import type { SqlParameters } from '../../platform/filters/sql-parameters.js';
import type { ExportRequest, ExportSourceName } from '../export.entity.js';
import type { ExportColumn } from './export-column.js';

export type ExportFilter = Pick<ExportRequest, 'filterGroup' | 'filters' | 'q'>;

/** One kind of thing that can be exported. Its rows are found in one step and read in another, see `readPieces`. */
export interface ExportSource {
  name: ExportSourceName;
  columns: ExportColumn[];
  /** The table that is searched, under the name that the conditions know. */
  table: string;
  /** The columns that tell its rows apart within a workspace, with their types. */
  keys: Record<string, string>;
  /** Newest first, and the same whenever it is asked. */
  order: string;
  /** About how many bytes a row has, told without reading what lies out of line. */
  size: string;
  /** What the columns are read from, joined to the keys `k`. `$1` is the workspace. */
  join: string;
  /** The condition over `table` that a filter stands for, the workspace included. Throws what the filters throw. */
  condition(db: EntityManager, workspaceId: number, filter: ExportFilter, parameters: SqlParameters): Promise<string>;
}
