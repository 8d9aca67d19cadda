import type { JsonValue } from '../../platform/json.js';
import type { ColumnSummary, SheetSummary } from '../summaries/read-summary.js';

/** Number of most frequent texts to show of a column. */
const TOP_VALUES = 3;

/** Figures of a column, by title; null for no figure. */
const FIGURES: [title: string, figure: (summary: ColumnSummary, rows: number) => JsonValue][] = [
  ['Column', ({ column }) => column.title],
  ['Type', ({ column }) => column.type],
  ['Rows', (_, rows) => rows],
  ['Empty', ({ statistics }, rows) => rows - (statistics?.filled ?? 0)],
  ['Failed', ({ failed }) => failed],
  ['Stale', ({ stale }) => stale],
  ['Pending', ({ pending }) => pending],
  ['True', ({ statistics }) => statistics?.yes || null],
  ['False', ({ statistics }) => statistics?.no || null],
  ['Pass rate', passRate],
  ['Numbers', ({ statistics }) => statistics?.numbers || null],
  ['Min', ({ statistics }) => statistics?.min ?? null],
  ['Mean', ({ statistics }) => statistics?.mean ?? null],
  ['Max', ({ statistics }) => statistics?.max ?? null],
  ['Sum', ({ statistics }) => statistics?.sum ?? null],
  ['Texts', ({ statistics }) => statistics?.texts || null],
  ['Most frequent texts', topValues],
];

/** A page with a row for each column of a sheet, below titles. */
export function summaryPage({ rows, columns }: SheetSummary): JsonValue[][] {
  return [
    FIGURES.map(([title]) => title),
    ...columns.map((column) => FIGURES.map(([, figure]) => figure(column, rows.count))),
  ];
}

function passRate({ statistics }: ColumnSummary): JsonValue {
  const { yes, no } = statistics ?? { yes: 0, no: 0 };
  return yes + no === 0 ? null : yes / (yes + no);
}

function topValues({ frequent }: ColumnSummary): JsonValue {
  const shown = frequent.slice(0, TOP_VALUES).map(({ value, count }) => `${value} (${count})`);
  return shown.join('\n') || null;
}
