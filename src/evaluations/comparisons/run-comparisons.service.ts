import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { type EntityManager, IsNull, LessThan } from 'typeorm';
import type { Caller } from '../../access/index.js';
import { ReadingPool } from '../../platform/database/reading-pool.js';
import { type ColumnScores, readRowScores } from '../../scoring/index.js';
import { comparePaired, type Comparison } from '../../platform/statistics/comparison.js';
import { type Estimate, estimateScores, type Scale, scaleOfNumbers } from '../../platform/statistics/estimates.js';
import { OwnedColumns, OwnedSheets } from '../../tables/index.js';
import type { Sheet } from '../../grid/shared/sheet.entity.js';
import type { SheetColumn } from '../../grid/columns/column.entity.js';
import type { SheetColumns } from '../../grid/columns/sheet-columns.js';
import { withIds } from '../../grid/columns/with-ids.js';
import { EvaluationErrors } from '../shared/evaluations.errors.js';
import { getReport, placeColumns, scoredColumns } from '../reports/find-reports.js';
import { Report } from '../reports/report.entity.js';
import { READ_AS } from '../scores/report-scorer.js';

export interface ComparedColumn {
  name: string;
  scale: Scale;
  /** True if the two runs scored by different rules. */
  scorerChanged: boolean;
  comparison: Comparison;
  own: Estimate;
  other: Estimate;
}

/** A row with different scores. */
export interface ChangedRow {
  /** Position in the list of rows, from 0. */
  position: number;
  column: string;
  before: number;
  after: number;
}

export interface ComparedRuns {
  run: Report;
  other: Report;
  columns: ComparedColumn[];
  /** Scored columns that the other run does not have. */
  unmatched: string[];
  /** Changed rows, ordered from the largest loss to the largest gain. */
  changed: ChangedRow[];
  /** Total number of changed scores. */
  changes: number;
}

/** The scores of a column in the run that is compared with and in the run itself, row by row. */
interface MatchedColumn {
  name: string;
  scale: Scale;
  scorerChanged: boolean;
  first: (number | null)[];
  second: (number | null)[];
}

interface ScoredRun {
  sheet: Sheet;
  columns: SheetColumn[];
  all: SheetColumns;
}

/** Compares two runs: whether they differ by more than chance, and in which rows. */
@Injectable()
export class RunComparisonsService {
  constructor(
    private readonly reading: ReadingPool,
    private readonly sheets: OwnedSheets,
    private readonly columns: OwnedColumns,
  ) {}

  /**
   * Compares a run with another one, by default with the run before it of the same pipeline. Throws evaluation_not_found,
   * report_score_of_blueprint, report_run_unfinished, report_run_is_first, report_rows_differ and the errors of the reading pool.
   */
  compare(caller: Caller, id: number, asked: { with: number | null; limit: number }): Promise<ComparedRuns> {
    return this.reading.read(async (tx) => {
      const run = await getCompleted(tx, caller, id);
      const other = asked.with === null ? await findBefore(tx, run) : await getCompleted(tx, caller, asked.with);
      if (!other) throw EvaluationErrors.report_run_is_first(id);
      if (other.datasetId !== run.datasetId) throw EvaluationErrors.report_rows_differ();
      return this.compareRows(tx, run, other, asked.limit);
    });
  }

  private async compareRows(tx: EntityManager, run: Report, other: Report, limit: number): Promise<ComparedRuns> {
    const [now, before] = [await this.scored(tx, run), await this.scored(tx, other)];
    const scores = await readRowScores(tx, now.sheet, keysOf(now), READ_AS);
    const otherScores = await readRowScores(tx, before.sheet, keysOf(before), READ_AS);
    const matched = now.columns.flatMap((column): MatchedColumn[] => {
      const { key, title } = column;
      const match = before.columns.find((each) => each.title === title);
      if (!match) return [];
      const [first, second] = [otherScores.get(match.key)!, scores.get(key)!];
      return [
        {
          name: title,
          scale: scaleOf(first, second),
          scorerChanged: !isDeepStrictEqual(scorerOf(now.all, column), scorerOf(before.all, match)),
          first: inOrder(before.sheet, first),
          second: inOrder(now.sheet, second),
        },
      ];
    });
    const columns = matched.map((column) => compareColumn(column, matched.length));
    const unmatched = now.columns
      .map(({ title }) => title)
      .filter((title) => !matched.some(({ name }) => name === title));
    const changed = matched.flatMap(({ name, first, second }) => changesOf(name, first, second));
    changed.sort((a, b) => a.after - a.before - (b.after - b.before) || a.position - b.position);
    return { run, other, columns, unmatched, changed: changed.slice(0, limit), changes: changed.length };
  }

  private async scored(tx: EntityManager, report: Report): Promise<ScoredRun> {
    const sheet = await this.sheets.find(tx, report.workspaceId, report.sheetId);
    if (!sheet) throw EvaluationErrors.evaluation_not_found(report.id);
    const all = await this.columns.read(tx, sheet);
    return { sheet, columns: scoredColumns(await placeColumns(tx, report, all)), all };
  }
}

async function getCompleted(tx: EntityManager, { workspaceId }: Caller, id: number): Promise<Report> {
  const run = await getReport(tx, workspaceId, id);
  if (run.isBlueprint) throw EvaluationErrors.report_score_of_blueprint();
  if (run.status !== 'completed') throw EvaluationErrors.report_run_unfinished(id);
  return run;
}

function findBefore(tx: EntityManager, { workspaceId, parentId, id, datasetId }: Report): Promise<Report | null> {
  return tx.findOne(Report, {
    where: {
      workspaceId,
      parentId: parentId!,
      datasetId,
      status: 'completed',
      id: LessThan(id),
      deletedAt: IsNull(),
    },
    order: { id: 'DESC' },
  });
}

const keysOf = ({ columns }: ScoredRun): string[] => columns.map(({ key }) => key);

/** Scores in the order of the rows; null for rows without one. Runs over the same version of a dataset have the same rows. */
const inOrder = (sheet: Sheet, { byRow }: ColumnScores): (number | null)[] =>
  [...sheet.rows].map((row) => byRow.get(row) ?? null);

/** Chooses one scale for both runs. With different scales their scores could not be compared. */
function scaleOf(first: ColumnScores, second: ColumnScores): Scale {
  const numbers = first.hasNumbers || second.hasNumbers;
  return numbers ? scaleOfNumbers([...first.byRow.values(), ...second.byRow.values()]) : 'share';
}

/** The type, sources and configuration by which a column scores. Sources are titles, because every run has columns of its own. */
function scorerOf(all: SheetColumns, column: SheetColumn) {
  const titles = new Map(all.list.map(({ id, title }) => [id, title]));
  const sources = all
    .edgesOf(column)
    .map(({ sourceId, configKey, configMeta }) => ({ title: titles.get(sourceId), configKey, configMeta }));
  return { type: column.type, config: withIds(column.config, titles), sources };
}

function compareColumn(matched: MatchedColumn, among: number): ComparedColumn {
  const { name, scale, scorerChanged, first, second } = matched;
  const comparison = comparePaired(first, second, { scale, among });
  const [own, other] = [second, first].map((scores) => estimateScores(known(scores), scale));
  return { name, scale, scorerChanged, comparison, own: own!, other: other! };
}

const known = (scores: (number | null)[]): number[] => scores.filter((score) => score !== null);

function changesOf(column: string, first: (number | null)[], second: (number | null)[]): ChangedRow[] {
  return second.flatMap((after, position) => {
    const before = first[position] ?? null;
    return before === null || after === null || before === after ? [] : [{ position, column, before, after }];
  });
}
