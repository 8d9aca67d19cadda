import './evaluations.css';
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { api } from '../api/client';
import { Needs, useMay } from '../shell/permissions';
import { fromVersion, toVariant } from '../playground/variant';
import { useColumns } from '../sheet/sheet-data';
import { Back, Failure, Waiting } from '../ui/parts';
import { useTitle } from '../ui/title';
import { variablesIn } from './prepare';
import { keptScorers } from './scorers';
import { PlanStep } from './wizard-plan';
import { RunStep } from './wizard-run';
import { ScorersStep } from './wizard-scorers';
import { SourceStep } from './wizard-source';
import {
  type Draft,
  filledFrom,
  pathOf,
  type SheetStep,
  type StepName,
  STEPS,
  useWizard,
  type Wizard,
} from './wizard-state';

/** A new evaluation in four steps. Each adds a step to the history, and keeps the typed values. */
export default function NewEvaluation() {
  const wizard = useWizard();
  const { state, set } = wizard;
  const mayEdit = useMay('TABLE_EDIT');
  useTitle('New evaluation');
  const hasSheet = state.table !== '' && state.sheet !== '';
  const step: StepName = hasSheet && Object.hasOwn(STEPS, state.step) ? (state.step as StepName) : 'source';
  return (
    <>
      <header className="screen-head">
        <Back href="/evaluations" title="All evaluations" />
        <h1>New evaluation</h1>
      </header>
      <div className="screen-body evaluation-wizard">
        <nav aria-label="Steps">
          <ol className="wizard-steps">
            {Object.entries(STEPS).map(([name, title], at) => (
              <li key={name}>
                <button
                  className="button quiet"
                  aria-current={name === step ? 'step' : undefined}
                  disabled={!hasSheet && name !== 'source'}
                  onClick={() => set({ step: name })}
                >
                  {`${at + 1} ${title}`}
                </button>
              </li>
            ))}
          </ol>
        </nav>
        <Needs permission="TABLE_EDIT" to="evaluate" />
        <fieldset disabled={!mayEdit}>
          {step === 'source' ? <SourceStep wizard={wizard} /> : <OfSheet wizard={wizard} step={step} />}
        </fieldset>
      </div>
    </>
  );
}

/** The steps that know the columns of the sheet. */
function OfSheet({ wizard, step }: { wizard: Wizard; step: StepName }) {
  const { state, draft } = wizard;
  const path = pathOf(state);
  const { data, error, isFetching, refetch } = useColumns(path, '');
  const columns = data?.columns ?? [];
  const prompt = usePrompt(draft);
  const isFilled = useFilled(wizard, columns, isFetching);
  const variables = draft.runs === 'prompt' ? (prompt.data ?? []) : draft.runs === 'model' ? variablesIn(draft) : [];
  useMapped(wizard, variables, columns);
  if (error) return <Failure error={error} onRetry={() => void refetch()} />;
  if (!data || !isFilled) return <Waiting on={isFetching} />;
  const shared = { wizard, columns, variables };
  if (step === 'run') return <RunStep {...shared} />;
  if (step === 'scorers') return <ScorersStep {...shared} />;
  return <PlanStep {...shared} />;
}

/** The variables of a prompt of the registry. */
function usePrompt({ runs, prompt: { id, label } }: Draft) {
  return useQuery({
    queryKey: ['prompt', 'variables', id, label],
    queryFn: async ({ signal }) => {
      const query = label === '' ? {} : { label };
      const read = await api('GET /prompt-templates/{identifier}', { path: { identifier: id }, query, signal });
      return variablesIn({ variant: fromVersion(read, null) } as Draft);
    },
    enabled: runs === 'prompt' && id !== '',
  });
}

type Columns = SheetStep['columns'];

interface PromptConfig {
  inline_template?: { prompt_template: never; metadata?: { model?: never } | null } | null;
  template?: { name: string; label?: string | null } | null;
  prompt_template_variable_mappings?: Record<string, string> | null;
}

/** The draft of a column. */
function draftOf({ title, config }: Columns[number]): Partial<Draft> {
  const { inline_template: inline, template, prompt_template_variable_mappings: mappings } = config as PromptConfig;
  const common = { output: title, mappings: { ...mappings } };
  if (inline) {
    const model = inline.metadata?.model ?? null;
    return { ...common, runs: 'model', variant: toVariant(inline.prompt_template, model) };
  }
  if (template) return { ...common, runs: 'prompt', prompt: { id: template.name, label: template.label ?? '' } };
  return { ...common, runs: 'column' };
}

/**
 * Fills the draft from the column and the scorecard of the sheet, once for each. False while they are on their way: the
 * ones from before a change must not fill it.
 */
function useFilled(
  { state, draft, change, column: chosen }: Wizard,
  columns: Columns,
  areColumnsFetching: boolean,
): boolean {
  const path = pathOf(state);
  const wanted = filledFrom(state.sheet, chosen);
  const isNeeded = draft.filled !== wanted;
  const { data, error, isFetching } = useQuery({
    queryKey: ['sheet', path, 'scorecard', 'wizard'],
    queryFn: ({ signal }) => api('GET /api/public/v2/tables/{table_id}/sheets/{sheet_id}/scorecard', { path, signal }),
    enabled: isNeeded,
    staleTime: 0,
  });
  const isThere = data !== undefined && !isFetching && !areColumnsFetching;
  useEffect(() => {
    if (!isNeeded || !isThere) return;
    const column = columns.find(({ id }) => id === chosen);
    const scorers = data.scorecard ? keptScorers(data.scorecard.steps) : [];
    change({ ...(column && draftOf(column)), ...(scorers.length > 0 && { scorers }), filled: wanted });
    // oxlint-disable-next-line exhaustive-deps -- the draft is filled when both have come, and not again
  }, [isThere, wanted]);
  return !isNeeded || error !== null;
}

/** Maps variables to columns of the same name, except those that were mapped by hand. */
function useMapped({ draft, change }: Wizard, variables: string[], columns: Columns): void {
  const names = variables.join('\n');
  useEffect(() => {
    const found = variables.flatMap((name) => {
      const same = columns.find(({ title }) => title.toLowerCase() === name.toLowerCase());
      return draft.mappings[name] || !same ? [] : [[name, same.title]];
    });
    if (found.length > 0) change({ mappings: { ...draft.mappings, ...(Object.fromEntries(found) as object) } });
    // oxlint-disable-next-line exhaustive-deps -- only other variables or columns are mapped
  }, [names, columns.length]);
}
