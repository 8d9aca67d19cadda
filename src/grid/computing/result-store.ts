import { GroupCommit } from '../../platform/database/group-commit.js';
import { persistently } from '../../platform/database/persistently.js';
import { groupBy } from '../../platform/group-by.js';
import type { NewCell } from '../cells/cells.queries.js';
import { RowSet } from '../shared/row-set.js';
import { RUN_OWNERS } from '../shared/sheet-owner.js';
import type { Sheet } from '../shared/sheet.entity.js';
import type { CellClaims } from './cell-claims.js';
import { sizeOf } from './cell-result.js';
import type { ColumnPlan } from './column-plan.js';
import type { MemoEntry } from './memo.queries.js';
import { noResults, type StoreOutcome, type WorkResults } from './store-results.js';
import type { ClaimedCells } from './tasks.queries.js';

/** Cells and characters that are stored in one transaction. */
const LIMITS = { rows: 500, bytes: 8_000_000, writers: 1 };

/** The result of one row of a claim. */
export interface RowResult {
  row: number;
  cells: NewCell[];
  memo: MemoEntry | null;
  /** US dollars. */
  cost: number;
  /** True for a row that was not computed because a source was stale. */
  unready?: boolean;
  /** True for a row whose call was interrupted before its answer. */
  isGivenUp?: boolean;
}

/** A claim whose results are stored, and the version of the sheet that they were computed from. */
export interface StoredClaim {
  claim: ClaimedCells;
  sheet: Sheet;
  /** Rows with a result that was not stored: results computed from it are not stored either. */
  lost: Set<number>;
}

interface Finished {
  of: StoredClaim;
  plan: ColumnPlan;
  result: RowResult;
}

/**
 * Stores finished cells in as few transactions as possible: cells that finish during a transaction go into the next
 * one. A paid result is kept while the database is unavailable for a while.
 */
export class ResultStore {
  private readonly series = new Map<string, { commits: GroupCommit<Finished, StoreOutcome>; users: number }>();

  /** Results that are not stored yet. */
  waiting = 0;

  constructor(private readonly claims: CellClaims) {}

  /** True when the waiting results fill a transaction. */
  get isFull(): boolean {
    return this.waiting >= LIMITS.rows;
  }

  /** Resolves after the commit. */
  async add(of: StoredClaim, plan: ColumnPlan, result: RowResult): Promise<StoreOutcome> {
    const key = keyOf(of, plan);
    const series = this.series.get(key) ?? { commits: this.start(), users: 0 };
    this.series.set(key, series);
    series.users++;
    this.waiting++;
    try {
      const bytes = result.cells.reduce((sum, cell) => sum + sizeOf(cell.value), 0);
      return await series.commits.submit({ of, plan, result }, { rows: 1, bytes });
    } finally {
      this.waiting--;
      if (--series.users === 0) this.series.delete(key);
    }
  }

  private start(): GroupCommit<Finished, StoreOutcome> {
    return new GroupCommit(async (items) => {
      const outcome = await this.write(items);
      for (const { of, result } of items) {
        if (outcome.lost.get(of.claim.claim)?.has(result.row)) of.lost.add(result.row);
      }
      return items.map(() => ({ status: 'fulfilled', value: outcome }));
    }, LIMITS);
  }

  private async write(items: Finished[]): Promise<StoreOutcome> {
    const { workspaceId, sheetId } = items[0]!.of.claim;
    const claims = [...new Set(items.map(({ of }) => of.claim.claim))];
    const rows = RowSet.of(items.map(({ result }) => result.row));
    // Results of one claim and one version of the sheet can be stored together.
    const parts = groupBy(items, ({ of, plan }) => `${of.claim.claim}:${plan.column.key}:${of.sheet.version}`);
    const results = [...parts.values()].map(toResults);
    const work = { workspaceId, sheetId, claims, rows };
    return persistently(() => this.claims.store(work, results));
  }
}

/** Results of different runs are stored together; others only with those of their column and execution. */
function keyOf({ claim, sheet }: StoredClaim, { column }: ColumnPlan): string {
  return RUN_OWNERS.includes(sheet.owner) ? sheet.id : `${claim.executionId}:${column.key}`;
}

function toResults(items: Finished[]): WorkResults {
  const [{ of, plan }] = items as [Finished];
  const results = items.map(({ result }) => result);
  const lost = items.filter((item) => item.of.lost.has(item.result.row));
  const rows = RowSet.of(results.map(({ row }) => row));
  return {
    ...noResults({
      claim: of.claim.claim,
      executionId: of.claim.executionId,
      columnKey: plan.column.key,
      rows,
      readVersion: of.sheet.version,
    }),
    sourceKeys: plan.sourceKeys,
    mayReplace: !RUN_OWNERS.includes(of.sheet.owner),
    cells: results.flatMap(({ cells }) => cells),
    unready: RowSet.of(results.filter(({ unready }) => unready).map(({ row }) => row)),
    lost: RowSet.of(lost.map(({ result }) => result.row)),
    memo: results.flatMap(({ memo }) => memo ?? []),
    cost: results.reduce((sum, { cost }) => sum + cost, 0),
    dearest: dearestOf(results),
  };
}

/** The highest cost of the cells with calls. A cell that failed at no cost does not predict the cost of others. */
function dearestOf(results: RowResult[]): number | null {
  const told = results.filter(({ cost, cells: [cell] }) => cost > 0 || (cell && isComputed(cell)));
  return told.length === 0 ? null : Math.max(...told.map(({ cost }) => cost));
}

const isComputed = ({ error, metrics }: NewCell): boolean => !error && Boolean(metrics) && !metrics?.reused_from;
