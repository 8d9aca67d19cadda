import { isAmong, type TextQuery, wordsAsWritten, wordsOf } from '../../words/index.js';
import type { LogPieces, TextPiece } from './previews.queries.js';

/** A range of a text in characters (Unicode code points); `end` is exclusive. */
export interface Mark {
  start: number;
  end: number;
}

export interface TextPreview {
  text: string;
  /** The words that were searched, in their order; they never overlap. */
  marks: Mark[];
}

export interface LogPreview {
  input: TextPreview | null;
  output: TextPreview | null;
  error: TextPreview | null;
}

/** Characters of a preview, including the ellipses. */
export const LONGEST_PREVIEW = 200;
const LEFT_OUT = '…';
/** A word that was cut at the beginning of a piece is dropped when it ends within this number of characters. */
const LONGEST_REST = 20;

export function previewOf({ input, output, error }: LogPieces, query: TextQuery | null): LogPreview {
  return { input: shorten(input, query), output: shorten(output, query), error: shorten(error, null) };
}

/** A piece in one line. */
export function shorten(piece: TextPiece | null, query: TextQuery | null): TextPreview | null {
  if (!piece) return null;
  const { hasBefore } = piece;
  const line = piece.text.replace(/\s+/gu, ' ');
  const whole = hasBefore ? withoutRest(line) : line.trimStart();
  const letters = [...(hasBefore ? LEFT_OUT : ''), ...whole.trimEnd()];
  const isCut = piece.hasAfter || letters.length > LONGEST_PREVIEW;
  const text = isCut ? [...letters.slice(0, LONGEST_PREVIEW - 1), LEFT_OUT].join('') : letters.join('');
  if (text === '') return null;
  return { text, marks: query ? marksIn(text, query) : [] };
}

function withoutRest(line: string): string {
  const end = line.indexOf(' ');
  return end >= 0 && end <= LONGEST_REST ? line.slice(end + 1) : line;
}

function marksIn(text: string, { words }: TextQuery): Mark[] {
  const marks: Mark[] = [];
  let [at, letters] = [0, 0];
  for (const { written, index } of wordsAsWritten(text)) {
    const folded = new Set(wordsOf(written));
    if (!words.some((word) => isAmong(word, folded))) continue;
    letters += lengthOf(text.slice(at, index));
    at = index;
    const mark = { start: letters, end: letters + lengthOf(written) };
    const last = marks.at(-1);
    // Scripts that do not set words apart count by the character.
    if (last?.end === mark.start) last.end = mark.end;
    else marks.push(mark);
  }
  return marks;
}

const lengthOf = (text: string): number => [...text].length;
