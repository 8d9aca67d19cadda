import type { OperationPlanResponse } from '../api/schema.gen';
import { costOf, count, counted, dollars, duration, UNKNOWN } from '../ui/format';
import { Table } from '../ui/table';
import type { EvaluationPlan } from './prepare';

type Planned = OperationPlanResponse['columns'][number];

const columnsOf = ({ answers, scores }: EvaluationPlan): Planned[] => [...(answers?.columns ?? []), ...scores.columns];

export const startText = (plan: EvaluationPlan): string =>
  `Compute ${counted((plan.answers?.cell_count ?? 0) + plan.scores.cell_count, 'cell')} · ${priceOf(plan)}`;

/** Cost of the plan. Columns without a price are named, because unknown is not zero. */
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

/** Cost and time of the cells of outputs and scorers. */
export function PlanTable({ plan }: { plan: EvaluationPlan }) {
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
      <p className="quiet-text">Existing outputs are kept. Scorers with unchanged inputs reuse known results.</p>
    </>
  );
}
