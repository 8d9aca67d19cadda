import type { DataSource } from 'typeorm';
import { GroupCommit } from '../../../platform/database/group-commit.js';
import { persistently } from '../../../platform/database/persistently.js';
import type { NewCell } from '../cells/cells.queries.js';
import type { ColumnTypes } from '../column-type/column-type.js';
import { RowSet } from '../rows/row-set.js';
import { sizeOf } from './cell-result.js';
import type { MemoEntry } from './memo.queries.js';
import { noResults, storeResults, type StoreOutcome, type WorkResults } from './store-results.js';
import type { ClaimedCells } from './tasks.queries.js';

/** Rows and characters that are stored in one transaction. */
const LIMITS = { rows: 500, bytes: 8_000_000, writers: 1 };

/** What became of one row of a claim. */
export interface RowResult {
  row: number;
  cells: NewCell[];
  memo: MemoEntry | null;
  /** US dollars. */
  cost: number;
  /** True for a row that was not computed because something it reads was stale. */
  unready?: boolean;
}

/** From which state of the sheet the results of a claim were computed. */
export interface ReadState {
  claim: ClaimedCells;
  readVersion: number;
  sourceKeys: string[];
}

/**
 * Stores finished rows as they come, in as few transactions as possible: what has finished while one is written goes into
 * the next. A result that was paid for is not given up because the database is away for a while.
 */
export class ResultStore {
  private readonly columns = new Map<
    string,
    { commits: GroupCommit<[ReadState, RowResult], StoreOutcome>; users: number }
  >();

  /** Rows whose calls have ended and that are not stored yet. Whoever computes them counts them. */
  waiting = 0;

  constructor(
    private readonly db: DataSource,
    private readonly types: ColumnTypes,
  ) {}

  /** Resolves after the commit. */
  async add(state: ReadState, result: RowResult): Promise<StoreOutcome> {
    // What was read at one moment can be stored together.
    const key = `${state.claim.executionId}:${state.claim.columnKey}:${state.readVersion}`;
    const column = this.columns.get(key) ?? { commits: this.start(), users: 0 };
    this.columns.set(key, column);
    column.users++;
    try {
      const bytes = result.cells.reduce((sum, cell) => sum + sizeOf(cell.value), 0);
      return await column.commits.submit([state, result], { rows: 1, bytes });
    } finally {
      if (--column.users === 0) this.columns.delete(key);
    }
  }

  private start(): GroupCommit<[ReadState, RowResult], StoreOutcome> {
    return new GroupCommit(async (items) => {
      const outcome = await this.write(items);
      return items.map(() => ({ status: 'fulfilled', value: outcome }));
    }, LIMITS);
  }

  private async write(items: [ReadState, RowResult][]): Promise<StoreOutcome> {
    const [{ claim, readVersion, sourceKeys }] = items[0]!;
    const results = items.map(([, result]) => result);
    const rows = RowSet.of(results.map(({ row }) => row));
    const together: WorkResults = {
      ...noResults(rows, readVersion),
      sourceKeys,
      cells: results.flatMap(({ cells }) => cells),
      unready: RowSet.of(results.filter(({ unready }) => unready).map(({ row }) => row)),
      memo: results.flatMap(({ memo }) => memo ?? []),
      cost: results.reduce((sum, { cost }) => sum + cost, 0),
    };
    const { workspaceId, sheetId, columnKey, executionId } = claim;
    const claims = [...new Set(items.map(([state]) => state.claim.claim))];
    const work = { workspaceId, sheetId, columnKey, executionId, claims, rows };
    return persistently(() => this.db.transaction((tx) => storeResults(tx, this.types, work, together)));
  }
}
