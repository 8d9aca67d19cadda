import { readJson } from '../../platform/read-json.js';
import { asText } from '../column-type/values.js';
import type { SheetColumn } from '../columns/column.entity.js';
import type { Sheet } from '../shared/sheet.entity.js';
import { cellIds } from '../shared/cell-id.js';
import type { CellStatus } from './cell-json.js';
import type { CellRecord } from './cells.queries.js';

/** Fields of a cell for readers, besides the stored content. */
export interface CellState {
  status: CellStatus;
  /** In ISO 8601. */
  updatedAt: string;
  lastComputedVersion: number | null;
}

const BLANK = '"display_value":null,"value":null,"error":null,"error_message":null,"input_hash":null';

/**
 * Writes the cells of a column as the JSON text of a `CellJson`. A page has thousands of them, so texts are joined
 * without parsing values or creating objects.
 */
export class CellWriter {
  private readonly id: (rowIndex: number) => string;
  private readonly place: string;

  constructor(sheet: Pick<Sheet, 'id'>, column: SheetColumn) {
    this.id = cellIds(column.key);
    this.place = `"sheet_id":"${sheet.id}","column_id":"${column.id}"`;
  }

  write(
    rowIndex: number,
    record: CellRecord | undefined,
    { status, updatedAt, lastComputedVersion }: CellState,
  ): string {
    return (
      `{"id":"${this.id(rowIndex)}",${this.place},"row_index":${rowIndex},"status":"${status}",` +
      `${record ? content(record) : BLANK},"updated_at":"${updatedAt}","request_metrics":${record?.metrics ?? null},` +
      `"execution_id":${quoted(record?.executionId)},"last_computed_version":${lastComputedVersion}}`
    );
  }
}

function content({ value, displayValue, error, inputHash }: CellRecord): string {
  const failure =
    error === null
      ? '"error":null,"error_message":null'
      : `"error":"computation_failed","error_message":${JSON.stringify(error)}`;
  const display = displayValue === null ? displayOf(value) : JSON.stringify(displayValue);
  return `"display_value":${display},"value":${value},${failure},"input_hash":${quoted(inputHash)}`;
}

/** The text of a value, given as JSON. A string is its own text. */
function displayOf(value: string | null): string | null {
  if (value === null || value === 'null' || value.startsWith('"')) return value;
  return JSON.stringify(asText(readJson(value)));
}

/** For texts without anything to escape. */
function quoted(text: string | null | undefined): string {
  return text === null || text === undefined ? 'null' : `"${text}"`;
}
