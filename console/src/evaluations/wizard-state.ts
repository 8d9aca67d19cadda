import { useEffect, useState } from 'react';
import { identityOf } from '../api/session';
import { DEFAULTS as LOGS } from '../logs/log-state';
import { emptyVariant, type Variant } from '../playground/variant';
import { useMe } from '../shell/session-context';
import { useUrlState } from '../ui/url-state';
import type { ReadStep, Scorer } from './scorers';

export const STEPS = { source: 'Rows', run: 'Step to run', scorers: 'Scorers', plan: 'Plan and start' } as const;
export type StepName = keyof typeof STEPS;

/** State of the wizard in the URL, with the filter of calls in the form that the list of requests has. */
export const WIZARD = {
  ...LOGS,
  status: 'ERROR',
  step: 'source',
  source: 'calls',
  table: '',
  sheet: '',
  column: '',
};
export type WizardState = typeof WIZARD;

/** Source of the answers: an existing column, a model with a message, or a prompt of the registry. */
export type Runs = 'column' | 'model' | 'prompt';

/** A column of the sheet. */
export interface SheetColumn {
  id: string;
  title: string;
  type: string;
  config: Record<string, unknown>;
}

/** Source from which a draft was filled. When the sheet has something else on the next visit, the draft is filled again. */
export interface Filled {
  sheet: string;
  /** null for none. */
  column: SheetColumn | null;
  steps: ReadStep[];
}

/** Everything typed or chosen that is not in the URL. */
export interface Draft {
  title: string;
  runs: Runs;
  /** Title of the column with the outputs, for `column`. */
  output: string;
  variant: Variant;
  /** `version` is the number of a version to which the column is fixed. */
  prompt: { id: string; label: string; version: number | null };
  /** Columns by the names of variables; null for a variable that the column leaves without one. */
  mappings: Record<string, string | null>;
  scorers: Scorer[];
  /** null for a draft that has to be filled. */
  filled: Filled | null;
  /** The sheet has changes of this wizard that the draft was not filled from: a refusal came in between. */
  isAhead: boolean;
  /** Id of the column that the existing scorers evaluate; empty for none. */
  aim: string;
  /** The column that this evaluation has created, by sheet. */
  made: Record<string, string>;
}

const emptyDraft = (): Draft => ({
  title: '',
  runs: 'model',
  output: '',
  variant: emptyVariant(),
  prompt: { id: '', label: '', version: null },
  mappings: {},
  scorers: [],
  filled: null,
  isAhead: false,
  aim: '',
  made: {},
});

export type Change = (part: Partial<Draft>) => void;

function readDraft(key: string): Draft | null {
  try {
    const text = sessionStorage.getItem(key);
    const draft = text === null ? null : (JSON.parse(text) as Draft);
    // An earlier version of the console has left another form.
    return typeof draft?.filled === 'object' && 'aim' in draft ? draft : null;
  } catch {
    return null;
  }
}

/** The draft of this tab. It survives the steps and a reload of the page. */
export function useWizard() {
  const [state, set] = useUrlState(WIZARD);
  const key = `evaluation ${identityOf(useMe())}`;
  const [draft, setDraft] = useState<Draft>(() => readDraft(key) ?? emptyDraft());
  useEffect(() => {
    try {
      sessionStorage.setItem(key, JSON.stringify(draft));
    } catch {
      // A draft that is too large for the browser's storage stays in memory.
      sessionStorage.removeItem(key);
    }
  }, [key, draft]);
  const change: Change = (part) => setDraft((before) => ({ ...before, ...part }));
  const column = state.column || (draft.made[state.sheet] ?? '');
  return { state, set, draft, change, column, forget: () => setDraft(emptyDraft()) };
}

export type Wizard = ReturnType<typeof useWizard>;

export const pathOf = ({ table, sheet }: WizardState) => ({ table_id: table, sheet_id: sheet });

/** Settings of a step that concern the columns of the sheet. */
export interface SheetStep {
  wizard: Wizard;
  columns: SheetColumn[];
  /** Variables of the prompt that is run. */
  variables: string[];
}
