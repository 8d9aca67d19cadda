import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { keepWords } from './vocabulary.queries.js';

const DAY_MS = 86_400_000;
/** Words that are remembered as kept, of all workspaces together. */
const MOST_REMEMBERED = 100_000;

/**
 * The words that stand in the texts of workspaces. Whoever writes an index of words keeps them here first, and has that
 * committed: a search that finds no word with some part relies on there being none in the index.
 */
@Injectable()
export class Vocabulary {
  /** Words that are in the database with the day `today` or a later one, by workspace. */
  private known = new Map<number, Set<string>>();
  private remembered = 0;
  private today = 0;

  constructor(private readonly db: DataSource) {}

  /**
   * Keeps words of a workspace that are about to be put into an index; `atMs` is from when on the retention counts their age. On a
   * connection of its own: they are there for everybody when this returns.
   */
  async keep(workspaceId: number, words: Iterable<string>, atMs: number): Promise<void> {
    const today = Math.floor(Date.now() / DAY_MS);
    if (today !== this.today || this.remembered > MOST_REMEMBERED) this.forget(today);
    const lastDay = Math.max(today, Math.floor(atMs / DAY_MS));
    const known = lastDay === today ? this.known.get(workspaceId) : undefined;
    const missing = [...new Set(words)].filter((word) => !known?.has(word));
    if (missing.length === 0) return;
    await keepWords(this.db.manager, workspaceId, { words: missing, lastDay });
    if (today === this.today) this.remember(workspaceId, missing);
  }

  private forget(today: number): void {
    this.known = new Map();
    this.remembered = 0;
    this.today = today;
  }

  private remember(workspaceId: number, words: string[]): void {
    const known = this.known.get(workspaceId) ?? new Set();
    this.known.set(workspaceId, known);
    // A copy: the word itself would keep the whole text in memory that it was found in.
    for (const word of words) known.add(Buffer.from(word).toString());
    this.remembered += words.length;
  }
}
