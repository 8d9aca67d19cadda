/**
 * Regular expressions for the boundaries of an id in a text. They have the same meaning in PostgreSQL and JavaScript. Classes of
 * characters are written out, because letters in PostgreSQL depend on the locale of the database.
 */

/** Letters of these stand next to each other without spaces, or are put after a name: a name ends before them. */
const UNSPACED = /[\p{scx=Thai}\p{scx=Lao}\p{scx=Tibetan}\p{scx=Myanmar}\p{scx=Khmer}\p{scx=Hangul}]/u;
const LETTER = /[\p{L}\p{M}\p{N}]/u;
/** All alphabets that have spaces between words lie below. */
const END_OF_ALPHABETS = 0x2000;

/** Belongs to an id wherever it stands. */
const WORD = `0-9A-Za-z_${lettersBeyondAscii()}`;
/** Characters that join two parts of an id: `anna@example.com`, `user-47.11`. At the end they belong to the sentence. */
const JOINT = '.@+\\-';

const OUTSIDE = `[^${WORD}${JOINT}]`;
const NO_WORD = `[^${WORD}]`;
/** The end of a character that is escaped in JSON or in an address: its last letter belongs to no word. */
const ESCAPED = String.raw`\\[bfnrt]|\\u[0-9A-Fa-f]{4}|%[0-9A-Fa-f]{2}`;

export const BEFORE_KEY = `(?:^|${NO_WORD}|${ESCAPED})`;
export const BEFORE_ID = `(?:^|${OUTSIDE}|${ESCAPED}|${BEFORE_KEY}[${JOINT}])`;
export const AFTER_ID = `(?:$|${OUTSIDE}|[${JOINT}](?:$|${NO_WORD}))`;

function lettersBeyondAscii(): string {
  let ranges = '';
  for (let from = 0x80; from < END_OF_ALPHABETS; from++) {
    let to = from;
    while (to < END_OF_ALPHABETS && isLetter(to)) to++;
    if (to === from) continue;
    ranges += `${String.fromCharCode(from)}-${String.fromCharCode(to - 1)}`;
    from = to;
  }
  return ranges;
}

function isLetter(code: number): boolean {
  const character = String.fromCharCode(code);
  return LETTER.test(character) && !UNSPACED.test(character);
}
