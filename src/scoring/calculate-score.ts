import type { EntityManager } from 'typeorm';
import type { SheetColumn } from '../grid/columns/column.entity.js';
import type { SheetColumns } from '../grid/columns/sheet-columns.js';
import type { Sheet } from '../grid/shared/sheet.entity.js';
import { BooleanRules, ColumnTally } from './column-score.js';
import { defaultCandidates, verdictColumns } from './score-columns.js';
import { readValueGroups } from './score-cells.queries.js';
import type { ColumnScoringType, ScoreConfig } from './score-config.js';
import { combineColumns, type ScoreResult, unscored } from './score-result.js';

/** A snapshot of a sheet: the transaction sees no later changes. */
export interface SheetMoment {
  tx: EntityManager;
  sheet: Sheet;
  columns: SheetColumns;
}

/** Rules for reading cells. */
export interface ColumnScoring {
  type: ColumnScoringType;
  config: ScoreConfig;
  /** Strict: a column with a cell that cannot be scored has no score. */
  isStrict?: boolean;
}

/** The scores of some columns, from one pass over their cells. An abort takes effect after the current page. */
export async function scoreColumns(
  { tx, sheet }: SheetMoment,
  list: SheetColumn[],
  scoring: ColumnScoring,
  signal?: AbortSignal,
): Promise<ScoreResult> {
  const tallies = list.map(() => newTally(scoring));
  const places = new Map(list.map((column, place) => [column.key, place]));
  const groups = new RowGroups();
  const keys = list.map(({ key }) => key);
  for await (const page of readValueGroups(tx, sheet, keys)) {
    signal?.throwIfAborted();
    for (const { columnKey, value, rows } of page) {
      const place = places.get(columnKey)!;
      if (tallies[place]!.add(value, rows.length)) groups.add(rows, place);
    }
    groups.endPage();
  }
  const columns = list.map(({ id, title }, place) => ({ id, title, ...tallies[place]!.result() }));
  const scored = groups.countWith((place) => columns[place]!.resolved !== null);
  return combineColumns(columns, { total: sheet.rows.count, scored });
}

/**
 * The score of the columns with verdicts. Without any, that of the last computed column whose cells are all of one
 * kind.
 */
export async function scoreDefault(
  moment: SheetMoment,
  scoring: ColumnScoring,
  signal?: AbortSignal,
): Promise<ScoreResult> {
  const verdicts = verdictColumns(moment.columns);
  if (verdicts.length > 0) return scoreColumns(moment, verdicts, scoring, signal);
  for (const column of defaultCandidates(moment.columns)) {
    if (await readsAsOneKind(moment, column, scoring)) return scoreColumns(moment, [column], scoring, signal);
  }
  return unscored(moment.sheet.rows.count);
}

async function readsAsOneKind({ tx, sheet }: SheetMoment, column: SheetColumn, scoring: ColumnScoring) {
  const tally = newTally(scoring);
  for await (const page of readValueGroups(tx, sheet, [column.key])) {
    for (const { value, rows } of page) {
      tally.add(value, rows.length);
      if (tally.hasOther) return false;
    }
  }
  return tally.result().score !== null;
}

function newTally({ type, config, isStrict }: ColumnScoring): ColumnTally {
  const { true_values: trueValues, false_values: falseValues, assertion_aggregation: aggregation } = config;
  return new ColumnTally(type, new BooleanRules({ trueValues, falseValues, aggregation }), isStrict);
}

/**
 * Counts rows by the set of columns that count in them. It is known only at the end which columns have a score, and
 * storing that per row would take memory that grows with the sheet.
 */
class RowGroups {
  private readonly counts = new Map<string, number>();
  private page = new Map<number, string>();

  add(rows: number[], place: number): void {
    const mark = String.fromCharCode(place);
    for (const row of rows) this.page.set(row, (this.page.get(row) ?? '') + mark);
  }

  endPage(): void {
    for (const places of this.page.values()) this.counts.set(places, (this.counts.get(places) ?? 0) + 1);
    this.page = new Map();
  }

  /** Rows in which at least one of the given columns counts. */
  countWith(isWanted: (place: number) => boolean): number {
    let count = 0;
    for (const [places, rows] of this.counts) {
      if ([...places].some((place) => isWanted(place.charCodeAt(0)))) count += rows;
    }
    return count;
  }
}
