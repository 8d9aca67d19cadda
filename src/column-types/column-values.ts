import { hash } from 'node:crypto';
import {
  addDecimals,
  compareDecimals,
  type Decimal,
  divideDecimals,
  multiplyDecimals,
  toExactNumber,
} from '../platform/decimals.js';
import type { JsonObject, JsonValue } from '../platform/json.js';
import type { AggregatedValue } from '../grid/column-type/column-type.js';
import { asDecimal, asText, canonicalJson } from '../grid/column-type/values.js';
import { unwrapCell } from '../grid/cells/unwrap-cell.js';

export const AGGREGATIONS = ['most_frequent', 'min', 'max', 'mean', 'sum', 'count'] as const;
export type AggregationName = (typeof AGGREGATIONS)[number];

const TOP_VALUES = 10;
/** Characters that are kept of a value. Every different value is kept until the end. */
const SHOWN = 500;

const NOWHERE: AggregatedValue = { value: null, row: null };

interface Occurrence {
  value: JsonValue;
  count: number;
  firstRow: number;
}

interface Extreme {
  value: Decimal;
  row: number;
}

/** The values of a column, which come one by one with the rows that have them. Blank cells do not count. */
export class ColumnValues {
  private readonly occurrences = new Map<string, Occurrence>();
  private count = 0;
  private numbers = 0;
  private sum: Decimal = ZERO;
  private min: Extreme | null = null;
  private max: Extreme | null = null;

  add(value: JsonValue, rows: number[]): void {
    if (rows.length === 0 || asText(value).trim() === '') return;
    const firstRow = rows.reduce((first, row) => Math.min(first, row));
    this.count += rows.length;
    this.addOccurrence(value, rows.length, firstRow);
    const [plain, ...others] = unwrapCell(value);
    const number = others.length > 0 ? null : toNumber(plain);
    if (number !== null) this.addNumber(number, rows.length, firstRow);
  }

  /** null where no cell has a value, or a number where one is needed. */
  result(name: AggregationName): AggregatedValue {
    switch (name) {
      case 'count':
        return { value: this.count, row: null };
      case 'sum':
        return { value: this.numbers === 0 ? null : exactly(this.sum), row: null };
      case 'mean':
        return {
          value: this.numbers === 0 ? null : exactly(divideDecimals(this.sum, wholeOf(this.numbers))),
          row: null,
        };
      case 'min':
        return toResult(this.min);
      case 'max':
        return toResult(this.max);
      case 'most_frequent':
        return this.mostFrequent() ?? NOWHERE;
    }
  }

  /** The most frequent values with their share in percent. */
  top(): JsonObject[] {
    return this.inOrder()
      .slice(0, TOP_VALUES)
      .map(({ value, count }) => ({ value, count, percentage: (count / this.count) * 100 }));
  }

  private mostFrequent(): AggregatedValue | null {
    const [first] = this.inOrder();
    return first ? { value: first.value, row: first.firstRow } : null;
  }

  private addOccurrence(value: JsonValue, count: number, row: number): void {
    const text = canonicalJson(value);
    const key = text.length > SHOWN ? hash('sha256', text) : text;
    const known = this.occurrences.get(key);
    if (known) {
      known.count += count;
      known.firstRow = Math.min(known.firstRow, row);
    } else {
      const shown = text.length > SHOWN ? `${asText(value).slice(0, SHOWN)}…` : value;
      this.occurrences.set(key, { value: shown, count, firstRow: row });
    }
  }

  private addNumber(value: Decimal, count: number, row: number): void {
    this.numbers += count;
    this.sum = addDecimals(this.sum, multiplyDecimals(value, wholeOf(count)));
    const found = { value, row };
    if (!this.min || wins(found, this.min, -1)) this.min = found;
    if (!this.max || wins(found, this.max, 1)) this.max = found;
  }

  private inOrder(): Occurrence[] {
    return [...this.occurrences.values()].sort((a, b) => b.count - a.count || a.firstRow - b.firstRow);
  }
}

/** Booleans count as 1 and 0: the mean is the share of true ones. */
function toNumber(value: JsonValue | undefined): Decimal | null {
  return typeof value === 'boolean' ? wholeOf(Number(value)) : asDecimal(value);
}

const ZERO: Decimal = { units: 0n, scale: 0 };
const wholeOf = (count: number): Decimal => ({ units: BigInt(count), scale: 0 });

/** The first row wins a tie. */
function wins(found: Extreme, other: Extreme, direction: 1 | -1): boolean {
  const order = compareDecimals(found.value, other.value);
  return order === direction || (order === 0 && found.row < other.row);
}

const toResult = (extreme: Extreme | null): AggregatedValue =>
  extreme ? { value: exactly(extreme.value), row: extreme.row } : NOWHERE;

/** Rounds off the noise of adding doubles; null for numbers of thousands of digits. */
function exactly(value: Decimal): JsonValue {
  try {
    return toExactNumber(value);
  } catch {
    return null;
  }
}
