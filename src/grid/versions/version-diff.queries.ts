import type { EntityManager } from 'typeorm';
import { int4Array, int8Array } from '../../platform/database/binary-arrays.js';
import { Statement } from '../../platform/database/statement.js';
import { MAX_ID } from '../../platform/http/fields.js';
import type { Order } from '../../platform/http/list.js';
import type { CellAddress } from '../shared/cell-id.js';
import { LIGHT_CONTENT, type LightRecord } from '../cells/large-values.js';
import type { RowSet } from '../shared/row-set.js';

/** Rows by side. */
export interface RowSides {
  both: RowSet;
  onlyOlder: RowSet;
  onlyNewer: RowSet;
}

export interface ChangeSearch {
  workspaceId: number;
  older: number;
  newer: number;
  rows: RowSides;
  /** The columns to compare, each after a row, in the order in which rows are read. */
  columns: { key: string; after: number }[];
  order: Order;
  limit: number;
}

/** The row before all rows of a column. */
export const BEFORE_ALL: Record<Order, number> = { asc: -1, desc: MAX_ID };
const AFTER: Record<Order, string> = { asc: '>', desc: '<' };

/** States of a cell that ended or began between the versions; any state of a row that exists on one side only. */
const history = (order: Order): string => `
  SELECT h.row_index FROM cell_history h
   WHERE h.workspace_id = $1 AND h.column_key = k.key AND h.row_index ${AFTER[order]} k.after AND h.version_to > $4
     AND (h.row_index <@ $6::int4multirange
            AND (h.version_from <= $4 AND h.version_to <= $5 OR h.version_from > $4 AND h.version_from <= $5 AND h.version_to > $5)
       OR h.row_index <@ $7::int4multirange AND h.version_from <= $4
       OR h.row_index <@ $8::int4multirange AND h.version_from <= $5 AND h.version_to > $5)`;

const current = (order: Order): string => `
  SELECT c.row_index FROM cells c
   WHERE c.workspace_id = $1 AND c.column_key = k.key AND c.row_index ${AFTER[order]} k.after AND c.version <= $5
     AND (c.version > $4 AND c.row_index <@ $6::int4multirange
       OR c.version <= $4 AND c.row_index <@ $7::int4multirange
       OR c.row_index <@ $8::int4multirange)`;

/** The content of a cell at a version, as one value. */
const contentAt = (version: string) => `
  (SELECT ROW(c.value, c.display_value, c.error) FROM cells c
    WHERE c.workspace_id = $1 AND c.column_key = k.key AND c.row_index = written.row_index AND c.version <= ${version}
   UNION ALL
   SELECT ROW(h.value, h.display_value, h.error) FROM cell_history h
    WHERE h.workspace_id = $1 AND h.column_key = k.key AND h.row_index = written.row_index
      AND h.version_from <= ${version} AND h.version_to > ${version})`;

/** Each part is read in the order of its index and no further than needed. */
const changed = (order: Order): Statement<CellAddress> =>
  new Statement(`
  SELECT k.key AS "columnKey", changed.row_index AS "rowIndex"
    FROM unnest($2::bigint[], $3::int[]) AS k (key, after)
    CROSS JOIN LATERAL (
      SELECT written.row_index
        FROM (SELECT DISTINCT row_index FROM (${history(order)} UNION ALL ${current(order)}) AS part
               ORDER BY row_index ${order}) AS written
       WHERE NOT written.row_index <@ $6::int4multirange OR ${contentAt('$4')} IS DISTINCT FROM ${contentAt('$5')}
       LIMIT $9) AS changed`);
const CHANGED = { asc: changed('asc'), desc: changed('desc') };

/**
 * Finds cells that were written between two versions, or exist on one side only: for each column up to `limit` rows,
 * the first ones. Cells that were written and have the same content as before are left out, however many there are.
 */
export async function findWrittenCells(tx: EntityManager, search: ChangeSearch): Promise<Map<string, number[]>> {
  const { workspaceId, columns, older, newer, rows, order, limit } = search;
  const found = await CHANGED[order].run(tx, [
    workspaceId,
    int8Array(columns.map((column) => Number(column.key))),
    int4Array(columns.map((column) => column.after)),
    older,
    newer,
    rows.both.toString(),
    rows.onlyOlder.toString(),
    rows.onlyNewer.toString(),
    limit,
  ]);
  const byColumn = new Map<string, number[]>();
  for (const { columnKey, rowIndex } of found) byColumn.set(columnKey, [...(byColumn.get(columnKey) ?? []), rowIndex]);
  return byColumn;
}

const READ = new Statement<LightRecord>(`
  SELECT a.key AS "columnKey", a.row AS "rowIndex", state.*
    FROM unnest($2::bigint[], $3::int[]) AS a (key, row)
    CROSS JOIN LATERAL (
      SELECT version, ${LIGHT_CONTENT}
        FROM cells
       WHERE workspace_id = $1 AND column_key = a.key AND row_index = a.row AND version <= $4
      UNION ALL
      SELECT version_from, ${LIGHT_CONTENT}
        FROM cell_history
       WHERE workspace_id = $1 AND column_key = a.key AND row_index = a.row AND version_from <= $4 AND version_to > $4
      ) AS state`);

/** Single cells as they were at a version, without large contents. */
export function readCellsAtAddresses(
  tx: EntityManager,
  workspaceId: number,
  addresses: CellAddress[],
  version: number,
): Promise<LightRecord[]> {
  return READ.run(tx, [
    workspaceId,
    int8Array(addresses.map((address) => Number(address.columnKey))),
    int4Array(addresses.map((address) => address.rowIndex)),
    version,
  ]);
}
