import { type JsonObject, type JsonValue, setOwn } from '../platform/json.js';
import { MAX_CODE_DATA } from '../platform/sandbox/limits.js';
import { uniqueNames } from '../grid/column-type/unique-names.js';
import type { SheetColumn } from '../grid/columns/column.entity.js';
import type { SheetMoment } from './calculate-score.js';
import { ScoreFailure } from './custom-score.js';
import { readValuePages } from './score-cells.queries.js';
import { unwrapped } from '../grid/computing/column-inputs.js';

/** Returns the part of a cell's value that code gets. Default: all of it. */
export type ShownValue = (column: SheetColumn, value: JsonValue) => JsonValue;

/**
 * The rows for the code of a custom score: the values by the titles of the columns. Without named columns, these are
 * the columns that people see. Cells that are empty or failed are null.
 */
export async function readCodeRows(
  { tx, sheet, columns }: SheetMoment,
  named: SheetColumn[] | null,
  signal: AbortSignal,
  show: ShownValue = (_, value) => value,
): Promise<JsonObject[]> {
  const list = named ?? columns.shown({ withSystem: false });
  const names = uniqueNames(list.map(({ title }) => title));
  const blank = Object.fromEntries(names.map((name) => [name, null]));
  const places = new Map(list.map((column, place) => [column.key, { column, name: names[place]! }]));
  const keys = list.map(({ key }) => key);
  const rows: JsonObject[] = [];
  let size = 0;
  for await (const { indexes, cells } of readValuePages(tx, sheet, keys)) {
    signal.throwIfAborted();
    const page = new Map(indexes.map((row) => [row, { ...blank }]));
    size += indexes.length * JSON.stringify(blank).length;
    for (const { columnKey, rowIndex, value } of cells) {
      size += JSON.stringify(value).length;
      const { column, name } = places.get(columnKey)!;
      setOwn(page.get(rowIndex)! as Record<string, JsonValue>, name, show(column, unwrapped(value)));
    }
    if (size > MAX_CODE_DATA) throw new ScoreFailure(TOO_LARGE);
    rows.push(...page.values());
  }
  return rows;
}

const TOO_LARGE = `The rows are larger than the ${MAX_CODE_DATA >> 20} MiB that code can get. Name only the columns that it reads, in column_ids.`;
