import { isSameName } from '../../platform/comparable-text.js';
import type { SheetColumn } from '../../grid/columns/column.entity.js';
import type { SheetColumns } from '../../grid/columns/sheet-columns.js';

/** Columns of one sheet and the matching columns of another. */
export interface CommonColumns {
  titles: string[];
  first: SheetColumn[];
  second: SheetColumn[];
}

/** A sheet at the time of a calculation. */
export interface ScoredColumns {
  columns: SheetColumns;
  /** Columns that the scorecard judges. */
  evaluated: readonly string[];
}

/** Titles of columns for results: clients that evaluate write results as texts, like the inputs. */
const RESULTS = ['output', 'trace', 'trace link', 'total_trace_time', 'total_price'];

/** The input columns of two sheets with the same titles. */
export function commonInputs(first: ScoredColumns, second: ScoredColumns): CommonColumns {
  const [own, others] = [inputsOf(first), inputsOf(second)];
  return common(
    own.flatMap((column) => (isOnly(own, column) ? [column.title] : [])),
    own,
    others,
  );
}

/** The columns with these titles in both sheets. */
export function namedColumns(titles: string[], first: ScoredColumns, second: ScoredColumns): CommonColumns {
  return common(titles, first.columns.ofSheet, second.columns.ofSheet);
}

function common(titles: string[], own: SheetColumn[], others: SheetColumn[]): CommonColumns {
  const found = titles.flatMap((title): [string, SheetColumn, SheetColumn][] => {
    const [mine, theirs] = [own, others].map((columns) => columns.find((column) => isSameName(column.title, title)));
    return mine && theirs && isOnly(others, theirs) ? [[title, mine, theirs]] : [];
  });
  return {
    titles: found.map(([title]) => title),
    first: found.map(([, column]) => column),
    second: found.map(([, , column]) => column),
  };
}

const isOnly = (columns: SheetColumn[], { title }: SheetColumn): boolean =>
  columns.filter((column) => isSameName(column.title, title)).length === 1;

const isResultTitle = ({ title }: SheetColumn): boolean => RESULTS.includes(title.toLowerCase());

/** Whether a scorecard judges a column: one that it names, or else an output of the sheet. */
export function isJudged(column: SheetColumn, evaluated: readonly string[]): boolean {
  if (evaluated.length > 0) return evaluated.includes(column.id);
  return column.isOutputColumn || isResultTitle(column);
}

/**
 * Returns the columns that people, imports and other sheets fill. Traces and answers of people are results, not inputs.
 */
function inputsOf({ columns, evaluated }: ScoredColumns): SheetColumn[] {
  const isResult = (column: SheetColumn) => ['text', 'answer'].includes(columns.rules(column).edits ?? '');
  return columns.given.filter(
    (column) => !column.isOutputColumn && !isResult(column) && !isResultTitle(column) && !evaluated.includes(column.id),
  );
}
