/** A part of a word: its end, or wherever it stands. */
export interface PartOfWord {
  part: string;
  isEnd: boolean;
}
