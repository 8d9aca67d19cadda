import { hasRange, describeRange, TIME, type TimeState } from '../ui/time-range';
import { describeCondition, readConditions, writeCondition, type Condition } from './conditions';

/** Parameters in the URL of every list with a search: words, a time, further conditions, an import, a saved view. */
export const SEARCHED = { q: '', ...TIME, f: '', adding: '', view: '' };
export type SearchedState = typeof SEARCHED;

/** Changes the state of a screen. A change adds a step to the history, unless it replaces the current one. */
export type SetState<S> = (change: Partial<S>, how?: { replace: boolean }) => void;

/** A condition that is shown as a chip, and the state without it. */
export interface Chip {
  text: string;
  without: Partial<SearchedState>;
}

export function chipsOf(state: TimeState & { f: string }): Chip[] {
  const lines = state.f.split('\n');
  const chips: Chip[] = lines.flatMap((line, at) =>
    readConditions(line).map((condition) => ({
      text: describeCondition(condition),
      without: { f: lines.toSpliced(at, 1).join('\n') },
    })),
  );
  if (hasRange(state)) chips.unshift({ text: describeRange(state), without: { from: '', to: '' } });
  return chips;
}

/** Adds a condition to those of the URL. */
export const withCondition = (f: string, condition: Condition): string =>
  [f, writeCondition(condition)].filter((line) => line !== '').join('\n');

const isNamed = (names: Record<string, string>, value: string): boolean => value !== '' && Object.hasOwn(names, value);

/** The value of a choice; null for an invalid one. */
export const chosen = (names: Record<string, string>, value: string): string | null =>
  isNamed(names, value) ? value : null;

/** Describes a choice in words. Empty for the default and for invalid values. */
export const describeChoice = (what: string, names: Record<string, string>, value: string): string[] =>
  isNamed(names, value) ? [`the ${what} “${names[value]!}”`] : [];
