/**
 * The sources of cell values: people who write text (`input`) or answer (`manual`), an import (`imported`), a column of
 * another sheet (`reference`), the server from the cell's sources alone (`deterministic`), an external service whose
 * answer may differ next time (`external`), or a measurement of the cells of another column (`metadata`). A column with
 * one value for all rows has no cells (`aggregate`).
 */
export const COLUMN_KINDS = [
  'input',
  'manual',
  'imported',
  'reference',
  'deterministic',
  'external',
  'metadata',
  'aggregate',
] as const;
export type ColumnKind = (typeof COLUMN_KINDS)[number];

/** Everything that follows from the kind of a column. No other code compares kinds by name. */
export interface KindRules {
  /** Its cells are queued and computed, become stale with what they read, and are counted by state. */
  computes: boolean;
  /** Its cells have a state per chunk: stale until they have a value. */
  hasStates: boolean;
  /** Which of its cells the counts by state include: those with a value, every one, or none. */
  counted: 'settled' | 'all' | 'none';
  /** Values that people may write: any value, one that the column type accepts, only the text shown, or none. */
  edits: 'value' | 'answer' | 'text' | null;
  /** The same inputs give the same value, so stored results are reused. */
  repeats: boolean;
  /** The values stay when a column gets a type of this kind: they may still be needed. */
  keepsValues: boolean;
  /** The kind is fixed at creation: a column cannot change from or to this kind. */
  fixed: boolean;
  /** Whether people may add such columns; the server adds others. */
  creatable: boolean;
}

const WRITTEN = {
  computes: false,
  hasStates: false,
  counted: 'none',
  repeats: true,
  keepsValues: true,
  fixed: false,
  creatable: true,
} as const;
const COMPUTED = {
  computes: true,
  hasStates: true,
  counted: 'all',
  edits: null,
  keepsValues: true,
  fixed: false,
  creatable: true,
} as const;

const RULES: Record<ColumnKind, KindRules> = {
  input: { ...WRITTEN, edits: 'value' },
  imported: { ...WRITTEN, edits: 'text' },
  manual: { ...WRITTEN, hasStates: true, counted: 'settled', edits: 'answer', keepsValues: false },
  reference: { ...WRITTEN, hasStates: true, edits: null, keepsValues: false, fixed: true },
  deterministic: { ...COMPUTED, repeats: true },
  external: { ...COMPUTED, repeats: false },
  metadata: { ...WRITTEN, edits: null, fixed: true, creatable: false },
  aggregate: { ...WRITTEN, edits: null, keepsValues: false, fixed: true, creatable: false },
};

export function rulesOf(kind: ColumnKind): KindRules {
  return RULES[kind];
}
