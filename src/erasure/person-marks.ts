import type { PersonInText } from '../platform/database/erase-rows.js';
import { safeText } from '../platform/safe-text.js';
import { AFTER_ID, BEFORE_ID, BEFORE_KEY } from './id-boundaries.js';

export const SUBJECT_TYPES = ['user_id', 'session_id', 'metadata'] as const;
export type SubjectType = (typeof SUBJECT_TYPES)[number];

/** Subject of an erasure: a user, a session, or a pair of metadata. */
export interface Subject {
  type: SubjectType;
  key: string;
  value: string;
}

/** Metadata keys in the search index. Other names that senders use are indexed under these. */
const METADATA_KEYS = { user_id: 'user_id', session_id: 'conversation_id' } as const;

/** Other names of the key in JSON that is copied into cells, events and answers. */
const SPELLINGS: Record<Exclude<SubjectType, 'metadata'>, readonly string[]> = {
  user_id: ['user_id', 'userId', 'user.id', 'enduser.id', 'langfuse.user.id', 'metadata.user_id'],
  session_id: ['session_id', 'sessionId', 'session.id', 'conversation_id', 'gen_ai.conversation.id', 'thread_id'],
};

/** Minimum length of an id that counts anywhere. A shorter one may mean something else, so it counts only next to its key. */
const TELLING_LENGTH = 8;
/** First character that counts like two letters: Chinese, Japanese, Korean, and symbols. */
const FIRST_WIDE = '\u2e80';
/** Maximum nesting of JSON in JSON texts. */
const NESTED = 4;

export function subjectOf(type: SubjectType, value: string, key?: string): Subject {
  return { type, value, key: type === 'metadata' ? key! : METADATA_KEYS[type] };
}

/**
 * Patterns that find a person in any text: a long id as a whole word, and a short id or a pair of metadata after its key
 * (`user_id=7`, `"user_id": "7"`).
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
  // In JSON null, true and false are not names.
  const bare = `${isNumber(value) ? `(?:${quote})?` : ''}${between}(?=${id}${AFTER_ID})`;
  return [`(${BEFORE_KEY}${keys}(?:${quoted}|${bare}))${id}`, ...texts];
}

/** The text that replaces a person: a keyed hash in hexadecimal digits. In JSON a number must stay a number. */
export const maskOf = ({ value }: Subject, hash: string): string =>
  isNumber(value) ? BigInt(`0x${hash}`).toString() : hash;

const isNumber = (value: string): boolean => /^-?\d+(\.\d+)?$/.test(value);

const lengthOf = (value: string): number =>
  [...value].reduce((length, character) => length + (character < FIRST_WIDE ? 1 : 2), 0);

/** Spellings of a text: plain, in JSON, in nested JSON texts, and in a URL. */
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

/** Escapes all characters beyond ASCII, as many JSON writers do. */
const inAscii = (json: string, spell: (hex: string) => string): string =>
  json.replace(/[^\0-~]/g, (unit) => `\\u${spell(unit.charCodeAt(0).toString(16).padStart(4, '0'))}`);

const anyOf = (texts: string[]): string => `(?:${texts.map(literally).join('|')})`;

const literally = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);
