import { hasRange, describeRange, TIME, type TimeState } from '../ui/time-range';
import { describeCondition, readConditions, writeCondition, type Condition } from './conditions';

/** What every list that is searched has in the URL: words, a time, further conditions, an import, a saved view. */
export const SEARCHED = { q: '', ...TIME, f: '', adding: '', view: '' };
export type SearchedState = typeof SEARCHED;

/** Changes the state of a screen. A choice is a step for Back, unless it replaces. */
export type SetState<S> = (change: Partial<S>, how?: { replace: boolean }) => void;

/** A condition that is shown by itself, and what the state is without it. */
export interface Chip {
  text: string;
  without: Partial<SearchedState>;
}

export function chipsOf(state: TimeState & { f: string }): Chip[] {
  const chips: Chip[] = readConditions(state.f).map((condition, at) => ({
    text: describeCondition(condition),
    without: { f: state.f.split('\n').toSpliced(at, 1).join('\n') },
  }));
  if (hasRange(state)) chips.unshift({ text: describeRange(state), without: { from: '', to: '' } });
  return chips;
}

/** The conditions of the URL with another one. */
export const withCondition = (f: string, condition: Condition): string =>
  [f, writeCondition(condition)].filter((line) => line !== '').join('\n');

const isNamed = (names: Record<string, string>, value: string): boolean => value !== '' && Object.hasOwn(names, value);

/** The value of a choice, if it is one. */
export const chosen = (names: Record<string, string>, value: string): string | null =>
  isNamed(names, value) ? value : null;

/** A choice in words; nothing for the default and for what nobody can choose. */
export const describeChoice = (what: string, names: Record<string, string>, value: string): string[] =>
  isNamed(names, value) ? [`the ${what} “${names[value]!}”`] : [];
