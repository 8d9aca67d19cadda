import { isAscii } from '../platform/comparable-text.js';
import { FNV_OFFSET, hashedWith, wordHash } from './word-hash.js';
import { cutWord, LONGEST_WORD, uncutWordsOf } from './words.js';

/** The words of a text, one after the other. */
export interface TextWords {
  hash: number;
  readonly word: string;
  /** Moves to the next word; false when there is none. It starts before the first one. */
  next(): boolean;
  /** Whether this is the given word. */
  is(word: string): boolean;
}

/** The same words that `wordsOf` finds. */
export const textWords = (text: string): TextWords => (isAscii(text) ? new AsciiWords(text) : new OtherWords(text));

const APOSTROPHE = 0x27;

/** By character: its lower-case form in a word; 0 outside of words. */
const FOLDED = Uint8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code).toLowerCase();
  return /\w/.test(character) ? character.charCodeAt(0) : 0;
});

/** Most texts repeat most of their words: in one pass, only the needed ones become strings. */
class AsciiWords implements TextWords {
  hash = 0;
  private start = 0;
  /** The position at which the next word is searched. */
  private at = 0;
  private length = 0;
  /** Whether the text has another spelling. */
  private isFolded = false;

  constructor(private readonly text: string) {}

  next(): boolean {
    const { text } = this;
    while (this.at < text.length && FOLDED[text.charCodeAt(this.at)] === 0) this.at++;
    if (this.at >= text.length) return false;
    this.start = this.at;
    this.read();
    return true;
  }

  get word(): string {
    const written = this.text.slice(this.start, this.at);
    return (this.isFolded ? written.replaceAll("'", '').toLowerCase() : written).slice(0, LONGEST_WORD);
  }

  is(word: string): boolean {
    if (word.length !== this.length) return false;
    for (let at = this.start, read = 0; read < word.length; at++) {
      const folded = FOLDED[this.text.charCodeAt(at)]!;
      if (folded === 0) continue;
      if (folded !== word.charCodeAt(read++)) return false;
    }
    return true;
  }

  private read(): void {
    const { text } = this;
    let hash = FNV_OFFSET;
    let length = 0;
    let at = this.at;
    this.isFolded = false;
    for (; at < text.length; at++) {
      const code = text.charCodeAt(at);
      const folded = FOLDED[code]!;
      if (folded === 0 && code !== APOSTROPHE) break;
      if (folded !== code) this.isFolded = true;
      if (folded === 0) continue;
      if (length === LONGEST_WORD) continue;
      hash = hashedWith(hash, folded);
      length++;
    }
    this.at = at;
    this.length = length;
    this.hash = hash;
  }
}

class OtherWords implements TextWords {
  hash = 0;
  word = '';
  private readonly words: Iterator<string>;

  constructor(text: string) {
    this.words = uncutWordsOf(text).values();
  }

  next(): boolean {
    const { value, done } = this.words.next();
    if (done) return false;
    const word = cutWord(value);
    this.word = word;
    this.hash = wordHash(word);
    return true;
  }

  is(word: string): boolean {
    return word === this.word;
  }
}
