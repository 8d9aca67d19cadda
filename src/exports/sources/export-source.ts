import type { EntityManager } from 'typeorm';
import type { SqlParameters } from '../../platform/filters/sql-parameters.js';
import type { ExportRequest, ExportSourceName } from '../export.entity.js';
import type { ExportColumn } from './export-column.js';

export type ExportFilter = Pick<ExportRequest, 'filterGroup' | 'filters' | 'q'>;

/** What an export goes along to find its rows: a table with an index over workspace, time and id. */
export interface ExportPath {
  /** Under the name that the conditions know. */
  table: string;
  /** Newest first. `latest` is as late as the type goes. */
  time: { column: string; type: string; latest: string };
  id: { column: string; type: string; order: 'ASC' | 'DESC' };
  /** What the rows that are found weigh: the bytes of each, or the number of parts that it has. Told without reading what
   * lies out of line. */
  weight: string;
  /** How many rows of the file one that is found has. */
  rows: string;
}

/** One kind of thing that can be exported. Its rows are found in one step and read in another, see `readPieces`. */
export interface ExportSource {
  name: ExportSourceName;
  columns: ExportColumn[];
  path: ExportPath;
  /** Where a row of the file is a part of what is found: gives the keys of the parts and their `weight` in bytes. `$1` is the
   * workspace and `$2` the ids that were found, in their order. */
  parts?: string;
  /** The columns that tell the rows of the file apart within a workspace, with their types. The first is the id of the path. */
  keys: Record<string, string>;
  /** What the columns are read from, joined to the keys `k`. `$1` is the workspace. */
  join: string;
  /** The condition over the table that a filter stands for, the workspace included. Throws what the filters throw. */
  condition(db: EntityManager, workspaceId: number, filter: ExportFilter, parameters: SqlParameters): Promise<string>;
}
