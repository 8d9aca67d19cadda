import { hash } from 'node:crypto';
import type { EntityManager } from 'typeorm';
import { GroupCommit } from '../../platform/database/group-commit.js';
import { persistently } from '../../platform/database/persistently.js';
import type { CellMetrics } from '../cells/cell-metrics.js';
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
 * What is finished of one cell, for whoever goes on with it when its worker has died. It belongs to the operation: another one
 * computes everything anew. It goes with the other results that are kept, after CELL_MEMO_DAYS.
 */
export class FinishedParts {
  /** A part was made anew. Whatever is kept of those after it was made with another one. */
  private isAtEnd = false;
  private readonly kept: Promise<unknown>[] = [];
  private readonly commits: GroupCommit<MemoEntry, undefined>;

  constructor(
    private readonly memo: Memo,
    private readonly workspaceId: number,
    /** Everything that tells the cell, its operation and its inputs apart from all others. */
    private readonly cell: string[],
  ) {
    this.commits = new GroupCommit(async (entries) => {
      await persistently(() => rememberResults(memo.db, workspaceId, entries));
      return entries.map(() => ({ status: 'fulfilled', value: undefined }));
    }, LIMITS);
  }

  /**
   * The part that was finished after the one that was asked for before; undefined when it was not. Then the parts that it consists of
   * may be there.
   */
  async next(name: string): Promise<RememberedResult | undefined> {
    if (this.isAtEnd) return undefined;
    const { db, days } = this.memo;
    const key = this.keyOf(name);
    return (await persistently(() => recallResults(db, this.workspaceId, [key], { days }))).get(key);
  }

  /** Nobody has to wait for it: calls of models take longer. */
  keep(name: string, value: unknown, metrics: Promise<CellMetrics>): Promise<unknown> {
    this.isAtEnd = true;
    const kept = metrics.then((took) => {
      const entry = { key: this.keyOf(name), value: toStorable(value), metrics: took };
      return this.commits.submit(entry, { rows: 1, bytes: sizeOf(entry.value) });
    });
    this.kept.push(kept);
    return kept;
  }

  /** Resolves when everything is stored or given up. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.kept);
  }

  private keyOf(name: string): string {
    return hash('sha256', JSON.stringify([...this.cell, name]));
  }
}
