import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { keepWords, readReset } from './vocabulary.queries.js';

const DAY_MS = 86_400_000;
/** Words that are about to be indexed. */
export interface KeptWords {
  workspaceId: number;
  words: string[];
  /** In days since 1970. */
  lastDay: number;
  reset: number;
}

/** Cached words of all workspaces together. */
const MOST_REMEMBERED = 100_000;

/**
 * The words in the texts of workspaces. Indexers of words add them here first and commit: a search that finds no word with a part
 * relies on the index having none.
 */
@Injectable()
export class Vocabulary {
  /** Words that are in the database with the day `today` or a later one, by workspace. */
  private known = new Map<number, Set<string>>();
  /** By workspace, the number of removals when the words were cached. */
  private readonly resets = new Map<number, number>();
  private remembered = 0;
  private today = 0;

  constructor(private readonly db: DataSource) {}

  /**
   * Adds words of a workspace that are about to be indexed; `atMs` is the time from which the retention counts their age. It uses
   * a connection of its own: the words are visible to all when this returns. Call it before locking anything that holders of
   * connections may wait for. Pass its result to `confirm`.
   */
  async keep(workspaceId: number, words: Iterable<string>, atMs: number): Promise<KeptWords> {
    const reset = await readReset(this.db.manager, workspaceId);
    if (this.resets.get(workspaceId) !== reset) this.known.delete(workspaceId);
    this.resets.set(workspaceId, reset);
    const today = Math.floor(Date.now() / DAY_MS);
    if (today !== this.today || this.remembered > MOST_REMEMBERED) this.forget(today);
    const lastDay = Math.max(today, Math.floor(atMs / DAY_MS));
    const known = lastDay === today ? this.known.get(workspaceId) : undefined;
    const all = [...new Set(words)];
    const missing = all.filter((word) => !known?.has(word));
    if (missing.length > 0) {
      await keepWords(this.db.manager, workspaceId, { words: missing, lastDay });
      if (today === this.today) this.remember(workspaceId, missing);
    }
    return { workspaceId, words: all, lastDay, reset };
  }

  /**
   * Call it under the lock of the words' index (`lockIndex`), which removals of words hold. Adds them again, in this transaction,
   * if words were removed since they were added.
   */
  async confirm(tx: EntityManager, { workspaceId, reset, ...kept }: KeptWords): Promise<void> {
    if ((await readReset(tx, workspaceId)) !== reset) await keepWords(tx, workspaceId, kept);
  }

  private forget(today: number): void {
    this.known = new Map();
    this.remembered = 0;
    this.today = today;
  }

  private remember(workspaceId: number, words: string[]): void {
    const known = this.known.get(workspaceId) ?? new Set();
    this.known.set(workspaceId, known);
    // A copy: the word itself would keep its whole text in memory.
    for (const word of words) known.add(Buffer.from(word).toString());
    this.remembered += words.length;
  }
}
