import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { type KeptWord, keepWords } from './vocabulary.queries.js';

const DAY_MS = 86_400_000;
/** Words that are remembered as kept, of all workspaces together. */
const MOST_REMEMBERED = 100_000;

/** The words of something that is about to be put into an index of words. */
export interface WordsToKeep {
  workspaceId: number;
  words: Iterable<string>;
  /** From when on the retention counts its age. */
  atMs: number;
}

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

  /** On a connection of its own: the words are there for everybody when this returns. */
  async keep(texts: WordsToKeep[]): Promise<void> {
    const today = Math.floor(Date.now() / DAY_MS);
    if (today !== this.today || this.remembered > MOST_REMEMBERED) this.forget(today);
    const words = this.unknownOf(texts, today);
    if (words.length === 0) return;
    await keepWords(this.db.manager, words);
    if (today === this.today) for (const each of words) this.remember(each);
  }

  private forget(today: number): void {
    this.known = new Map();
    this.remembered = 0;
    this.today = today;
  }

  /** Each once, with the last of its days. */
  private unknownOf(texts: WordsToKeep[], today: number): KeptWord[] {
    const unknown = new Map<number, Map<string, KeptWord>>();
    for (const { workspaceId, words, atMs } of texts) {
      const lastDay = Math.max(today, Math.floor(atMs / DAY_MS));
      const known = lastDay === today ? this.known.get(workspaceId) : undefined;
      const found = unknown.get(workspaceId) ?? new Map<string, KeptWord>();
      unknown.set(workspaceId, found);
      for (const word of words) {
        if (known?.has(word) || (found.get(word)?.lastDay ?? 0) >= lastDay) continue;
        found.set(word, { workspaceId, word, lastDay });
      }
    }
    return [...unknown.values()].flatMap((found) => [...found.values()]);
  }

  private remember({ workspaceId, word }: KeptWord): void {
    const known = this.known.get(workspaceId) ?? new Set();
    this.known.set(workspaceId, known);
    // A copy: the word itself would keep the whole text in memory that it was found in.
    known.add(Buffer.from(word).toString());
    this.remembered++;
  }
}
