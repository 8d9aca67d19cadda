import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { useRefresh } from '../api/lists';
import type { OperationPlanResponse } from '../api/schema.gen';
import { useColumnTypes } from '../sheet/sheet-data';
import { GuardedButton } from '../shell/permissions';
import { costOf, count, counted, dollars, duration, UNKNOWN } from '../ui/format';
import { Failure, Refused, Waiting } from '../ui/parts';
import { Table } from '../ui/table';
import { type EvaluationPlan, planOf, start } from './prepare';
import { pathOf, type SheetStep } from './wizard-state';

type Planned = OperationPlanResponse['columns'][number];

/** What the evaluation takes, before anything is paid for. */
export function PlanStep({ wizard, columns }: SheetStep) {
  const { state, set, forget, column } = wizard;
  const path = pathOf(state);
  const [, navigate] = useLocation();
  const refresh = useRefresh('evaluation-runs', 'tables');
  const [error, setError] = useState<Error | null>(null);
  const [isWaiting, setWaiting] = useState(false);
  const { types } = useColumnTypes();
  const isComputed = types.get(columns.find(({ id }) => id === column)?.type ?? '')?.computed ?? false;
  const plan = useQuery({
    queryKey: ['sheet', path, 'evaluation-plan', column],
    queryFn: ({ signal }) => planOf(path, isComputed ? column : null, signal),
    enabled: column !== '' && types.size > 0,
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
      {column === '' && (
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

const columnsOf = ({ answers, scores }: EvaluationPlan): Planned[] => [...(answers?.columns ?? []), ...scores.columns];

const startText = (plan: EvaluationPlan): string =>
  `Compute ${counted((plan.answers?.cell_count ?? 0) + plan.scores.cell_count, 'cell')} · ${priceOf(plan)}`;

/** Unknown is not zero: what has no price is said to have none. */
function priceOf(plan: EvaluationPlan): string {
  const paid = columnsOf(plan).filter(({ estimated_from: source }) => source !== null);
  if (paid.length === 0) return 'free';
  const unpriced = paid.filter(({ cost }) => cost === null).length;
  if (unpriced === paid.length) return 'no price is known';
  return `about ${costOf(
    paid.reduce((sum, { cost }) => sum + (cost ?? 0), 0),
    unpriced,
  )}`;
}

function PlanTable({ plan }: { plan: EvaluationPlan }) {
  const { answers, scores } = plan;
  const sum = (of: (part: OperationPlanResponse) => number | null) =>
    ((answers && of(answers)) ?? 0) + (of(scores) ?? 0);
  return (
    <>
      <Table
        label="Plan"
        rows={columnsOf(plan)}
        keyOf={({ column_id }) => column_id}
        columns={[
          { name: 'Column or scorer', className: 'breaks', cell: ({ title }) => title },
          { name: 'Rows', className: 'number', cell: ({ cell_count: cells }) => count(cells) },
          {
            name: 'Cost',
            className: 'number',
            cell: ({ estimated_from: source, cost }) => (source === null ? 'free' : dollars(cost)),
          },
          {
            name: 'Time',
            className: 'number',
            cell: ({ seconds }) => (seconds === null ? UNKNOWN : duration(seconds * 1000)),
          },
        ]}
      />
      <p>
        {`${counted(
          sum((part) => part.cell_count),
          'cell',
        )}, ${count(sum((part) => part.input_tokens))} tokens in and ${count(sum((part) => part.output_tokens))} out: ${priceOf(plan)}.`}
      </p>
      <p className="quiet-text">
        Outputs that are computed already are kept. Scorers whose inputs have not changed use the results that are
        known.
      </p>
    </>
  );
}
