import { readJson } from '../../platform/read-json.js';
import { fitsJsonLimits } from '../../platform/json-limits.js';
import type { JsonValue } from '../../platform/json.js';
import { safeJson, safeText } from '../../platform/safe-text.js';
import { EvaluationError } from '../../platform/sandbox/expressions/evaluation-error.js';
import type { NewCell } from '../cells/cells.queries.js';
import { CellFailure } from '../column-type/column-type.js';
import { asText } from '../column-type/values.js';

/** Limits of a cell's result: characters of its text or JSON, and nesting depth. */
const MAX_RESULT = 10_000_000;
const RESULT_LIMITS = { depth: 200, containers: 2_000_000 };

/** A cell without a value, before its result is known. */
export function emptyCell(columnKey: string, rowIndex: number): NewCell {
  return { columnKey, rowIndex, value: null, displayValue: null, inputHash: null };
}

export function failCell(cell: NewCell, error: string): NewCell {
  cell.value = null;
  cell.inputHash = null;
  cell.error = safeText(error);
  return cell;
}

/** Computes a cell. An error in a plugin fails this cell, not the job. `type` is the name of its column type. */
export function settleCell(cell: NewCell, type: string, compute: () => unknown): NewCell {
  try {
    cell.value = toStorable(compute());
  } catch (error) {
    failCell(cell, reasonOf(error, type));
  }
  return cell;
}

/** Why a cell has no value, in words for the reader. */
export function reasonOf(error: unknown, type: string): string {
  if (error instanceof CellFailure || error instanceof EvaluationError) return error.message;
  return `${type} could not compute: ${String(error)}`;
}

/** Converts the result of a plugin to the JSON that is read back later. Throws the errors of JSON.stringify. */
export function toStorable(result: unknown): JsonValue {
  if (typeof result === 'boolean' || typeof result === 'bigint' || result === null || Number.isFinite(result)) {
    return result as JsonValue;
  }
  if (typeof result === 'string') return safeText(fitting(result));
  const json = fitting(JSON.stringify(result) ?? 'null');
  if (!fitsJsonLimits(json, RESULT_LIMITS)) throw new CellFailure('The result nests too deeply.');
  return safeJson(readJson(json));
}

function fitting(text: string): string {
  if (text.length > MAX_RESULT) throw new CellFailure(`The result is longer than ${MAX_RESULT} characters.`);
  return text;
}

/** Approximate number of characters of a value in an answer. */
export function sizeOf(value: JsonValue): number {
  if (typeof value === 'string') return value.length;
  return typeof value === 'object' && value !== null ? JSON.stringify(value).length : 8;
}

/** True for values that people would call empty. */
export function isBlank(value: JsonValue | undefined): boolean {
  return value === null || value === undefined || asText(value) === '';
}
