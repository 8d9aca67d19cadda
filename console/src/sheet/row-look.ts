import type { SearchRowsRequest } from '../api/schema.gen';
import { oneLine } from '../ui/format';

/** Tests of a condition on the cells of a column. */
export const TESTS = {
  contains: 'contains',
  excludes: 'does not contain',
  is: 'is',
  is_not: 'is not',
  between: 'is between',
  empty: 'is empty',
  filled: 'is not empty',
  yes: 'is yes',
  no: 'is no',
  failed: 'failed',
  stale: 'is stale',
  waiting: 'is waiting',
} as const;
export type Test = keyof typeof TESTS;

export interface Condition {
  /** The id of the column. */
  column: string;
  test: Test;
  /** A text; the least number of a range, or nothing. */
  value: string;
  /** The greatest number of a range, or nothing. */
  to: string;
}

/** Filters and order of the rows, as the URL has them. */
export interface RowLook {
  /** Rows in which any cell has this state; empty for all. */
  status: string;
  /** Conditions as `writeConditions` writes them. */
  where: string;
  /** The id of the column that sorts; empty for the order of the sheet. */
  sort: string;
  order: string;
}

const TEXT_TESTS: readonly Test[] = ['contains', 'excludes', 'is', 'is_not'];
export const takesText = (test: Test): boolean => TEXT_TESTS.includes(test);

/** Conditions of a URL. Invalid ones are ignored. */
export function readConditions(text: string): Condition[] {
  return given(text).flatMap((item): Condition[] => {
    if (!Array.isArray(item)) return [];
    const [column, test, value = '', to = ''] = item as unknown[];
    const isKnown = typeof test === 'string' && Object.hasOwn(TESTS, test);
    if (typeof column !== 'string' || column === '' || !isKnown) return [];
    const condition = { column, test: test as Test, value: String(value), to: String(to) };
    return isComplete(condition) ? [condition] : [];
  });
}

function given(text: string): unknown[] {
  try {
    const list: unknown = text === '' ? [] : JSON.parse(text);
    return Array.isArray(list) ? list : [];
  } catch {
    return [];
  }
}

export function writeConditions(conditions: Condition[]): string {
  if (conditions.length === 0) return '';
  const lines = conditions.map(({ column, test, value, to }) =>
    to !== '' ? [column, test, value, to] : value !== '' ? [column, test, value] : [column, test],
  );
  return JSON.stringify(lines);
}

/** Whether a condition has the values that its test takes. */
export function isComplete({ test, value, to }: Condition): boolean {
  if (test === 'between') return [value, to].some((each) => each !== '') && [value, to].every(isNumberOrNothing);
  return !takesText(test) || value !== '';
}

const isNumberOrNothing = (text: string): boolean => text.trim() === '' || Number.isFinite(Number(text));

type Filter = NonNullable<SearchRowsRequest['filter']>;
type Leaf = Filter['filters'][number];

/** The filter that the API takes; null when every row is shown. */
export function filterOf({ status, where }: Pick<RowLook, 'status' | 'where'>): Filter | null {
  const ofStatus: Leaf[] = status === '' ? [] : [{ field: 'cell_status', operator: 'is', value: status }];
  const filters = [...ofStatus, ...readConditions(where).flatMap(leavesOf)];
  return filters.length === 0 ? null : { logic: 'AND', filters };
}

function leavesOf({ column, test, value, to }: Condition): Leaf[] {
  if (test === 'between') {
    return [
      ...(value.trim() === '' ? [] : [{ field: column, operator: 'gte', value: Number(value) }]),
      ...(to.trim() === '' ? [] : [{ field: column, operator: 'lte', value: Number(to) }]),
    ] as Leaf[];
  }
  const operator = OF_VALUES[test];
  if (operator !== undefined) return [{ field: column, operator, ...(takesText(test) && { value }) }] as Leaf[];
  return [{ ...OF_CELLS[test], nested_key: column }] as Leaf[];
}

const OF_VALUES: Partial<Record<Test, string>> = {
  contains: 'contains',
  excludes: 'not_contains',
  is: 'is',
  is_not: 'is_not',
  empty: 'is_empty',
  filled: 'is_not_empty',
};

const OF_CELLS: Partial<Record<Test, { field: string; operator: string; value: unknown }>> = {
  yes: { field: 'cell_verdict', operator: 'is', value: 'yes' },
  no: { field: 'cell_verdict', operator: 'is', value: 'no' },
  failed: { field: 'cell_status', operator: 'is', value: 'error' },
  stale: { field: 'cell_status', operator: 'is', value: 'stale' },
  waiting: { field: 'cell_status', operator: 'in', value: ['queued', 'running'] },
};

/** Whether rows are filtered or sorted. */
export const isSelecting = (look: RowLook): boolean => look.sort !== '' || filterOf(look) !== null;

/** Whether a condition filters failures: its column is then scrolled into view. */
export const asksForFailures = ({ test }: Condition): boolean => test === 'failed' || test === 'no';

/** A condition in words, with the title of its column. */
export function describeCondition({ test, value, to }: Condition, title: string): string {
  if (test === 'between' && to.trim() === '') return `${title} is at least ${value}`;
  if (test === 'between' && value.trim() === '') return `${title} is at most ${to}`;
  if (test === 'between') return `${title} is between ${value} and ${to}`;
  return takesText(test) ? `${title} ${TESTS[test]} “${oneLine(value)}”` : `${title} ${TESTS[test]}`;
}
