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
import { type Detail, ValidationProblem } from '../../platform/errors/problem.js';
import type { JsonObject, JsonValue } from '../../platform/json.js';
import type { CellEdit } from '../grid/cells/cell-edit.js';
import { CELL_STATUSES, type CellJson, type CellStatus } from '../grid/cells/cell-json.js';
import type { CellReference } from '../grid/cells/cell-places.js';
import type { EditOfCell } from '../grid/cells/edit-cells.js';
import { SheetPath } from '../sheets/sheets.dto.js';
import type { StaleCause } from '../grid/states/stale-cause.js';

export class CellPath extends SheetPath {
  @UuidField({ query: true })
  cell_id: string;
}

export class FindCellQuery {
  @IntegerField({ query: true, min: 0, max: 2 ** 31 - 1, example: 0 })
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
  @UuidField({ description: 'The address of the cell. It never changes and is known before the cell has content.' })
  id: string;

  @UuidField()
  sheet_id: string;

  @UuidField()
  column_id: string;

  @IntegerField()
  row_index: number;

  @EnumField(CELL_STATUSES, { description: '`stale`: the inputs have changed since the value was computed.' })
  status: CellStatus;

  @TextField({ nullable: true, description: 'The value as text.' })
  display_value: string | null;

  @JsonField({ nullable: true, description: 'Kept while the cell is stale or failed.' })
  value: JsonValue;

  @TextField({ nullable: true, description: 'A code, when the last computation failed.' })
  error: string | null;

  @TextField({ nullable: true, description: 'Why the last computation failed.' })
  error_message: string | null;

  @TextField({ nullable: true, description: 'SHA-256 over everything the value was computed from.' })
  input_hash: string | null;

  @DateTimeField()
  updated_at: string;

  @JsonObjectField({ nullable: true, description: 'Cost and latency of the requests that made the value.' })
  request_metrics: JsonObject | null;

  @UuidField({ nullable: true, description: 'The operation that computed the value.' })
  execution_id: string | null;

  @IntegerField({ nullable: true, description: 'The sheet version in which the value was computed.' })
  last_computed_version: number | null;
}

export class StaleCauseBody {
  @TextField({ description: 'What happened, such as cell.update or column.create.', example: 'cell.update' })
  type: string;

  @IntegerField({ description: 'The sheet version that made the cell stale.' })
  version: number;

  @UuidField()
  version_id: string;

  @DateTimeField()
  at: string;

  @TextField({ nullable: true, description: 'Name of the API key that did it; null for the server itself.' })
  by: string | null;

  @UuidField({ optional: true, description: 'The column it happened to.' })
  column_id?: string;

  @IntegerField({ optional: true, description: 'The row it happened to.' })
  row_index?: number;

  @UuidField({ optional: true, description: 'The other sheet whose change it was.' })
  source_sheet_id?: string;

  @TextField({ optional: true, description: 'The title of that column.' })
  title?: string;

  @TextField({ example: '"Question" was edited in this row.' })
  message: string;
}

export class CellDetailBody extends CellBody {
  @ApiProperty({
    type: () => StaleCauseBody,
    nullable: true,
    description: 'Why the cell is stale; null when it is not.',
  })
  stale_cause: StaleCauseBody | null;
}

export class UpdateCellRequest {
  @TextField({ optional: true, nullable: true, example: 'May I get a refund?' })
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

  @IntegerField({
    optional: true,
    nullable: true,
    min: 0,
    description: 'The row of the cell, given together with `column`.',
  })
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

/** The most cells that one request may write. */
const MAX_EDITED = 5000;

export class UpdateCellsRequest {
  @ListField(() => EditCellRequest, {
    minItems: 1,
    maxItems: MAX_EDITED,
    description:
      'What to write into which cell. Each cell is named by `cell_id`, or by `row_index` and `column`, and only once.',
    example: [{ row_index: 1, column: 'output', value: 'May I get a refund?' }],
  })
  cells: EditCellRequest[];
}

export class CellResponse {
  @ApiProperty({ example: true })
  success: true;

  @ApiProperty({ type: () => CellDetailBody })
  cell: CellDetailBody;
}

export class UpdateCellResponse extends CellResponse {
  @IntegerField({ description: 'The version of the sheet afterwards.' })
  version: number;

  @IntegerField({ description: 'How many cells this edit made stale.' })
  stale_count: number;
}

export class UpdateCellsResponse {
  @ApiProperty({ example: true })
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

/** Throws a 422 that lists the cells of which nobody can tell where they are. */
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

/** null when the cell is named in no way, in half of one or in both. */
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
