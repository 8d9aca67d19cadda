/**
 * Who gives a cell its value: people who write text (`input`) or answer (`manual`), an import (`imported`), a column of
 * another sheet (`reference`), the server from the cell's sources alone (`deterministic`), something outside whose answer
 * may differ next time (`external`), or the server when it measures the cells of another column (`metadata`). A column of
 * which there is one value for all rows has no cells (`aggregate`).
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

/** Everything that follows from the kind of a column. Nothing else in the code asks for a kind by name. */
export interface KindRules {
  /** Its cells are queued and computed, become stale with what they read, and are counted by state. */
  computes: boolean;
  /** Its cells have a state that is kept per chunk: stale until they have a value. */
  hasStates: boolean;
  /** Which of its cells the counts by state include: those with a value, every one, or none. */
  counted: 'settled' | 'all' | 'none';
  /** What people may write: any value, one that the column type accepts, only the text shown, or nothing. */
  edits: 'value' | 'answer' | 'text' | null;
  /** The same inputs give the same value, so that a stored result need not be computed again. */
  repeats: boolean;
  /** The values stay when a column gets another type and this kind: nothing is lost that people may still want. */
  keepsValues: boolean;
  /** Set up when the column is created: no column of another kind becomes one of this kind, or the other way round. */
  fixed: boolean;
  /** People may add such columns; others are added by the server alone. */
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
