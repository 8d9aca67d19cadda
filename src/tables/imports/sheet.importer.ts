import { type EntityManager, IsNull } from 'typeorm';
import { int4Array, int8Array } from '../../platform/database/binary-arrays.js';
import { Statement } from '../../platform/database/statement.js';
import type { JsonObject } from '../../platform/json.js';
import { ColumnTypes } from '../grid/column-type/column-type.js';
import { SheetColumns } from '../grid/columns/sheet-columns.js';
import { RowSet } from '../grid/rows/row-set.js';
import { Sheet } from '../grid/sheet.entity.js';
import type { ImportOperation } from './import-operation.entity.js';
import { type CopyingImporter, ImportFailure, type ImportPlan, ImportsFrom, type ImportTarget } from './importer.js';

/** The request of an operation that copies a sheet. */
export interface SheetImport {
  sheetId: string;
}

/** What the plan keeps: where the values are. */
interface Source {
  columnKeys: string[];
  /** As PostgreSQL writes a multirange. */
  rows: string;
}

/** OFFSET keeps each run of rows one scan of the index, whatever the statistics say. */
const COPY = new Statement(`
  INSERT INTO cells (workspace_id, column_key, row_index, version, value, display_value)
  SELECT $1, k.target, c.row_index + r.shift, $4, c.value, c.display_value
    FROM unnest($2::bigint[], $3::bigint[]) k (source, target), unnest($5::int[], $6::int[], $7::int[]) r (lo, hi, shift),
         LATERAL (SELECT row_index, value, display_value FROM cells
                   WHERE workspace_id = $1 AND column_key = k.source AND row_index >= r.lo AND row_index < r.hi
                  OFFSET 0) c
   WHERE c.value IS NOT NULL`);

/**
 * The rows of another sheet, with the values of its text columns. Rows that were deleted there leave no gap. The other sheet
 * must not change meanwhile: nobody locks two sheets.
 */
@ImportsFrom('sheet')
export class SheetImporter implements CopyingImporter {
  constructor(private readonly types: ColumnTypes) {}

  async plan(tx: EntityManager, { workspaceId, request }: ImportOperation): Promise<ImportPlan> {
    const { sheetId } = request as unknown as SheetImport;
    const sheet = await tx.findOneBy(Sheet, { workspaceId, id: sheetId, deletedAt: IsNull() });
    if (!sheet) throw new ImportFailure('The sheet to copy was deleted.');
    const { inputs } = await SheetColumns.read(tx, this.types, sheet);
    const source: Source = { columnKeys: inputs.map(({ key }) => key), rows: sheet.rows.toString() };
    return {
      titles: inputs.map(({ title }) => title),
      rowCount: sheet.rows.count,
      source: source as unknown as JsonObject,
    };
  }

  async copy(
    tx: EntityManager,
    plan: ImportPlan,
    { workspaceId, version, columnKeys, firstRow }: ImportTarget & { workspaceId: number; version: number },
    step: { from: number; to: number },
  ): Promise<void> {
    const source = plan.source as unknown as Source;
    const runs = runsOf(RowSet.parse(source.rows), step);
    await COPY.run(tx, [
      workspaceId,
      int8Array(source.columnKeys.map(Number)),
      int8Array(columnKeys.map(Number)),
      version,
      int4Array(runs.map(({ from }) => from)),
      int4Array(runs.map(({ to }) => to)),
      int4Array(runs.map(({ from, position }) => firstRow + position - from)),
    ]);
  }
}

/** Rows `from` up to `to` of a set, counted from its first, as ranges of indexes with the position where each begins. */
function runsOf(rows: RowSet, { from, to }: { from: number; to: number }) {
  let next = from;
  return rows.part(from, to - from).ranges.map((range) => {
    const position = next;
    next += range.to - range.from;
    return { ...range, position };
  });
}
