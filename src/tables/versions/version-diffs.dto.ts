import { ApiProperty } from '@nestjs/swagger';
import { EnumField, IntegerField, JsonField, TextField, UuidField } from '../../platform/http/fields.js';
import { COLUMN_ID, ROW_INDEX, CELL_STATUS, DISPLAY_VALUE, CELL_ERROR } from '../shared/field-descriptions.js';
import { SuccessField } from '../../platform/http/common-fields.js';
import { CursorQuery, LimitField, PagePosition } from '../../platform/http/list.js';
import type { JsonValue } from '../../platform/json.js';
import { cellIds } from '../../grid/shared/cell-id.js';
import type { CellBody } from '../cells/cells.dto.js';
import { CELL_STATUSES } from '../../grid/cells/cell-json.js';
import type { SheetColumn } from '../../grid/columns/column.entity.js';
import { ColumnBody, toColumnBody } from '../columns/columns.dto.js';
import type { RowSet } from '../../grid/shared/row-set.js';
import { VersionField } from '../../grid/versions/find-version.js';
import type { PastGrid } from '../../grid/versions/sheet-grid.js';
import { type CellDifference, columnDifferences } from '../../grid/versions/version-diff.js';

export class VersionDiffQuery extends CursorQuery {
  @VersionField({ description: 'Number or id of the version to compare with. Default: the newest.' })
  against?: string;

  @LimitField(100)
  limit?: number;
}

export class ColumnChange {
  @ApiProperty({ type: () => ColumnBody, description: 'The column before the change.' })
  before: ColumnBody;

  @ApiProperty({ type: () => ColumnBody, description: 'The column after it.' })
  after: ColumnBody;
}

export class ColumnsDiff {
  @ApiProperty({ type: () => [ColumnBody], description: 'Columns that only the state after has.' })
  added: ColumnBody[];

  @ApiProperty({ type: () => [ColumnBody], description: 'Columns that only the state before has.' })
  removed: ColumnBody[];

  @ApiProperty({
    type: () => [ColumnChange],
    description: 'Columns whose title, type, config, position or dependencies differ.',
  })
  changed: ColumnChange[];
}

/** Rows from the first to the last, both included. */
export class RowSpan {
  @IntegerField({ description: 'Index of the first row of the span.' })
  first: number;

  @IntegerField({ description: 'Index of the last row of the span, which is included.' })
  last: number;
}

export class RowsDiff {
  @ApiProperty({ type: () => [RowSpan], description: 'Rows that only the state after has, as spans of indexes.' })
  added: RowSpan[];

  @ApiProperty({ type: () => [RowSpan], description: 'Rows that only the state before has, as spans of indexes.' })
  removed: RowSpan[];
}

export class DiffCell {
  @JsonField({ nullable: true, description: 'Any JSON value; null when the cell had none.' })
  value: JsonValue;

  @TextField({ nullable: true, description: DISPLAY_VALUE })
  display_value: string | null;

  @EnumField(CELL_STATUSES, { description: CELL_STATUS })
  status: string;

  @TextField({ nullable: true, description: CELL_ERROR })
  error_message: string | null;
}

export class CellChange {
  @UuidField({ description: 'Id of the cell.' })
  cell_id: string;

  @UuidField({ description: COLUMN_ID })
  column_id: string;

  @IntegerField({ description: ROW_INDEX })
  row_index: number;

  @EnumField(['added', 'removed', 'changed'], {
    description: 'The change of the cell. A cell of a new column or row is `added`.',
  })
  change: 'added' | 'removed' | 'changed';

  @ApiProperty({
    type: () => DiffCell,
    nullable: true,
    description: 'The cell before the change; null for an added cell.',
  })
  before: DiffCell | null;

  @ApiProperty({
    type: () => DiffCell,
    nullable: true,
    description: 'The cell after the change; null for a removed cell.',
  })
  after: DiffCell | null;
}

export class VersionDiffResponse {
  @SuccessField()
  success: true;

  @IntegerField({ description: 'Number of the version in the path, which is the state before.' })
  from_version: number;

  @IntegerField({ description: 'Number of the version to compare with, which is the state after.' })
  to_version: number;

  @ApiProperty({
    type: () => ColumnsDiff,
    required: false,
    description: 'Changes of columns; present only on the first page.',
  })
  columns?: ColumnsDiff;

  @ApiProperty({
    type: () => RowsDiff,
    required: false,
    description: 'Added and removed rows; present only on the first page.',
  })
  rows?: RowsDiff;

  @ApiProperty({
    type: () => [CellChange],
    description:
      'The cells of this page whose value or state differs, ordered by column and row. Cells of added and removed columns and rows are listed unless they are blank.',
  })
  data: CellChange[];

  @ApiProperty({ type: () => PagePosition, description: 'Where this page is in the list of cells.' })
  pagination: PagePosition;

  @IntegerField({ description: 'Number of cells on this page.' })
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
