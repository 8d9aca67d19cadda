import type { Detail } from '../errors/problem.js';

/** Enough to find the error. A body can contain millions of keys. */
export const MOST_UNKNOWN_KEYS = 20;
const LONGEST_NAME = 64;
/** Below this share of common letter pairs two names are unrelated. */
const LEAST_LIKENESS = 0.4;

/** The entries of a 422 answer for unknown keys. */
export function unknownKeys(keys: string[], known: readonly string[], at: readonly (string | number)[]): Detail[] {
  const unknown = keys.filter((key) => !known.includes(key)).slice(0, MOST_UNKNOWN_KEYS);
  return unknown.map((key) => ({ loc: [...at, key], msg: unknownKeyMessage(key, known), type: 'extra_forbidden' }));
}

/** Suggests the probable key, or else lists all of them. */
export function unknownKeyMessage(key: string, known: readonly string[]): string {
  const nearest = nearestName(key, known);
  const hint = nearest === null ? `The known keys are ${known.join(', ')}.` : `Did you mean "${nearest}"?`;
  return `Extra inputs are not permitted. ${hint}`;
}

/** The most similar name; null when none is. Letter case and `_` do not count. */
export function nearestName(name: string, known: readonly string[]): string | null {
  const plain = plainName(name);
  const [best] = known
    .map((each) => ({ each, likeness: likeness(plain, plainName(each)) }))
    .sort((a, b) => b.likeness - a.likeness);
  return best && best.likeness >= LEAST_LIKENESS ? best.each : null;
}

function plainName(name: string): string {
  return name
    .slice(0, LONGEST_NAME)
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '');
}

/** The share of pairs of letters that two names have in common (the Sørensen–Dice coefficient), 0 to 1. */
function likeness(a: string, b: string): number {
  if (a === b) return 1;
  // A single letter has no pairs.
  if (a.length < 2 || b.length < 2) return a !== '' && b !== '' && a[0] === b[0] ? 0.5 : 0;
  const [ours, theirs] = [pairsOf(a), pairsOf(b)];
  const common = ours.filter((pair) => theirs.includes(pair));
  return (2 * common.length) / (ours.length + theirs.length);
}

function pairsOf(text: string): string[] {
  return Array.from({ length: text.length - 1 }, (_, index) => text.slice(index, index + 2));
}
