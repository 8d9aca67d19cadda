import type { EntityManager } from 'typeorm';
import {
  APOSTROPHES,
  beginningsOf,
  isLoneWord,
  startsWithHangul,
  type TextQuery,
  type WantedWord,
} from '../../words/index.js';
import { INPUT_TEXT, LAST_USER_MESSAGE, OUTPUT_TEXT } from '../shared/request-text.js';

/** A piece of a text, somewhat longer than its preview. */
export interface TextPiece {
  text: string;
  /** Whether there is text before or after it. */
  hasBefore: boolean;
  hasAfter: boolean;
}

/** Pieces for the preview of a log; null for a missing text. */
export interface LogPieces {
  input: TextPiece | null;
  output: TextPiece | null;
  error: TextPiece | null;
}

/** Characters to read of a text, and of those before a matching word. */
const READ = 400;
const BEFORE_WORD = 50;
/** Only this much of a text is searched for words, which limits the time. */
const SEARCHED = 1_000_000;

interface PieceRow {
  id: string;
  input: string | null;
  input_from: number;
  output: string | null;
  output_from: number;
  error: string | null;
}

const placeIn = (text: string): string =>
  `coalesce(regexp_instr(left(${text}, ${SEARCHED}), $3::text, 1, 1, 0, 'i'), 0)`;
const startFor = (place: string): string => `greatest(1, ${place} - ${BEFORE_WORD})`;
/** One more character than needed shows whether the text continues. */
const piece = (text: string, from: string): string => `substr(${text}, ${from}, ${READ + 1})`;

/**
 * The pieces are cut in the database, so that messages of megabytes never leave it. OFFSET 0 prevents the planner from
 * building a text again for each reference to it.
 */
const READ_PIECES = `
  SELECT log.id::text, ${piece('shown.text', 'shown.from_place')} AS input, shown.from_place AS input_from,
         ${piece('said.answer', startFor('at.answer'))} AS output, ${startFor('at.answer')} AS output_from,
         ${piece("nullif(log.error_message, '')", '1')} AS error
    FROM request_logs AS log,
         LATERAL (SELECT nullif(${LAST_USER_MESSAGE}, '') AS question, ${OUTPUT_TEXT} AS answer OFFSET 0) AS said,
         LATERAL (SELECT ${placeIn('said.question')} AS question, ${placeIn('said.answer')} AS answer OFFSET 0) AS at,
         LATERAL (SELECT CASE WHEN said.question IS NULL OR ($3::text IS NOT NULL AND at.question = 0)
                              THEN ${INPUT_TEXT} END AS conversation OFFSET 0) AS whole,
         LATERAL (SELECT ${placeIn('whole.conversation')} AS conversation OFFSET 0) AS further,
         LATERAL (SELECT CASE WHEN further.conversation > 0 OR said.question IS NULL THEN whole.conversation
                              ELSE said.question END AS text,
                         ${startFor('greatest(at.question, further.conversation)')} AS from_place OFFSET 0) AS shown
   WHERE log.workspace_id = $1 AND log.id = ANY($2::bigint[])`;

/**
 * Pieces of logs for a list, by id: the last message of the user, or the message with a matching word; the answer; the
 * error.
 */
export async function readPieces(
  db: EntityManager,
  workspaceId: number,
  { ids, query }: { ids: readonly string[]; query: TextQuery | null },
): Promise<Map<string, LogPieces>> {
  if (ids.length === 0) return new Map();
  const rows = await db.query<PieceRow[]>(READ_PIECES, [workspaceId, ids, query && patternOf(query.words)]);
  return new Map(
    rows.map(({ id, input, input_from, output, output_from, error }) => [
      id,
      { input: toPiece(input, input_from), output: toPiece(output, output_from), error: toPiece(error, 1) },
    ]),
  );
}

function toPiece(text: string | null, from: number): TextPiece | null {
  if (text === null || text === '') return null;
  const letters = [...text];
  return { text: letters.slice(0, READ).join(''), hasBefore: from > 1, hasAfter: letters.length > READ };
}

/** Longer expressions would be slow to compile for the database. */
const MOST_WORDS = 20;
const MOST_LETTERS = 20;

/**
 * Finds the approximate position of one of the words, in any letter case and with apostrophes inside. A miss, for
 * example with letters of full width, only leads to another piece of the text. Null for queries without words.
 */
function patternOf(words: readonly WantedWord[]): string | null {
  const beginnings = words.flatMap(beginningsOf).slice(0, MOST_WORDS);
  return beginnings.length === 0 ? null : beginnings.map(wordPattern).join('|');
}

function wordPattern(word: string): string {
  const letters = Array.from(word).slice(0, MOST_LETTERS).join(`[${APOSTROPHES}]?`);
  // The database recognises the start of a word by its locale, except for plain letters.
  return /^[a-z0-9_]/.test(word) && !isLoneWord(word) && !startsWithHangul(word) ? `\\m${letters}` : letters;
}
