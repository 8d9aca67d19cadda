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

  /** For the words of a batch. What is known to be kept already is not gathered, which leaves few. */
  gather(): GatheredWords {
    const today = Math.floor(Date.now() / DAY_MS);
    if (today !== this.today || this.remembered > MOST_REMEMBERED) this.forget(today);
    return new GatheredWords(this.known, today);
  }

  /** On a connection of its own: the words are there for everybody when this returns. */
  async keep(gathered: GatheredWords): Promise<void> {
    const words = gathered.list();
    if (words.length === 0) return;
    await keepWords(this.db.manager, words);
    if (gathered.today === this.today) for (const each of words) this.remember(each);
  }

  private forget(today: number): void {
    this.known = new Map();
    this.remembered = 0;
    this.today = today;
  }

  private remember({ workspaceId, word }: KeptWord): void {
    const known = this.known.get(workspaceId) ?? new Set();
    this.known.set(workspaceId, known);
    // A copy: the word itself would keep the whole text in memory that it was found in.
    known.add(Buffer.from(word).toString());
    this.remembered++;
  }
}

/** Each word of a workspace once, with the last of its days. */
export class GatheredWords {
  private readonly byWorkspace = new Map<number, Map<string, KeptWord>>();

  constructor(
    private readonly known: ReadonlyMap<number, ReadonlySet<string>>,
    readonly today: number,
  ) {}

  add({ workspaceId, words, atMs }: WordsToKeep): void {
    const lastDay = Math.max(this.today, Math.floor(atMs / DAY_MS));
    const known = lastDay === this.today ? this.known.get(workspaceId) : undefined;
    const gathered = this.byWorkspace.get(workspaceId) ?? new Map<string, KeptWord>();
    this.byWorkspace.set(workspaceId, gathered);
    for (const word of words) {
      if (known?.has(word) || (gathered.get(word)?.lastDay ?? 0) >= lastDay) continue;
      gathered.set(word, { workspaceId, word, lastDay });
    }
  }

  list(): KeptWord[] {
    return [...this.byWorkspace.values()].flatMap((gathered) => [...gathered.values()]);
  }
}
