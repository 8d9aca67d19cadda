import type { EntityManager } from 'typeorm';
import type { JsonValue } from '../../platform/json.js';
import { valueOf } from '../../grid/cells/cells.queries.js';
import type { SheetColumns } from '../../grid/columns/sheet-columns.js';
import type { RowSet } from '../../grid/shared/row-set.js';
import type { Sheet } from '../../grid/shared/sheet.entity.js';
import { readCellsAt } from '../../grid/versions/grid-at-version.queries.js';
import { planOf } from '../scorecards/plan-calculation.js';
import { RowScoring } from '../scorecards/score-rows.js';
import type { Scorecard } from '../scorecards/scorecard.entity.js';
import { cellScorer, readRowScores, type ScoreConfig } from '../../scoring/index.js';
import { comparePaired } from '../../platform/statistics/comparison.js';
import { estimateScores, type Scale } from '../../platform/statistics/estimates.js';
import type { CellUse, RegressionStep, RowScores } from './regression.entity.js';
import type { VersionContent } from './version-content.js';

/** Scores by row. Rows without a score are missing. */
export type ScoreByRow = Map<number, number>;

/** Rows that are read with one statement. */
const AT_ONCE = 5_000;

/** The scores of rows whose cells are up to date in a version. */
export async function readStoredScores(
  tx: EntityManager,
  { workspaceId }: Sheet,
  { content, rows, config }: { content: VersionContent; rows: RowSet; config: ScoreConfig },
): Promise<ScoreByRow> {
  const scoreOf = cellScorer(config);
  const columnKeys = content.scored.map(({ key }) => key);
  const means = new RowMeans();
  if (columnKeys.length === 0) return means.result();
  for (let after: number | null = null; ;) {
    const page: number[] = rows.page(after, AT_ONCE, 'asc');
    if (page.length === 0) return means.result();
    after = page.at(-1)!;
    const range = { workspaceId, columnKeys, rows: { from: page[0]!, to: after + 1 } };
    for (const record of await readCellsAt(tx, range, content.sheetVersion)) {
      if (record.error !== null || !rows.has(record.rowIndex)) continue;
      const value: JsonValue = valueOf(record);
      means.add(record.rowIndex, value === null ? null : scoreOf(value));
    }
  }
}

/** The scores of a sheet's rows by some of its columns. */
export async function readColumnScores(
  tx: EntityManager,
  sheet: Sheet,
  columnKeys: string[],
  config: ScoreConfig,
): Promise<ScoreByRow> {
  const means = new RowMeans();
  for (const { byRow } of (await readRowScores(tx, sheet, columnKeys, config)).values()) {
    for (const [row, score] of byRow) means.add(row, score);
  }
  return means.result();
}

/** The scores of a sheet's rows by the steps of a scorecard that exist in it. */
export async function readScorecardScores(
  tx: EntityManager,
  { sheet, columns }: { sheet: Sheet; columns: SheetColumns },
  scorecard: Scorecard,
): Promise<ScoreByRow> {
  // The results are not stored: a whole calculation is made from the content of the sheet.
  const calculation = { plan: planOf(scorecard, columns), scope: null };
  const scoring = new RowScoring({ tx, sheet, columns, calculation, previous: null, baseline: null });
  const scores: ScoreByRow = new Map();
  for await (const page of scoring.pages()) {
    for (const { rowIndex, score } of page.rows) if (score !== null) scores.set(rowIndex, score);
  }
  return scores;
}

/** The mean of several columns in each row. */
class RowMeans {
  private readonly sums = new Map<number, { sum: number; count: number }>();

  add(row: number, score: number | null): void {
    if (score === null) return;
    const { sum, count } = this.sums.get(row) ?? { sum: 0, count: 0 };
    this.sums.set(row, { sum: sum + score, count: count + 1 });
  }

  result(): ScoreByRow {
    return new Map([...this.sums].map(([row, { sum, count }]) => [row, sum / count]));
  }
}

/** Compares the scores of a version with those of the good one. `baseline` is null for the good one itself. */
export function toStep(
  version: number,
  { scores, cells, baseline }: { scores: ScoreByRow; cells: CellUse; baseline: RowScores | null },
): RegressionStep {
  const scale = scaleOf([...scores.values(), ...(baseline?.scores ?? [])]);
  const { value: score, interval, n: scoredRows } = estimateScores([...scores.values()], scale);
  const known = { version, score, interval, scoredRows, cells };
  if (!baseline) return { ...known, outcome: scoredRows > 0 ? 'held' : 'unscored', comparison: null };
  const comparison = comparePaired(...pairsOf(baseline, scores), { scale });
  const hasFallen = comparison.verdict === 'significant' && comparison.difference! < 0;
  return { ...known, outcome: comparison.n === 0 ? 'unscored' : hasFallen ? 'fell' : 'held', comparison };
}

/**
 * Scores between 0 and 1 are verdicts, named by true_values and false_values. A rating of 1 counts as one, too, unless
 * other scores are higher.
 */
function scaleOf(scores: number[]): Scale {
  return scores.every((score) => score >= 0 && score <= 1) ? 'share' : 'number';
}

/** Pairs the scores of two versions by row. Rows that only one of them has count as unpaired. */
function pairsOf({ rows, scores }: RowScores, other: ScoreByRow): [(number | null)[], (number | null)[]] {
  const known = new Set(rows);
  const added = [...other.keys()].filter((row) => !known.has(row));
  const first = [...scores, ...added.map(() => null)];
  return [first, [...rows, ...added].map((row) => other.get(row) ?? null)];
}

export function toRowScores(scores: ScoreByRow): RowScores {
  return { rows: [...scores.keys()], scores: [...scores.values()] };
}
