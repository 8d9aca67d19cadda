/** Limit of the cache of distinct words: memory stays bounded for any amount of text. */
const REMEMBERED_WORDS = 50_000;
/** Longer words are compared by their beginning. */
const WORD_LENGTH = 64;

/**
 * How well texts fit a query, from 0 to 1. Words are compared by the trigrams they share (shared ones among all of both
 * words), so endings and typing mistakes cost little; every word of the query counts with the word of the text that is
 * most like it, so neither the order nor the length of the text matters.
 */
export class Relevance {
  /** How many trigrams each word of the query has, … */
  private readonly sizes: number[];
  /** … and which words have a trigram: comparing takes no longer with a long query. */
  private readonly wordsWith = new Map<string, number[]>();
  private readonly known = new Map<string, Likeness[]>();

  constructor(query: string) {
    const words = wordsOf(query).map(trigramsOf);
    this.sizes = words.map(({ length }) => length);
    for (const [at, trigrams] of words.entries()) {
      for (const trigram of trigrams) this.wordsWith.set(trigram, [...(this.wordsWith.get(trigram) ?? []), at]);
    }
  }

  of(text: string): number {
    if (this.sizes.length === 0) return 0;
    const best = this.sizes.map(() => 0);
    for (const word of wordsOf(text)) {
      for (const { at, similarity } of this.likenesses(word)) best[at] = Math.max(best[at]!, similarity);
    }
    return best.reduce((sum, similarity) => sum + similarity, 0) / best.length;
  }

  /** Texts share most of their words, so results are kept. */
  private likenesses(word: string): Likeness[] {
    const known = this.known.get(word);
    if (known) return known;
    const likenesses = this.compare(trigramsOf(word));
    if (this.known.size < REMEMBERED_WORDS) this.known.set(word, likenesses);
    return likenesses;
  }

  private compare(trigrams: string[]): Likeness[] {
    const shared = new Map<number, number>();
    for (const trigram of trigrams) {
      for (const at of this.wordsWith.get(trigram) ?? []) shared.set(at, (shared.get(at) ?? 0) + 1);
    }
    return [...shared].map(([at, count]) => ({
      at,
      similarity: count / (this.sizes[at]! + trigrams.length - count),
    }));
  }
}

/** Similarity of a word to the query's word at a position; only if they share a trigram. */
interface Likeness {
  at: number;
  similarity: number;
}

/** The distinct words of a text in lower case. */
function wordsOf(text: string): string[] {
  const words = text.toLowerCase().match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
  return [...new Set(words.map((word) => word.slice(0, WORD_LENGTH)))];
}

/** Each once; padded in front by two and behind by one, so that beginnings weigh more than ends. */
function trigramsOf(word: string): string[] {
  const padded = `  ${word} `;
  return [...new Set(Array.from({ length: padded.length - 2 }, (_, at) => padded.slice(at, at + 3)))];
}
