import './evaluations.css';
import { useEffect } from 'react';
import { Needs, useMay } from '../shell/permissions';
import { usePromptQuery } from '../sheet/column-pickers';
import { useColumns } from '../sheet/sheet-data';
import { Back, Failure, Waiting } from '../ui/parts';
import { useTitle } from '../ui/title';
import { referenceOf, variablesIn } from './column-draft';
import { useFilled } from './use-filled';
import { PlanStep } from './wizard-plan';
import { RunStep } from './wizard-run';
import { ScorersStep } from './wizard-scorers';
import { SourceStep } from './wizard-source';
import { pathOf, type SheetColumn, type StepName, STEPS, useWizard, type Wizard } from './wizard-state';

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
  const { data, error, isFetching, refetch } = useColumns(pathOf(wizard.state), '');
  const columns = data?.columns ?? [];
  const filling = useFilled(wizard, columns, isFetching);
  if (error) return <Failure error={error} onRetry={() => void refetch()} />;
  if (data && filling.isFilled) return <FilledStep {...{ wizard, step, columns }} />;
  // Without the existing steps, the scorecard would lose them.
  if (filling.error) return <Failure error={filling.error} onRetry={() => void filling.refetch()} />;
  return <Waiting on={isFetching} />;
}

function FilledStep({ wizard, step, columns }: { wizard: Wizard; step: StepName; columns: SheetColumn[] }) {
  const { runs, prompt: chosen } = wizard.draft;
  const prompt = usePromptQuery(runs === 'prompt' ? referenceOf(chosen) : null);
  const variables = runs === 'prompt' ? (prompt.data ?? []) : runs === 'model' ? variablesIn(wizard.draft) : [];
  useMapped(wizard, variables, columns);
  const shared = { wizard, columns, variables };
  if (step === 'plan') return <PlanStep {...shared} />;
  const unread = prompt.error && <Failure error={prompt.error} onRetry={() => void prompt.refetch()} />;
  if (step === 'run') {
    return (
      <>
        <RunStep {...shared} />
        {unread}
      </>
    );
  }
  // Without its variables, the prompt would be run with nothing filled in.
  return unread ?? (prompt.isLoading ? <Waiting on /> : <ScorersStep {...shared} />);
}

/** Maps variables to columns of the same name, except those that were mapped by hand. */
function useMapped({ draft, change }: Wizard, variables: string[], columns: SheetColumn[]): void {
  const names = variables.join('\n');
  useEffect(() => {
    const found = variables.flatMap((name) => {
      const same = columns.find(({ title }) => title.toLowerCase() === name.toLowerCase());
      return Object.hasOwn(draft.mappings, name) || !same ? [] : [[name, same.title]];
    });
    if (found.length > 0) change({ mappings: { ...draft.mappings, ...(Object.fromEntries(found) as object) } });
    // oxlint-disable-next-line exhaustive-deps -- only other variables or columns are mapped
  }, [names, columns.length]);
}
