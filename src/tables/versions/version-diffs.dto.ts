import { ApiProperty } from '@nestjs/swagger';
import { EnumField, IntegerField, JsonField, TextField, UuidField } from '../../platform/http/fields.js';
import { CursorQuery, LimitField, PagePosition } from '../../platform/http/list.js';
import type { JsonValue } from '../../platform/json.js';
import { cellIds } from '../grid/cells/cell-id.js';
import type { CellBody } from '../cells/cells.dto.js';
import { CELL_STATUSES } from '../grid/cells/cell-json.js';
import type { SheetColumn } from '../grid/columns/column.entity.js';
import { ColumnBody, toColumnBody } from '../columns/columns.dto.js';
import type { RowSet } from '../grid/rows/row-set.js';
import { VersionField } from '../grid/versions/find-version.js';
import type { PastGrid } from '../grid/versions/sheet-grid.js';
import { type CellDifference, columnDifferences } from '../grid/versions/version-diff.js';

export class VersionDiffQuery extends CursorQuery {
  @VersionField({ description: 'The number or the id of the version to compare with; by default the newest.' })
  against?: string;

  @LimitField(100)
  limit?: number;
}

export class ColumnChange {
  @ApiProperty({ type: () => ColumnBody })
  before: ColumnBody;

  @ApiProperty({ type: () => ColumnBody })
  after: ColumnBody;
}

export class ColumnsDiff {
  @ApiProperty({ type: () => [ColumnBody] })
  added: ColumnBody[];

  @ApiProperty({ type: () => [ColumnBody] })
  removed: ColumnBody[];

  @ApiProperty({ type: () => [ColumnChange] })
  changed: ColumnChange[];
}

/** Rows from the first to the last, both included. */
export class RowSpan {
  @IntegerField()
  first: number;

  @IntegerField()
  last: number;
}

export class RowsDiff {
  @ApiProperty({ type: () => [RowSpan] })
  added: RowSpan[];

  @ApiProperty({ type: () => [RowSpan] })
  removed: RowSpan[];
}

export class DiffCell {
  @JsonField({ nullable: true })
  value: JsonValue;

  @TextField({ nullable: true })
  display_value: string | null;

  @EnumField(CELL_STATUSES)
  status: string;

  @TextField({ nullable: true })
  error_message: string | null;
}

export class CellChange {
  @UuidField()
  cell_id: string;

  @UuidField()
  column_id: string;

  @IntegerField()
  row_index: number;

  @EnumField(['added', 'removed', 'changed'], { description: 'A cell of a new column or row is added.' })
  change: 'added' | 'removed' | 'changed';

  @ApiProperty({ type: () => DiffCell, nullable: true, description: 'null for an added cell.' })
  before: DiffCell | null;

  @ApiProperty({ type: () => DiffCell, nullable: true, description: 'null for a removed cell.' })
  after: DiffCell | null;
}

export class VersionDiffResponse {
  @ApiProperty({ example: true })
  success: true;

  @IntegerField({ description: 'The version in the path, which is the state before.' })
  from_version: number;

  @IntegerField({ description: 'The version it is compared with, which is the state after.' })
  to_version: number;

  @ApiProperty({ type: () => ColumnsDiff, required: false, description: 'Present only when no cursor is given.' })
  columns?: ColumnsDiff;

  @ApiProperty({ type: () => RowsDiff, required: false, description: 'Present only when no cursor is given.' })
  rows?: RowsDiff;

  @ApiProperty({
    type: () => [CellChange],
    description:
      'Cells whose value or state differs, ordered by column and row. Cells of columns and rows that only one side has are listed when they hold something.',
  })
  data: CellChange[];

  @ApiProperty({ type: () => PagePosition })
  pagination: PagePosition;

  @IntegerField({ description: 'How many cells this page has.' })
  count: number;
}

export function toColumnsDiff(before: PastGrid, after: PastGrid): ColumnsDiff {
  const { onlyOlder, onlyNewer, changed } = columnDifferences(before.columns, after.columns);
  const body = ({ columns }: PastGrid, column: SheetColumn) => toColumnBody(column, columns.edgesOf(column));
  return {
    added: onlyNewer.map((column) => body(after, column)),
    removed: onlyOlder.map((column) => body(before, column)),
    changed: changed.map(({ older, newer }) => ({ before: body(before, older), after: body(after, newer) })),
  };
}

export function toRowsDiff(before: RowSet, after: RowSet): RowsDiff {
  const spans = (rows: RowSet) => rows.ranges.map(({ from, to }) => ({ first: from, last: to - 1 }));
  return { added: spans(after.without(before)), removed: spans(before.without(after)) };
}

/** `isForward`: the older version is the state before. */
export function toCellChange({ columnKey, rowIndex, older, newer }: CellDifference, isForward: boolean): CellChange {
  const [before, after] = isForward ? [older, newer] : [newer, older];
  return {
    cell_id: cellIds(columnKey)(rowIndex),
    column_id: (older ?? newer)!.column_id,
    row_index: rowIndex,
    change: !before ? 'added' : !after ? 'removed' : 'changed',
    before: before && toDiffCell(before),
    after: after && toDiffCell(after),
  };
}

function toDiffCell({ value, display_value, status, error_message }: CellBody): DiffCell {
  return { value, display_value, status, error_message };
}
