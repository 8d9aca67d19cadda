import { isObject, type JsonObject, type JsonValue } from '../platform/json.js';
import { WorkFailure } from '../platform/work/work-kind.js';

/** A failure of a score's calculation. The caller gets the message. */
export class ScoreFailure extends WorkFailure {}

export type MatrixCell = number | string | null | { value: number | string | null; positive_metric?: boolean };

/** The result of the code of a custom score. */
export interface CustomScore {
  score: number;
  subScores: Record<string, number>;
  /** The first or only matrix. */
  matrix: MatrixCell[][] | null;
  /** All matrices, if there are several. */
  matrices?: MatrixCell[][][];
}

/** Parses the result of the code. Throws a ScoreFailure that describes the error. */
export function readCustomScore(returned: JsonValue, mostMatrices = 1): CustomScore {
  if (!isObject(returned)) throw new ScoreFailure('The code has to return an object with a numeric "score".');
  const matrices = readMatrices(returned.score_matrix ?? null, mostMatrices);
  return {
    score: numberIn(returned.score, '"score"'),
    subScores: readSubScores(returned.sub_scores ?? null),
    matrix: matrices[0] ?? null,
    ...(matrices.length > 1 && { matrices }),
  };
}

function numberIn(value: JsonValue | undefined, what: string): number {
  const number = typeof value === 'bigint' ? Number(value) : value;
  if (typeof number === 'number' && Number.isFinite(number)) return number;
  throw new ScoreFailure(`${what} has to be a number.`);
}

function readSubScores(given: JsonValue): Record<string, number> {
  if (given === null) return {};
  if (!isObject(given)) throw new ScoreFailure('"sub_scores" has to be an object of numbers.');
  return Object.fromEntries(
    Object.entries(given).map(([label, value]) => [label, numberIn(value, `The sub-score "${label}"`)]),
  );
}

/** One table, or a list of tables. */
function readMatrices(given: JsonValue, most: number): MatrixCell[][][] {
  if (given === null) return [];
  const tables = Array.isArray(given) && isTable(given[0]) ? given : [given];
  if (tables.length <= most) return tables.map(readMatrix);
  throw new ScoreFailure(`"score_matrix" may hold ${most === 1 ? 'one table' : `${most} tables`} only.`);
}

function readMatrix(rows: JsonValue): MatrixCell[][] {
  if (!isTable(rows)) throw new ScoreFailure('"score_matrix" has to be a list of rows, each of them a list of cells.');
  return rows.map((row, index) => row.map((cell) => readCell(cell, index)));
}

function isTable(value: JsonValue | undefined): value is JsonValue[][] {
  return Array.isArray(value) && value.length > 0 && value.every(Array.isArray);
}

function readCell(cell: JsonValue, row: number): MatrixCell {
  if (isPlain(cell)) return plain(cell);
  const { value, positive_metric: isPositive } = isObject(cell) ? cell : ({} as JsonObject);
  const isCell = value !== undefined && isPlain(value) && ['boolean', 'undefined'].includes(typeof isPositive);
  if (!isCell) {
    throw new ScoreFailure(
      `Row ${row + 1} of "score_matrix" has a cell that is no number, text, null or {value, positive_metric}.`,
    );
  }
  return { value: plain(value), ...(isPositive !== undefined && { positive_metric: isPositive as boolean }) };
}

type PlainCell = number | bigint | string | null;

function isPlain(value: JsonValue): value is PlainCell {
  return value === null || ['number', 'bigint', 'string'].includes(typeof value);
}

function plain(value: PlainCell): number | string | null {
  return typeof value === 'bigint' ? Number(value) : value;
}
