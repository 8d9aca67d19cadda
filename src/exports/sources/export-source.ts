import type { EntityManager } from 'typeorm';
import type { SqlParameters } from '../../platform/filters/sql-parameters.js';
import type { ExportRequest, ExportSourceName } from '../export.entity.js';
import type { ExportColumn } from './export-column.js';

export type ExportFilter = Pick<ExportRequest, 'filterGroup' | 'filters' | 'q'>;

/** The index scan that finds the rows of an export: a table with an index on workspace, time and id. */
export interface ExportPath {
  /** With the alias that the conditions use. */
  table: string;
  /** Order by time, newest first. `latest` is the largest value of the type. */
  time: { column: string; type: string; latest: string };
  id: { column: string; type: string; order: 'ASC' | 'DESC' };
  /** SQL for the weight of a found row: its bytes, or the number of its parts. It must not read values that are stored
   * out of line. */
  weight: string;
  /** SQL for the number of rows of the file that a found row makes. */
  rows: string;
}

/** A kind of rows that can be exported. One step finds the rows, another one reads them: see `readPieces`. */
export interface ExportSource {
  name: ExportSourceName;
  columns: ExportColumn[];
  path: ExportPath;
  /** SQL for the keys of the parts and their `weight` in bytes, if a row of the file is a part of a found row. `$1` is the
   * workspace, and `$2` has the found ids in their order. */
  parts?: string;
  /** Columns that identify a row of the file in a workspace, with their types. The first is the id of the path. */
  keys: Record<string, string>;
  /** SQL of the tables of the columns, joined to the keys `k`. `$1` is the workspace. */
  join: string;
  /** The SQL condition of a filter on the table, including the workspace. Throws the errors of filters. */
  condition(db: EntityManager, workspaceId: number, filter: ExportFilter, parameters: SqlParameters): Promise<string>;
}
