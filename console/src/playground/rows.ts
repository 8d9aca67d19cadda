import type { Case, Draft, Filled } from './draft';

/** Maximum number of rows. A sheet takes more. */
export const MOST_ROWS = 20;

/** The cells of a row by the ids of their columns. */
type Cells = Record<string, { value: unknown }>;

/** Which column a variable has its values from. */
export type Mapping = Record<string, string | null>;

/** The values of a row as texts of a case. */
export function caseOf(cells: Cells, mapping: Mapping): Case {
  const entries = Object.entries(mapping).flatMap(([name, column]) =>
    column === null || column === '' ? [] : [[name, textOf(cells[column]?.value)] as const],
  );
  return Object.fromEntries(entries);
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
}

const isEmpty = (values: Case): boolean => Object.values(values).every((text) => text === '');

/** Adds cases behind those in which something was typed. */
export const withCases = (draft: Draft, cases: Case[], rows: Filled): Draft => ({
  ...draft,
  cases: [...draft.cases.filter((values) => !isEmpty(values)), ...cases],
  rows,
});
