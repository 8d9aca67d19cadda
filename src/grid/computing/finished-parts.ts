import { hash } from 'node:crypto';
import type { EntityManager } from 'typeorm';
import { GroupCommit } from '../../platform/database/group-commit.js';
import { persistently } from '../../platform/database/persistently.js';
import type { CellMetrics } from '../column-type/cell-metrics.js';
import { sizeOf, toStorable } from './cell-result.js';
import { type MemoEntry, recallResults, type RememberedResult, rememberResults } from './memo.queries.js';

/** The database, and for how many days it keeps results. */
export interface Memo {
  db: EntityManager;
  days: number;
}

/** Parts and characters that are stored in one transaction. */
const LIMITS = { rows: 100, bytes: 8_000_000, writers: 1 };

/**
 * The finished parts of one cell, for the worker that continues after another one died. They belong to the operation:
 * another one computes everything again. They expire like other stored results, after CELL_MEMO_DAYS.
 */
export class FinishedParts {
  /** True after a part was computed again. Stored parts after it depend on its earlier result, so they are ignored. */
  private isAtEnd = false;
  private readonly kept: Promise<unknown>[] = [];
  private readonly commits: GroupCommit<MemoEntry, undefined>;

  constructor(
    private readonly memo: Memo,
    private readonly workspaceId: number,
    /** Identifies the cell with its operation and its inputs. */
    private readonly cell: string[],
  ) {
    this.commits = new GroupCommit(async (entries) => {
      await persistently(() => rememberResults(memo.db, workspaceId, entries));
      return entries.map(() => ({ status: 'fulfilled', value: undefined }));
    }, LIMITS);
  }

  /**
   * Returns the stored part that follows the previous one; undefined if there is none. Its inner parts may be stored
   * then.
   */
  async next(name: string): Promise<RememberedResult | undefined> {
    if (this.isAtEnd) return undefined;
    const { db, days } = this.memo;
    const key = this.keyOf(name);
    return (await persistently(() => recallResults(db, this.workspaceId, [key], { days }))).get(key);
  }

  /** Stores a part. Nobody has to wait for it: calls of models take longer. */
  keep(name: string, value: unknown, metrics: Promise<CellMetrics>): Promise<unknown> {
    this.isAtEnd = true;
    const kept = metrics.then((took) => {
      const entry = { key: this.keyOf(name), value: toStorable(value), metrics: took };
      return this.commits.submit(entry, { rows: 1, bytes: sizeOf(entry.value) });
    });
    this.kept.push(kept);
    return kept;
  }

  /** Resolves when everything is stored or has failed. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.kept);
  }

  private keyOf(name: string): string {
    return hash('sha256', JSON.stringify([...this.cell, name]));
  }
}
