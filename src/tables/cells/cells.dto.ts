import type { CellDetail } from './cell-detail.js';
import { ApiProperty } from '@nestjs/swagger';
import {
  DateTimeField,
  EnumField,
  IntegerField,
  JsonField,
  JsonObjectField,
  ListField,
  TextField,
  UuidField,
} from '../../platform/http/fields.js';
import {
  ROW_INDEX,
  CELL_STATUS,
  CELL_VALUE,
  DISPLAY_VALUE,
  CELL_ERROR,
  INPUT_HASH,
  COMPUTED_VERSION,
} from '../shared/field-descriptions.js';
import { BodyIndexField, SuccessField } from '../../platform/http/common-fields.js';
import { type Detail, ValidationProblem } from '../../platform/errors/problem.js';
import type { JsonObject, JsonValue } from '../../platform/json.js';
import type { CellEdit } from '../../grid/cells/cell-edit.js';
import { CELL_STATUSES, type CellJson, type CellStatus } from '../../grid/cells/cell-json.js';
import type { CellReference } from '../../grid/cells/cell-places.js';
import type { EditOfCell } from '../../grid/cells/edit-cells.js';
import { SheetPath } from '../sheets/sheets.dto.js';
import type { StaleCause } from '../../grid/states/stale-cause.js';

export class CellPath extends SheetPath {
  @UuidField({ query: true, description: 'Id of the cell: every row of `GET …/rows` has one for each column.' })
  cell_id: string;
}

export class FindCellQuery {
  @IntegerField({ query: true, min: 0, max: 2 ** 31 - 1, description: ROW_INDEX, example: 0 })
  row_index: number;

  @TextField({
    query: true,
    minLength: 1,
    maxLength: 255,
    example: 'question',
    description: 'The id or the exact title of the column.',
  })
  column: string;
}

export class CellBody implements CellJson {
  @UuidField({ description: 'Id of the cell. It never changes, and exists before the cell has content.' })
  id: string;

  @UuidField({ description: 'Id of the sheet that the cell belongs to.' })
  sheet_id: string;

  @UuidField({ description: 'Id of the column that the cell stands in.' })
  column_id: string;

  @IntegerField({ description: ROW_INDEX })
  row_index: number;

  @EnumField(CELL_STATUSES, { description: CELL_STATUS })
  status: CellStatus;

  @TextField({ nullable: true, description: DISPLAY_VALUE })
  display_value: string | null;

  @JsonField({ nullable: true, description: CELL_VALUE })
  value: JsonValue;

  @TextField({
    nullable: true,
    description: 'A machine-readable code for the failure; null unless the status is `error`.',
  })
  error: string | null;

  @TextField({ nullable: true, description: CELL_ERROR })
  error_message: string | null;

  @TextField({ nullable: true, description: INPUT_HASH })
  input_hash: string | null;

  @DateTimeField({
    description:
      'When the content of the cell was last stored, in UTC; for a cell that never had any, when its column was created.',
  })
  updated_at: string;

  @JsonObjectField({
    nullable: true,
    description: 'Cost, latency and tokens of the model calls that made the value; null when it took none.',
  })
  request_metrics: JsonObject | null;

  @UuidField({
    nullable: true,
    description: 'Id of the operation that computed the value; null for a value that nobody computed.',
  })
  execution_id: string | null;

  @IntegerField({ nullable: true, description: COMPUTED_VERSION })
  last_computed_version: number | null;
}

export class StaleCauseBody {
  @TextField({ description: 'Type of the change, such as `cell.update` or `column.create`.', example: 'cell.update' })
  type: string;

  @IntegerField({ description: 'Number of the sheet version that made the cell stale.' })
  version: number;

  @UuidField({ description: 'Id of that version of the sheet.' })
  version_id: string;

  @DateTimeField({ description: 'When it happened, in UTC.' })
  at: string;

  @TextField({
    nullable: true,
    description: 'Name of the API key that made the change, or its last four characters; null when the server made it.',
  })
  by: string | null;

  @UuidField({
    optional: true,
    description: 'Id of the changed column; absent when the change is not about one column.',
  })
  column_id?: string;

  @IntegerField({
    optional: true,
    description: 'Index of the changed row; absent when the change is not about one row.',
  })
  row_index?: number;

  @UuidField({ optional: true, description: 'Id of the other sheet that changed; absent when this sheet changed.' })
  source_sheet_id?: string;

  @TextField({ optional: true, description: 'Title of the changed column; absent when it is unknown.' })
  title?: string;

  @TextField({ description: 'The same in a sentence for people.', example: '"Question" was edited in this row.' })
  message: string;
}

export class CellDetailBody extends CellBody {
  @ApiProperty({
    type: () => StaleCauseBody,
    nullable: true,
    description:
      'The change that made the cell stale; null when it is not stale, or when the change is no longer known.',
  })
  stale_cause: StaleCauseBody | null;
}

export class UpdateCellRequest {
  @TextField({
    optional: true,
    nullable: true,
    description: 'The text to show. Without `value` it is the value as well; without it the text is made from `value`.',
    example: 'May I get a refund?',
  })
  display_value?: string | null;

  @JsonField({
    optional: true,
    nullable: true,
    description: 'Any JSON; null clears the cell.',
    example: 'May I get a refund?',
  })
  value?: JsonValue;
}

export class EditCellRequest extends UpdateCellRequest {
  @UuidField({
    optional: true,
    nullable: true,
    description: 'The id of the cell. Leave it out when you give `row_index` and `column`.',
  })
  cell_id?: string | null;

  @BodyIndexField('The row of the cell, given together with `column`.')
  row_index?: number | null;

  @TextField({
    optional: true,
    nullable: true,
    maxLength: 255,
    description: 'The id or the exact title of the column.',
    example: 'output',
  })
  column?: string | null;
}

/** Maximum number of cells in one request. */
const MAX_EDITED = 5000;

export class UpdateCellsRequest {
  @ListField(() => EditCellRequest, {
    minItems: 1,
    maxItems: MAX_EDITED,
    description:
      'The cells to write and their new values. Name each cell once, by `cell_id` or by `row_index` and `column`.',
    example: [{ row_index: 1, column: 'output', value: 'May I get a refund?' }],
  })
  cells: EditCellRequest[];
}

export class CellResponse {
  @SuccessField()
  success: true;

  @ApiProperty({ type: () => CellDetailBody, description: 'The cell, with the reason when it is stale.' })
  cell: CellDetailBody;
}

export class UpdateCellResponse extends CellResponse {
  @IntegerField({ description: 'The version of the sheet afterwards.' })
  version: number;

  @IntegerField({ description: 'How many cells this edit made stale.' })
  stale_count: number;
}

export class UpdateCellsResponse {
  @SuccessField()
  success: true;

  @IntegerField({ description: 'The version of the sheet afterwards.' })
  version: number;

  @IntegerField({ description: 'How many of the cells have changed.' })
  changed_count: number;

  @IntegerField({ description: 'How many cells these edits made stale.' })
  stale_count: number;

  @ApiProperty({ type: () => [CellBody], description: 'The cells that were named, in the order of the request.' })
  cells: CellBody[];
}

export function toCellEdit({ value, display_value: displayValue }: UpdateCellRequest): CellEdit {
  return { value, displayValue };
}

/** Throws a 422 that lists the cells without a position. */
export function toEdits({ cells }: UpdateCellsRequest): EditOfCell[] {
  const references = cells.map(toReference);
  const unnamed = references.flatMap((reference, index) => (reference ? [] : [unnamedCell(index)]));
  if (unnamed.length > 0) throw new ValidationProblem(unnamed);
  return cells.map((cell, index) => ({
    name: `cells[${index}]`,
    cell: references[index]!,
    edit: toCellEdit(cell),
  }));
}

/** null unless the cell is named in exactly one of the two ways. */
function toReference({ cell_id, row_index, column }: EditCellRequest): CellReference | null {
  const [cellId, rowIndex, name] = [cell_id ?? null, row_index ?? null, column ?? null];
  if (cellId !== null) return rowIndex === null && name === null ? { cellId } : null;
  return rowIndex !== null && name !== null ? { rowIndex, column: name } : null;
}

function unnamedCell(index: number): Detail {
  return { loc: ['body', 'cells', index], msg: 'Give either cell_id, or row_index and column', type: 'cell_reference' };
}

export function toCellDetail({ cell, cause }: CellDetail): CellDetailBody {
  return { ...cell, stale_cause: cause && toStaleCause(cause) };
}

function toStaleCause({ version, delta, title, message }: StaleCause): StaleCauseBody {
  const { type, column_id: columnId, row_index: rowIndex, source_sheet_id: sourceSheetId } = delta;
  return {
    type: String(type),
    version: version.number,
    version_id: version.id,
    at: version.createdAt.toISOString(),
    by: version.createdBy,
    ...(typeof columnId === 'string' && { column_id: columnId }),
    ...(typeof rowIndex === 'number' && { row_index: rowIndex }),
    ...(typeof sourceSheetId === 'string' && { source_sheet_id: sourceSheetId }),
    ...(title !== null && { title }),
    message,
  };
}
