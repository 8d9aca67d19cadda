import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Caller } from '../../../access/index.js';
import { ReadingPool } from '../../../platform/database/reading-pool.js';
import { ColumnTypes } from '../../../grid/column-type/column-type.js';
import type { SheetColumn } from '../../../grid/columns/column.entity.js';
import { SheetColumns } from '../../../grid/columns/sheet-columns.js';
import { readColumnsAt } from '../../../grid/versions/grid-at-version.queries.js';
import { type CompletedCalculation, findInWorkspace } from '../completed-calculation.js';
import { isJudged } from '../input-columns.js';
import { pairRows } from '../pair-calculations.js';
import { CalculationScores } from '../paired-scores.queries.js';
import type { StoredStep } from '../scorecard-row.entity.js';
import { isWanted, type LineFilter } from './line-filter.js';
import type { COLUMN_ROLES } from './side-by-side.dto.js';
import {
  lengthOfEach,
  type RunTotals,
  readShownCells,
  readSteps,
  readTotals,
  type ShownCell,
} from './side-by-side.queries.js';

/** Maximum number of columns to show of a run. */
const MOST_COLUMNS = 50;

export interface AskedLines extends LineFilter {
  /** The first one is the baseline of the others. */
  ids: string[];
  matchBy: string[] | null;
  /** Row of the first run after which the page begins. */
  after: number | null;
  limit: number;
}

/** One of the runs to compare. */
export interface Run extends CompletedCalculation {
  columns: SheetColumn[];
  roleOf: (column: SheetColumn) => (typeof COLUMN_ROLES)[number];
  /** Ids of the columns that an output or a step reads. */
  read: ReadonlySet<string>;
  scores: CalculationScores;
  totals: RunTotals;
  /** Columns that match its rows with those of the first run; empty for rows of one sheet. */
  matchedBy: string[];
  /** Rows that the first run does not have. */
  added: number;
}

/** A row of the first run with the same row of each other run; null where there is none. */
export type Line = (number | null)[];

export interface FoundLines {
  runs: Run[];
  /** Lines of this page, and their contents by run and row. */
  lines: Line[];
  contents: RunContents[];
  total: number;
  hasMore: boolean;
}

export interface RunContents {
  cells: Map<number, ShownCell[]>;
  steps: Map<number, StoredStep[]>;
}

/** Reads the rows of up to six calculations side by side. */
@Injectable()
export class SideBySideService {
  constructor(
    private readonly reading: ReadingPool,
    private readonly types: ColumnTypes,
  ) {}

  /** Throws calculation_not_found, calculation_not_completed and calculations_not_comparable. */
  read({ workspaceId }: Caller, asked: AskedLines): Promise<FoundLines> {
    return this.reading.read(async (tx) => {
      const { runs, lines } = await this.pair(tx, workspaceId, asked);
      const wanted = lines.filter((line) => isWanted(runs, line, asked));
      const rest = asked.after === null ? wanted : wanted.filter(([row]) => row! > asked.after!);
      const page = rest.slice(0, asked.limit);
      const columns = runs.reduce((sum, run) => sum + run.columns.length, 0);
      const length = lengthOfEach(page.length * columns);
      const contents: RunContents[] = [];
      for (const [place, run] of runs.entries()) {
        const rows = page.flatMap((line) => line[place] ?? []);
        contents.push(await readContents(tx, run, { rows, length }));
      }
      return { runs, lines: page, contents, total: wanted.length, hasMore: rest.length > page.length };
    });
  }

  private async pair(tx: EntityManager, workspaceId: number, { ids, matchBy }: AskedLines) {
    const runs: Run[] = [];
    for (const id of ids) runs.push(await this.readRun(tx, await findInWorkspace(tx, workspaceId, id)));
    const [first, ...others] = runs as [Run, ...Run[]];
    const lines = new Map(first.scores.rows.map((row): [number, Line] => [row, [row]]));
    for (const run of others) {
      const pairing = { own: run, other: first, now: run.scores, before: first.scores, matchBy };
      const { pairs, matchedBy } = await pairRows(tx, this.types, pairing);
      for (const [row, partner] of pairs) if (row !== null) lines.get(row)!.push(partner);
      run.matchedBy = matchedBy;
      run.added = pairs.filter(([row]) => row === null).length;
    }
    return { runs, lines: [...lines.values()] };
  }

  private async readRun(tx: EntityManager, found: CompletedCalculation): Promise<Run> {
    const { sheet, calculation, scorecard } = found;
    const all = SheetColumns.of(await readColumnsAt(tx, sheet, calculation.version), this.types);
    const columns = all.shown({ withSystem: false }).slice(0, MOST_COLUMNS);
    const roleOf = (column: SheetColumn) => {
      if (isJudged(column, scorecard.evaluatedColumnIds)) return 'output';
      return all.isComputed(column) ? 'computed' : 'input';
    };
    const computed = all.ofSheet.filter((column) => all.isComputed(column));
    const readers = [...all.steps, ...all.ofSheet.filter((column) => roleOf(column) === 'output')];
    return {
      ...found,
      columns,
      roleOf,
      read: new Set(readers.flatMap((column) => all.edgesOf(column).map(({ sourceId }) => sourceId))),
      scores: await CalculationScores.read(tx, calculation),
      totals: await readTotals(tx, calculation, computed),
      matchedBy: [],
      added: 0,
    };
  }
}

async function readContents(
  tx: EntityManager,
  run: Run,
  { rows, length }: { rows: number[]; length: number },
): Promise<RunContents> {
  const { calculation, columns } = run;
  const cells = new Map<number, ShownCell[]>();
  if (rows.length === 0) return { cells, steps: new Map() };
  for (const cell of await readShownCells(tx, calculation, { columns, rows, length })) {
    cells.set(cell.rowIndex, [...(cells.get(cell.rowIndex) ?? []), cell]);
  }
  return { cells, steps: await readSteps(tx, calculation, rows) };
}
