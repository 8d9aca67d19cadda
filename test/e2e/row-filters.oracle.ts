import type { Cell } from '../support/factories.js';

/** Filters and orders of rows in plain TypeScript, for comparison with what the database finds. */

export interface Row {
  row_index: number;
  /** Values by title of the column. */
  cells: Record<string, Cell>;
}
export interface Leaf {
  field: string;
  operator: string;
  value?: unknown;
  nested_key?: string;
}
export interface Group {
  logic?: 'AND' | 'OR';
  filters: (Leaf | Group)[];
}

export function matches(row: Row, item: Leaf | Group): boolean {
  if (!('filters' in item)) return leafMatches(row, item);
  const results = item.filters.map((each) => matches(row, each));
  return item.logic === 'OR' && results.length > 0 ? results.includes(true) : !results.includes(false);
}

const NEGATED: Record<string, string> = {
  is_not: 'is',
  not_in: 'in',
  not_contains: 'contains',
  neq: 'eq',
  is_empty: 'is_not_empty',
  is_null: 'is_not_null',
};

function leafMatches(row: Row, leaf: Leaf): boolean {
  const positive = NEGATED[leaf.operator];
  if (positive) return !leafMatches(row, { ...leaf, operator: positive });
  const cells = leaf.nested_key === undefined ? Object.values(row.cells) : [row.cells[leaf.nested_key]!];
  if (leaf.field === 'row_index') return valueMatches(row.row_index, leaf);
  if (leaf.field === 'cell_status') return cells.some(({ status }) => textMatches(status, leaf));
  if (leaf.field === 'cell_error') return cells.some((cell) => errorMatches(cell.error_message, leaf));
  return valueMatches(row.cells[leaf.field]!.value, leaf);
}

function errorMatches(message: string | null, leaf: Leaf): boolean {
  if (message === null) return false;
  return leaf.operator === 'is_not_empty' || textMatches(message, leaf);
}

function valueMatches(value: unknown, leaf: Leaf): boolean {
  if (['is_not_empty', 'is_not_null'].includes(leaf.operator)) return value !== null && value !== '';
  if (value === null) return false;
  if (leaf.operator === 'is_true') return ['true', '1', 'yes'].includes(textOf(value).trim().toLowerCase());
  if (leaf.operator === 'is_false') return ['false', '0', 'no'].includes(textOf(value).trim().toLowerCase());
  const number = numberOf(value);
  if (leaf.operator in COMPARISONS) return number !== null && COMPARISONS[leaf.operator]!(number, leaf.value as never);
  return textMatches(textOf(value), leaf);
}

const COMPARISONS: Record<string, (number: number, value: never) => boolean> = {
  eq: (number, value) => number === value,
  gt: (number, value) => number > value,
  gte: (number, value) => number >= value,
  lt: (number, value) => number < value,
  lte: (number, value) => number <= value,
  between: (number, [low, high]: [number, number]) => number >= low && number <= high,
};

function textMatches(text: string, { operator, value }: Leaf): boolean {
  const [found, wanted] = [text, textOf(value)].map((each) => each.normalize('NFKC').toLowerCase()) as [string, string];
  switch (operator) {
    case 'is':
      return text.normalize() === textOf(value).normalize();
    case 'in':
      return (value as unknown[]).some((each) => textOf(each).normalize() === text.normalize());
    case 'contains':
      return found.includes(wanted);
    case 'starts_with':
      return found.startsWith(wanted);
    case 'ends_with':
      return found.endsWith(wanted);
    default:
      throw new Error(`The oracle does not know ${operator}.`);
  }
}

/** Numbers are texts without an exponent, as the database writes them. */
function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value !== 'number' || !String(value).includes('e')) return JSON.stringify(value);
  return Number.isInteger(value) ? String(BigInt(value)) : value.toFixed(7);
}

function numberOf(value: unknown): number | null {
  if (typeof value === 'number') return value;
  if (typeof value !== 'string' || !/^\s*[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?\s*$/i.test(value)) return null;
  return Number.isFinite(Number(value)) ? Number(value) : null;
}

/** Numbers first, then texts, both in the order asked for; blanks last; then by index in the order asked for. */
export function sorted(rows: Row[], title: string, order: 'asc' | 'desc'): Row[] {
  const sign = order === 'asc' ? 1 : -1;
  const keyOf = ({ cells, row_index }: Row) => {
    const value = cells[title]!.value;
    const number = numberOf(value);
    const text = value === null ? '' : textOf(value);
    const rank = number !== null ? 0 : text !== '' ? 1 : order === 'asc' ? 2 : -1;
    const folded =
      number === null
        ? [...text]
            .slice(0, 200)
            .join('')
            .replace(/[A-Z]/g, (letter) => letter.toLowerCase())
        : '';
    return [rank, number ?? 0, Buffer.from(folded).toString('hex'), row_index] as const;
  };
  return rows.toSorted((a, b) => {
    const [left, right] = [keyOf(a), keyOf(b)];
    const at = left.findIndex((part, index) => part !== right[index]);
    return at < 0 ? 0 : (left[at]! < right[at]! ? -1 : 1) * sign;
  });
}
