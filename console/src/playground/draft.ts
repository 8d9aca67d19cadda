import { emptyVariant, type Variant } from './variant';

/** Values of the variables of one case, by name. */
export type Case = Record<string, string>;

/** The source of the variants: its name in the URL, and in words. */
export interface Filled {
  key: string;
  title: string;
  href: string;
}

/** Everything that was typed. */
export interface Draft {
  variants: Variant[];
  cases: Case[];
  from: Filled | null;
  /** The sheet whose rows cases were made of. */
  rows?: Filled;
}

export const MOST_VARIANTS = 4;

export const letterOf = (column: number): string => 'ABCD'[column]!;

export const emptyDraft = (): Draft => ({ variants: [emptyVariant(), emptyVariant()], cases: [{}], from: null });

export const isEmpty = (draft: Draft): boolean => JSON.stringify(draft) === JSON.stringify(emptyDraft());

export const filledDraft = (variant: Variant, from: Filled): Draft => ({
  variants: [variant, variant],
  cases: [{}],
  from,
});

/** The draft of a user in this tab; null when there is none. */
export function readDraft(key: string): Draft | null {
  try {
    const text = sessionStorage.getItem(key);
    return text === null ? null : (JSON.parse(text) as Draft);
  } catch {
    return null;
  }
}

/** A draft that is too large for the browser stays in the page alone. */
export function keepDraft(key: string, draft: Draft): void {
  try {
    sessionStorage.setItem(key, JSON.stringify(draft));
  } catch {
    sessionStorage.removeItem(key);
  }
}
