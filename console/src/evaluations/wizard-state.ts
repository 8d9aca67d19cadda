import { useEffect, useState } from 'react';
import { identityOf } from '../api/session';
import { DEFAULTS as LOGS } from '../logs/log-state';
import { emptyVariant, type Variant } from '../playground/variant';
import { useMe } from '../shell/session-context';
import { useUrlState } from '../ui/url-state';
import type { Scorer } from './scorers';

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

/** Everything typed or chosen that is not in the URL. */
export interface Draft {
  title: string;
  runs: Runs;
  /** Title of the column with the outputs, for `column`. */
  output: string;
  variant: Variant;
  prompt: { id: string; label: string };
  /** Columns by the names of variables. */
  mappings: Record<string, string>;
  scorers: Scorer[];
  /** Sheet and column with which the draft was prefilled; empty for none. */
  filled: string;
  /** The column that this evaluation has created, by sheet. */
  made: Record<string, string>;
}

const emptyDraft = (): Draft => ({
  title: '',
  runs: 'model',
  output: '',
  variant: emptyVariant(),
  prompt: { id: '', label: '' },
  mappings: {},
  scorers: [],
  filled: '',
  made: {},
});

export type Change = (part: Partial<Draft>) => void;

function readDraft(key: string): Draft | null {
  try {
    const text = sessionStorage.getItem(key);
    return text === null ? null : (JSON.parse(text) as Draft);
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

/** Sheet and column of a prefilled draft, as the draft holds them. */
export const filledFrom = (sheet: string, column: string): string => `${sheet} ${column}`;

export const pathOf = ({ table, sheet }: WizardState) => ({ table_id: table, sheet_id: sheet });

/** Settings of a step that concern the columns of the sheet. */
export interface SheetStep {
  wizard: Wizard;
  columns: { id: string; title: string; type: string; config: object }[];
  /** Variables of the prompt that is run. */
  variables: string[];
}
