import { RE2JS } from 're2js';
import { EvaluationError } from './evaluation-error.js';
import { sizeOfPattern } from './pattern-size.js';
import { tokensOf, translate, type TranslatedPattern } from './python-pattern.js';

/** Longest pattern; matching takes time in proportion to its length. */
export const MAX_PATTERN = 4_096;
/** Compiling a pattern of this size takes a fifth of a second; the api and workers check patterns in their own processes. */
export const MAX_PATTERN_SIZE = 100_000;
/** The most matches a result may list. */
export const MAX_MATCHES = 100_000;

/** A pattern that was compiled. */
export interface Pattern {
  linear: RE2JS;
  /** Used for boundaries of words in other scripts; see `TranslatedPattern`. */
  bounded: { pattern: RegExp; unbounded: RE2JS } | null;
}

/**
 * A regular expression of a user, in Python's syntax as far as it can be matched in linear time: no lookaround, no
 * backreferences, no possessive quantifiers. Throws EvaluationError for any other.
 */
export function compilePattern(pattern: string): Pattern {
  if (pattern.length > MAX_PATTERN) throw new EvaluationError(`A pattern may have ${MAX_PATTERN} characters at most.`);
  if (sizeOfPattern(pattern) > MAX_PATTERN_SIZE) {
    throw new EvaluationError(`"${shortened(pattern)}" repeats too much, or has too many negated classes.`);
  }
  refuse(pattern);
  try {
    return compile(translate(pattern));
  } catch (error) {
    if (error instanceof EvaluationError) throw error;
    throw new EvaluationError(`"${shortened(pattern)}" is not a valid regular expression: ${reason(error)}.`);
  }
}

function compile({ linear, backtracking }: TranslatedPattern): Pattern {
  const compiled = RE2JS.compile(linear);
  if (!backtracking) return { linear: compiled, bounded: null };
  const unbounded = RE2JS.compile(linear.replaceAll(/\\[^]/g, (escape) => (/^\\b$/i.test(escape) ? '(?:)' : escape)));
  return { linear: compiled, bounded: { pattern: toRegExp(backtracking), unbounded } };
}

function toRegExp({ source, flags }: NonNullable<TranslatedPattern['backtracking']>): RegExp {
  return new RegExp(source, `${flags}g`);
}

export function groupCount({ linear }: Pattern): number {
  return linear.groupCount();
}

/** Whether the pattern matches anywhere in the text. */
export function searchPattern(pattern: Pattern, text: string): boolean {
  return !matchesOf(pattern, text).next().done;
}

/**
 * All matches without overlaps, like Python's `findall`: the match, or its group if the pattern has one, or the list of
 * its groups if it has several. With `group` only that group (0 is the whole match).
 */
export function findAll(pattern: Pattern, text: string, group: number | null): (string | string[])[] {
  const count = groupCount(pattern);
  const found: (string | string[])[] = [];
  for (const groups of matchesOf(pattern, text)) {
    if (found.length === MAX_MATCHES) throw new EvaluationError(`There are more than ${MAX_MATCHES} matches.`);
    const groupText = (index: number) => groups(index) ?? '';
    if (group !== null) found.push(groupText(group));
    else if (count > 1) found.push(Array.from({ length: count }, (_, index) => groupText(index + 1)));
    else found.push(groupText(count));
  }
  return found;
}

const NON_ASCII = /[^\0-\x7f]/;

/** The matches, each as a function that returns its groups. */
function* matchesOf(
  { linear, bounded }: Pattern,
  text: string,
): Generator<(group: number) => string | null | undefined> {
  if (!bounded || !NON_ASCII.test(text)) {
    const matcher = linear.matcher(text);
    while (matcher.find()) yield (group) => matcher.group(group);
    return;
  }
  // A text without a match is what takes an engine that tries everything long.
  if (!bounded.unbounded.matcher(text).find()) return;
  for (const match of text.matchAll(bounded.pattern)) yield (group) => match[group];
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
  let at = 0;
  for (const { text, inClass } of tokensOf(pattern)) {
    const rest = inClass ? '' : pattern.slice(at, at + 4);
    // A bracket that is a character of its class was given an escape.
    at += inClass && text === '\\]' && pattern[at] === ']' ? 1 : text.length;
    const problem = UNSUPPORTED.find(([start]) => start.test(rest))?.[1];
    if (problem) throw new EvaluationError(`"${shortened(pattern)}": ${problem}.`);
  }
}

function reason(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).replace(/^error parsing regexp: /, '');
}

function shortened(pattern: string): string {
  return pattern.length > 100 ? `${pattern.slice(0, 100)}…` : pattern;
}
