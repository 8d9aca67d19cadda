import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { useRefresh } from '../api/lists';
import { useColumnTypes } from '../sheet/sheet-data';
import { GuardedButton } from '../shell/permissions';
import { Failure, Refused, Waiting } from '../ui/parts';
import { PlanTable, startText } from './plan-table';
import { planOf, start } from './prepare';
import { pathOf, type SheetStep } from './wizard-state';

/** The plan of the evaluation, before anything is paid for. */
export function PlanStep({ wizard, columns }: SheetStep) {
  const { state, set, forget, column } = wizard;
  const path = pathOf(state);
  const [, navigate] = useLocation();
  const refresh = useRefresh('evaluation-runs', 'tables');
  const [error, setError] = useState<Error | null>(null);
  const [isWaiting, setWaiting] = useState(false);
  const { types } = useColumnTypes();
  const chosen = columns.find(({ id }) => id === column);
  const isComputed = types.get(chosen?.type ?? '')?.computed ?? false;
  const plan = useQuery({
    queryKey: ['sheet', path, 'evaluation-plan', column, isComputed],
    queryFn: ({ signal }) => planOf(path, isComputed ? column : null, signal),
    enabled: chosen !== undefined && types.size > 0,
    staleTime: 0,
  });
  const begin = () => {
    setError(null);
    setWaiting(true);
    start(path, column, plan.data!)
      .then(async (id) => {
        await refresh();
        forget();
        navigate(`/evaluations/runs?ids=${id}`);
      })
      .catch((reason: Error) => {
        setError(reason);
        void plan.refetch();
      })
      .finally(() => setWaiting(false));
  };
  return (
    <section className="wizard-step" aria-label="Plan and start">
      <h2>What it takes</h2>
      <Waiting on={plan.isFetching} />
      {!chosen && (
        <p>
          Nothing is planned yet.{' '}
          <button className="button" onClick={() => set({ step: 'scorers' })}>
            Choose scorers
          </button>
        </p>
      )}
      {plan.error && <Failure error={plan.error} onRetry={() => void plan.refetch()} />}
      {plan.data && <PlanTable plan={plan.data} />}
      <Refused error={error} />
      {plan.data && (
        <div className="actions">
          <GuardedButton permission="TABLE_EDIT" className="button primary" disabled={isWaiting} onClick={begin}>
            {startText(plan.data)}
          </GuardedButton>
        </div>
      )}
    </section>
  );
}
