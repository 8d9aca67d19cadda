import { isDeepStrictEqual } from 'node:util';
import type { JsonValue } from '../../platform/json.js';
import { parseConfig } from '../column-type/parse-config.js';
import { asText } from '../column-type/values.js';
import type { SheetColumn } from '../columns/column.entity.js';
import type { SheetColumns } from '../columns/sheet-columns.js';
import { GridErrors } from '../shared/grid.errors.js';

/** The new content of a cell; an absent key follows from the other one. */
export interface CellEdit {
  value?: JsonValue;
  displayValue?: string | null;
}

export interface CellContent {
  value: JsonValue;
  /** Only where it differs from the text of the value. */
  displayValue: string | null;
}

/**
 * Returns the content of a cell after an edit. Throws column_not_editable, cell_text_only or cell_value_refused when
 * people may not write that into cells of the column.
 */
export function editedContent(
  columns: SheetColumns,
  column: SheetColumn,
  edit: CellEdit,
  before: CellContent,
): CellContent {
  const { edits } = columns.rules(column);
  if (edits === null) throw GridErrors.column_not_editable(column.title);
  if (edits === 'value') return contentOf(edit, before);
  if (edits === 'answer') return answerOf(columns, column, edit, before);
  if (edit.value !== undefined) throw GridErrors.cell_text_only(column.title);
  return { ...before, displayValue: edit.displayValue === undefined ? before.displayValue : edit.displayValue };
}

export function isSameContent(a: CellContent, b: CellContent): boolean {
  return isDeepStrictEqual(a, b);
}

function contentOf({ value, displayValue }: CellEdit, before: CellContent): CellContent {
  if (value === undefined && displayValue === undefined) return before;
  if (value === undefined) return { value: displayValue ?? null, displayValue: null };
  const shown = value === null ? null : asText(value);
  const own = displayValue === undefined || displayValue === shown ? null : displayValue;
  return { value, displayValue: own };
}

/** null clears the answer. */
function answerOf(columns: SheetColumns, column: SheetColumn, edit: CellEdit, before: CellContent): CellContent {
  const content = contentOf(edit, before);
  if (content === before || content.value === null) return content;
  const type = columns.type(column);
  const config = parseConfig(type, column.config);
  try {
    const value = type.plugin.accept?.(config, content.value) ?? content.value;
    return { ...content, value };
  } catch (problem) {
    throw GridErrors.cell_value_refused(column.title, (problem as Error).message);
  }
}
