import type { PersonInText } from '../platform/database/erase-rows.js';
import { safeText } from '../platform/safe-text.js';
import { AFTER_ID, BEFORE_ID, BEFORE_KEY } from './id-boundaries.js';

export const SUBJECT_TYPES = ['user_id', 'session_id', 'metadata'] as const;
export type SubjectType = (typeof SUBJECT_TYPES)[number];

/** Whose data are meant: all of a user, all of a session, or all that has a pair in its metadata. */
export interface Subject {
  type: SubjectType;
  key: string;
  value: string;
}

/** The key of the metadata in which search finds it: where senders say it in other words, those are read as these. */
const METADATA_KEYS = { user_id: 'user_id', session_id: 'conversation_id' } as const;

/** What else the key is called in the JSON that is copied into cells, events and answers. */
const SPELLINGS: Record<Exclude<SubjectType, 'metadata'>, readonly string[]> = {
  user_id: ['user_id', 'userId', 'user.id', 'enduser.id', 'langfuse.user.id', 'metadata.user_id'],
  session_id: ['session_id', 'sessionId', 'session.id', 'conversation_id', 'gen_ai.conversation.id', 'thread_id'],
};

/** An id that is shorter may mean anything else as well: it counts only where its key stands beside it. */
const TELLING_LENGTH = 8;
/** From here on a character says as much as two letters: Chinese, Japanese, Korean, and symbols. */
const FIRST_WIDE = '\u2e80';
/** How often JSON may stand inside of JSON. */
const NESTED = 4;

export function subjectOf(type: SubjectType, value: string, key?: string): Subject {
  return { type, value, key: type === 'metadata' ? key! : METADATA_KEYS[type] };
}

/**
 * How a person is found in any text: an id that is long enough as a whole word, a short one and a pair of metadata where the key stands
 * before the value (`user_id=7`, `"user_id": "7"`).
 */
export function personInText({ type, key, value }: Subject): PersonInText {
  const texts = spellingsIn(value);
  const id = anyOf(texts);
  const isTelling = type !== 'metadata' && lengthOf(value) >= TELLING_LENGTH;
  if (isTelling) return [`(${BEFORE_ID})${id}(?=${AFTER_ID})`, ...texts];
  const keys = anyOf((type === 'metadata' ? [key] : SPELLINGS[type]).flatMap(spellingsIn));
  const quote = String.raw`\\*["']`;
  const between = String.raw`[ \t]*[:=][ \t]*`;
  const quoted = `(?:${quote})?${between}${quote}(?=${id}${quote})`;
  // In JSON null, true and false are the name of nobody.
  const bare = `${isNumber(value) ? `(?:${quote})?` : ''}${between}(?=${id}${AFTER_ID})`;
  return [`(${BEFORE_KEY}${keys}(?:${quoted}|${bare}))${id}`, ...texts];
}

/** A keyed hash in hexadecimal digits as it takes the place of a person; in JSON a number has to stay a number. */
export const maskOf = ({ value }: Subject, hash: string): string =>
  isNumber(value) ? BigInt(`0x${hash}`).toString() : hash;

const isNumber = (value: string): boolean => /^-?\d+(\.\d+)?$/.test(value);

const lengthOf = (value: string): number =>
  [...value].reduce((length, character) => length + (character < FIRST_WIDE ? 1 : 2), 0);

/** How a text is written: as it is, in JSON, in JSON that is a text inside of JSON and so on, and in an address. */
function spellingsIn(text: string): string[] {
  const plain = safeText(text);
  const spellings = new Set([plain, encodeURIComponent(plain)]);
  const json = inJson(plain);
  for (let nested of [json, inAscii(json, (hex) => hex), inAscii(json, (hex) => hex.toUpperCase())]) {
    for (let depth = 0; depth < NESTED; depth++, nested = inJson(nested)) spellings.add(nested);
  }
  return [...spellings];
}

const inJson = (text: string): string => JSON.stringify(text).slice(1, -1);

/** As many programs write JSON: without any character beyond ASCII. */
const inAscii = (json: string, spell: (hex: string) => string): string =>
  json.replace(/[^\0-~]/g, (unit) => `\\u${spell(unit.charCodeAt(0).toString(16).padStart(4, '0'))}`);

const anyOf = (texts: string[]): string => `(?:${texts.map(literally).join('|')})`;

const literally = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);
