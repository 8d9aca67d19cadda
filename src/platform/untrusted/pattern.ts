import { RE2JS } from 're2js';
import { BoundedCache } from './bounded-cache.js';
import { EvaluationError } from './evaluation-error.js';

/** Longest pattern; matching takes time in proportion to its length. */
export const MAX_PATTERN = 4_096;
/** The most matches a result may list. */
export const MAX_MATCHES = 100_000;

const cache = new BoundedCache<RE2JS>(500);

/**
 * A regular expression of a user, in Python's syntax as far as it can be matched in linear time: no lookaround, no
 * backreferences, no possessive quantifiers; `\b` knows ASCII letters only. Throws EvaluationError for any other.
 */
export function compilePattern(pattern: string): RE2JS {
  return cache.get(pattern, () => {
    if (pattern.length > MAX_PATTERN)
      throw new EvaluationError(`A pattern may have ${MAX_PATTERN} characters at most.`);
    refuse(pattern);
    try {
      return RE2JS.compile(fromPython(pattern));
    } catch (error) {
      throw new EvaluationError(`"${shortened(pattern)}" is not a valid regular expression: ${reason(error)}.`);
    }
  });
}

/** Whether the pattern matches anywhere in the text. */
export function searchPattern(pattern: RE2JS, text: string): boolean {
  return pattern.matcher(text).find();
}

/**
 * All matches that do not overlap, as Python's `findall` gives them: the match, or its group where the pattern has one,
 * or the list of its groups where it has several. With `group` that group alone (0 is the whole match).
 */
export function findAll(pattern: RE2JS, text: string, group: number | null): (string | string[])[] {
  const matcher = pattern.matcher(text);
  const count = pattern.groupCount();
  const found: (string | string[])[] = [];
  while (matcher.find()) {
    if (found.length === MAX_MATCHES) throw new EvaluationError(`There are more than ${MAX_MATCHES} matches.`);
    const groupText = (index: number) => matcher.group(index) ?? '';
    if (group !== null) found.push(groupText(group));
    else if (count > 1) found.push(Array.from({ length: count }, (_, index) => groupText(index + 1)));
    else found.push(groupText(count));
  }
  return found;
}

const UNSUPPORTED: [RegExp, string][] = [
  [/^\(\?<?[=!]/, 'lookahead and lookbehind are not supported'],
  [/^\(\?P=/, 'backreferences are not supported'],
  [/^\\[1-9]/, 'backreferences are not supported'],
  [/^\(\?>/, 'atomic groups are not supported'],
  [/^\(\?\(/, 'conditions are not supported'],
  [/^[*+?}]\+/, 'possessive quantifiers are not supported'],
];

/** Names what Python has and a linear engine cannot have, instead of calling it a mistake. */
function refuse(pattern: string): void {
  for (const { at, inClass } of positions(pattern)) {
    if (inClass) continue;
    const rest = pattern.slice(at, at + 4);
    const problem = UNSUPPORTED.find(([start]) => start.test(rest))?.[1];
    if (problem) throw new EvaluationError(`"${shortened(pattern)}": ${problem}.`);
  }
}

/** Python's classes know the letters and digits of all languages. */
const OUTSIDE: Record<string, string> = {
  w: '[\\p{L}\\p{N}_]',
  W: '[^\\p{L}\\p{N}_]',
  d: '\\p{Nd}',
  D: '\\P{Nd}',
  Z: '\\z',
};
const INSIDE: Record<string, string> = { w: '\\p{L}\\p{N}_', d: '\\p{Nd}', D: '\\P{Nd}' };

function fromPython(pattern: string): string {
  let text = '';
  for (const { at, end, inClass } of positions(pattern)) {
    const token = pattern.slice(at, end);
    const known = inClass ? INSIDE : OUTSIDE;
    if (token.startsWith('(?#')) continue;
    if (/^\\u[0-9a-fA-F]{4}$/.test(token)) text += `\\x{${token.slice(2)}}`;
    else if (token.length === 2 && token[0] === '\\' && Object.hasOwn(known, token[1]!)) text += known[token[1]!];
    else text += token;
  }
  // Letters and digits of all languages are what it has anyway.
  return text.replace(/^\(\?u\)/, '');
}

interface Token {
  at: number;
  end: number;
  inClass: boolean;
}

/** The characters of a pattern one by one; an escape and a comment are one. */
function* positions(pattern: string): Generator<Token> {
  let inClass = false;
  for (let at = 0; at < pattern.length;) {
    const end = at + lengthAt(pattern, at, inClass);
    yield { at, end, inClass };
    if (inClass) {
      inClass = pattern[at] !== ']';
    } else if (pattern[at] === '[') {
      inClass = true;
      // A bracket right after the opening one is a character of the class.
      const first = /^\^?\]/.exec(pattern.slice(end, end + 2))?.[0].length ?? 0;
      if (first > 0) yield { at: end, end: end + first, inClass };
      at = end + first;
      continue;
    }
    at = end;
  }
}

function lengthAt(pattern: string, at: number, inClass: boolean): number {
  if (pattern[at] === '\\') return /^\\u[0-9a-fA-F]{4}/.test(pattern.slice(at, at + 6)) ? 6 : 2;
  if (!inClass && pattern.startsWith('(?#', at)) {
    const close = pattern.indexOf(')', at);
    return close < 0 ? pattern.length - at : close + 1 - at;
  }
  return 1;
}

function reason(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).replace(/^error parsing regexp: /, '');
}

function shortened(pattern: string): string {
  return pattern.length > 100 ? `${pattern.slice(0, 100)}…` : pattern;
}
