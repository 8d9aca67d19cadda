import { compareBytes } from './term-table.js';

export interface WordLimits {
  /** Different words of a document that are terms, with positions and in the vocabulary. All further ones are in its lists. */
  asTerms: number;
  /** Words of one list, which is sorted in memory. A document may have several. */
  inList: number;
}

export const WORD_LIMITS: WordLimits = { asTerms: 20_000, inList: 200_000 };

/** PostgreSQL neither compresses a row of this size nor stores its values out of line. */
const BLOCK_BYTES = 1800;
const BETWEEN_WORDS = '\n';

/** Some words of a list, in the order of their bytes, each between two line feeds. */
export interface WordBlock {
  last: string;
  words: string;
}

/** Words of a document that are not terms: in blocks, or in a list of another segment. */
export type WordList = { document: number } & (
  { blocks: readonly WordBlock[] } | { copyOf: { segmentId: string; list: number } }
);

/** The text in a block that contains the word, or a word with this beginning. */
export const soughtInBlock = (word: string, isWhole: boolean): string =>
  BETWEEN_WORDS + word + (isWhole ? BETWEEN_WORDS : '');

/** Collects the words of documents that are not terms, one document after the other. */
export class ListedWords {
  readonly lists: WordList[] = [];
  bytes = 0;
  private words = new Set<string>();

  constructor(private readonly most: number) {}

  add(document: number, word: string): void {
    this.words.add(word);
    if (this.words.size >= this.most) this.endList(document);
  }

  /** True when the document has any. */
  end(document: number): boolean {
    if (this.words.size > 0) this.endList(document);
    return this.lists.at(-1)?.document === document;
  }

  private endList(document: number): void {
    const blocks = blocksOf([...this.words].sort(compareBytes));
    for (const { words } of blocks) this.bytes += words.length;
    this.lists.push({ document, blocks });
    this.words = new Set();
  }
}

function blocksOf(words: readonly string[]): WordBlock[] {
  const blocks: WordBlock[] = [];
  let from = 0;
  let bytes = 0;
  for (const [at, word] of words.entries()) {
    bytes += Buffer.byteLength(word) + 1;
    if (bytes < BLOCK_BYTES && at < words.length - 1) continue;
    const text = words.slice(from, at + 1).join(BETWEEN_WORDS);
    blocks.push({ last: word, words: BETWEEN_WORDS + text + BETWEEN_WORDS });
    from = at + 1;
    bytes = 0;
  }
  return blocks;
}
