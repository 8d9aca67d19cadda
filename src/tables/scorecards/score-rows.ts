import { hash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { int8Array } from '../../platform/database/binary-arrays.js';
import { Statement } from '../../platform/database/statement.js';
import { readFilledRows, type SourceCell } from '../../grid/cells/cells.queries.js';
import type { CellsOf } from '../../grid/computing/column-inputs.js';
import { RowSet } from '../../grid/shared/row-set.js';
import { ChunkStates } from '../../grid/states/chunk-states.js';
import { pagesOf, type RowPage, type SheetMoment } from '../../scoring/index.js';
import { rowSteps } from './calculation-plan.js';
import {
  type ComparedRow,
  type NewScorecardRow,
  type PastRow,
  readComparedRows,
  readPastRows,
} from './scorecard-rows.queries.js';
import type { ScorecardCalculation } from './scorecard-calculation.entity.js';
import { SKIPPED, StepScorer } from './score-step.js';
import type { StoredStep } from './scorecard-row.entity.js';
import { combine } from './verdicts.js';

/** A snapshot of the sheet to score; the cells are computed. */
export interface ScoredMoment extends SheetMoment {
  calculation: Pick<ScorecardCalculation, 'plan' | 'scope'>;
  /** The calculation whose results are kept for rows outside the scope. */
  previous: ScorecardCalculation | null;
  /** The calculation to compare with. */
  baseline: ScorecardCalculation | null;
}

/** Results of some rows, and those of the same rows in the baseline. */
export interface ScoredPage {
  rows: NewScorecardRow[];
  baseline: Map<number, ComparedRow>;
}

type StepCell = SourceCell & { hash: string | null };

const READ = new Statement<StepCell>(`
  SELECT column_key AS "columnKey", row_index AS "rowIndex", value, error, encode(input_hash, 'hex') AS hash FROM cells
   WHERE workspace_id = $1 AND column_key = ANY($2::bigint[]) AND row_index >= $3 AND row_index < $4`);

/** Limit of the cells of a page, whose results are in memory as well. */
const CELLS_AT_ONCE = 25_000;

/** Rows between pauses, in which leases are renewed and others can run. */
const ROWS_AT_ONCE = 500;

/** Scores all existing rows, page by page: a large sheet is never in memory as a whole. */
export class RowScoring {
  private readonly scorers: StepScorer[];
  private readonly keys: string[];
  private readonly givenKeys: string[];

  constructor(private readonly moment: ScoredMoment) {
    const { columns, calculation } = moment;
    this.scorers = rowSteps(calculation.plan).map((step) => new StepScorer(columns, step));
    this.keys = [...new Set(this.scorers.flatMap(({ keys }) => keys))];
    this.givenKeys = columns.given.map(({ key }) => key);
  }

  async *pages(): AsyncGenerator<ScoredPage> {
    const { tx, sheet, calculation, previous, baseline } = this.moment;
    const stale = await this.readStale();
    for await (const page of pagesOf(tx, sheet, this.pageKeys, CELLS_AT_ONCE)) {
      const range = { from: page.indexes[0]!, to: page.indexes.at(-1)! + 1 };
      const isPartial = calculation.scope !== null && previous !== null;
      const past = isPartial ? await readPastRows(tx, previous, range) : new Map<number, PastRow>();
      const compared = baseline ? await readComparedRows(tx, baseline, range) : new Map<number, ComparedRow>();
      const cells = await this.readPage(page);
      const blank = await this.findBlank(range);
      const rows: NewScorecardRow[] = [];
      for (let start = 0; start < page.indexes.length; start += ROWS_AT_ONCE) {
        await setImmediate();
        const scored = page.indexes.slice(start, start + ROWS_AT_ONCE).map((row) => {
          const facts = { cells, past: past.get(row), isBlank: blank(row), isStale: stale.has(row) };
          return this.scoreRow(row, facts, compared.get(row));
        });
        rows.push(...(await Promise.all(scored)));
      }
      yield { rows, baseline: compared };
    }
  }

  /** Columns that measure pages. There must be one even without steps for rows. */
  private get pageKeys(): string[] {
    return this.keys.length > 0 ? this.keys : this.moment.columns.steps.map(({ key }) => key);
  }

  private async scoreRow(row: number, facts: RowFacts, before: ComparedRow | undefined): Promise<NewScorecardRow> {
    const { plan } = this.moment.calculation;
    const steps = await Promise.all(this.scorers.map((scorer) => this.stepResult(row, scorer, facts)));
    const parts = steps.map(([verdict, score], place) => ({ verdict, score, ...weightOf(this.scorers[place]!) }));
    const isCalculated = this.isInScope(row, null);
    return {
      rowIndex: row,
      ...combine(parts, plan.aggregation),
      previousVerdict: before?.verdict ?? null,
      previousScore: before?.score ?? null,
      isSourceStale: isCalculated ? facts.isStale : (facts.past?.isSourceStale ?? false),
      inputHash: this.hashOf(row, facts.cells),
      steps,
    };
  }

  private async stepResult(row: number, scorer: StepScorer, { cells, past, isBlank }: RowFacts): Promise<StoredStep> {
    if (isBlank) return SKIPPED;
    if (this.isInScope(row, scorer.step.id)) return scorer.result(cells.of, row);
    const { previous } = this.moment;
    const place = previous ? rowSteps(previous.plan).findIndex(({ id }) => id === scorer.step.id) : -1;
    return past?.steps[place] ?? SKIPPED;
  }

  private isInScope(row: number, stepId: string | null): boolean {
    const { scope } = this.moment.calculation;
    if (!scope) return true;
    const hasRow = scope.rows === null || scopedRows(scope.rows).has(row);
    return hasRow && (stepId === null || scope.stepIds === null || scope.stepIds.includes(stepId));
  }

  private hashOf(row: number, cells: PageCells): Buffer | null {
    const hashes = this.scorers.map(({ column }) => cells.hashAt(column.key, row) ?? '');
    return hashes.some((each) => each !== '') ? Buffer.from(hash('sha256', hashes.join(' ')), 'hex') : null;
  }

  private async readPage({ parameters: [workspaceId, , from, to] }: RowPage): Promise<PageCells> {
    const keys = int8Array(this.keys.map(Number));
    return new PageCells(await READ.run(this.moment.tx, [workspaceId, keys, from, to]));
  }

  /** Rows without any written value. */
  private async findBlank(rows: { from: number; to: number }): Promise<(row: number) => boolean> {
    if (this.givenKeys.length === 0) return () => false;
    const { tx, sheet } = this.moment;
    const range = { workspaceId: sheet.workspaceId, columnKeys: this.givenKeys, rows };
    const filled = new Set(await readFilledRows(tx, range));
    return (row) => !filled.has(row);
  }

  /** Rows with a stale cell among those that are scored. */
  private async readStale(): Promise<RowSet> {
    const { tx, sheet } = this.moment;
    const keys = [...new Set(this.scorers.flatMap(({ sourceKeys }) => sourceKeys))];
    const states = await ChunkStates.read(tx, sheet.workspaceId, keys, { from: 0, to: sheet.rows.end });
    return RowSet.union(keys.map((key) => states.stale(key)));
  }
}

/** The data of a row before it is scored. */
interface RowFacts {
  cells: PageCells;
  past: PastRow | undefined;
  isBlank: boolean;
  isStale: boolean;
}

/** The cells of a page by column and row. */
class PageCells {
  private readonly columns = new Map<string, Map<number, StepCell>>();

  constructor(cells: StepCell[]) {
    for (const cell of cells) {
      const column = this.columns.get(cell.columnKey) ?? new Map<number, StepCell>();
      this.columns.set(cell.columnKey, column.set(cell.rowIndex, cell));
    }
  }

  readonly of: CellsOf = (key) => (row) => this.columns.get(key)?.get(row);

  hashAt(key: string, row: number): string | null {
    return this.columns.get(key)?.get(row)?.hash ?? null;
  }
}

const scopes = new WeakMap<number[], Set<number>>();

function scopedRows(rows: number[]): Set<number> {
  const known = scopes.get(rows) ?? new Set(rows);
  scopes.set(rows, known);
  return known;
}

function weightOf({ step }: StepScorer) {
  return { weight: step.weight, required: step.required };
}
