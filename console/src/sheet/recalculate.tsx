import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { api } from '../api/client';
import type {
  ColumnBody,
  ConfirmationResponse,
  CreateOperationRequest,
  OperationPlanResponse,
} from '../api/schema.gen';
import { Dialog } from '../ui/dialog';
import { costOf, count, counted, dollars, duration, UNKNOWN } from '../ui/format';
import { Failure, Refused, Waiting } from '../ui/parts';
import { Choice } from '../ui/search-field';
import { Table } from '../ui/table';
import { type Overview, useSheet } from './sheet-data';

const OPERATIONS = '/api/public/v2/tables/{table_id}/sheets/{sheet_id}/operations';

const STATES: Record<string, string[]> = { stale: ['STALE'], failed: ['FAILED'], both: ['STALE', 'FAILED'], all: [] };
const WHICH = { stale: 'Stale cells', failed: 'Failed cells', both: 'Stale and failed cells', all: 'All cells' };

interface Props {
  overview: Overview | undefined;
  /** The column of the selected cell. */
  column: ColumnBody | undefined;
  onClose: () => void;
}

/** Chooses cells, shows the plan, then recalculates. Nothing is computed before somebody has seen the plan. */
export function Recalculate({ overview, column, onClose }: Props) {
  const { path, types, refresh } = useSheet();
  const [which, setWhich] = useState(() => firstChoice(overview));
  const [scope, setScope] = useState('');
  const [reuse, setReuse] = useState(false);
  const [question, setQuestion] = useState<ConfirmationResponse | null>(null);
  const [error, setError] = useState<Error | null>(null);
  const selection = {
    operation: 'recalculate' as const,
    statuses: STATES[which]!,
    ...(scope !== '' && { column_ids: [column!.id] }),
  };
  const plan = usePlan(selection);
  const takesKnown = reuse && hasKnown(plan.data);
  const start = async (event: FormEvent) => {
    event.preventDefault();
    try {
      const send = (token?: string) =>
        api(`POST ${OPERATIONS}`, { path, body: { ...selection, reuse: takesKnown, confirmation_token: token } });
      let answer = await send(question?.confirmation_token);
      // The plan shows the number of cells, which confirms it. A different number needs another confirmation.
      if ('requires_confirmation' in answer && answer.affected_cell_count === plan.data?.cell_count) {
        answer = await send(answer.confirmation_token);
      }
      if ('requires_confirmation' in answer) {
        void plan.refetch();
        return setQuestion(answer);
      }
      refresh();
      onClose();
    } catch (failure) {
      setError(failure as Error);
    }
  };
  const canScope = column !== undefined && types.get(column.type)?.computed;
  return (
    <Dialog label="Recalculate" className="form-dialog" onClose={onClose}>
      <h1>Recalculate</h1>
      <Waiting on={plan.isFetching} />
      <form className="form" onSubmit={(event) => void start(event)}>
        {!question && (
          <div className="actions">
            <Choice label="Which cells" options={WHICH} value={which} onChange={setWhich} />
            {canScope && <Scope title={column.title} value={scope} onChange={setScope} />}
          </div>
        )}
        {question && <p>{`The sheet has changed. Recalculate ${counted(question.affected_cell_count, 'cell')}?`}</p>}
        {plan.error && <Failure error={plan.error} onRetry={() => void plan.refetch()} />}
        {plan.data && <Plan plan={plan.data} reuse={takesKnown} onReuse={setReuse} />}
        <Refused error={error} />
        <Buttons cells={plan.data?.cell_count ?? null} question={question} onClose={onClose} />
      </form>
    </Dialog>
  );
}

/** The most likely choice: failed cells when there are failures and no stale cells. */
function firstChoice(overview: Overview | undefined): string {
  const counts = overview?.status_counts;
  return counts && counts.STALE === 0 && counts.FAILED > 0 ? 'failed' : 'stale';
}

/** Whether results of some cells are cached. */
const hasKnown = (plan: OperationPlanResponse | undefined): boolean => (plan?.reusable_cell_count ?? 0) > 0;

function usePlan(selection: CreateOperationRequest) {
  const { path } = useSheet();
  return useQuery({
    queryKey: ['sheet', path, 'plan', selection],
    queryFn: async ({ signal }) => {
      const body = { ...selection, dry_run: true };
      return (await api(`POST ${OPERATIONS}`, { path, body, signal })) as OperationPlanResponse;
    },
    staleTime: 0,
  });
}

function Scope({ title, value, onChange }: { title: string; value: string; onChange: (value: string) => void }) {
  const options = { '': 'In all columns', column: `In “${title}”` };
  return <Choice label="Which columns" options={options} value={value} onChange={onChange} />;
}

interface ButtonProps {
  /** Null while the plan is being made. */
  cells: number | null;
  question: ConfirmationResponse | null;
  onClose: () => void;
}

/** The first button has the focus, so Enter presses it, also when the server asks again. */
function Buttons({ cells, question, onClose }: ButtonProps) {
  const first = useRef<HTMLButtonElement>(null);
  useEffect(() => first.current?.focus(), [question]);
  const label = question
    ? `Yes, compute ${counted(question.affected_cell_count, 'cell')}`
    : `Compute ${cells === null ? '…' : counted(cells, 'cell')}`;
  return (
    <div className="actions">
      <button ref={first} className="button primary" data-first="" disabled={!question && cells === 0}>
        {label}
      </button>
      <button type="button" className="button" onClick={onClose}>
        Cancel
      </button>
    </div>
  );
}

interface PlanProps {
  plan: OperationPlanResponse;
  /** Whether cached results may be used. */
  reuse: boolean;
}

function Plan({ plan, reuse, onReuse }: PlanProps & { onReuse: (reuse: boolean) => void }) {
  if (plan.cell_count === 0) return <p>No matching cells.</p>;
  return (
    <>
      <Table
        label="Plan"
        rows={plan.columns}
        keyOf={({ column_id }) => column_id}
        columns={[
          { name: 'Column', className: 'breaks', cell: ({ title }) => title },
          { name: 'Cells', className: 'number', cell: (each) => count(each.cell_count) },
          {
            name: 'Cost',
            className: 'number',
            cell: (each) => (each.estimated_from === null ? 'free' : dollars(reuse ? each.cost_with_reuse : each.cost)),
          },
          {
            name: 'Time',
            className: 'number',
            cell: ({ seconds }) => (seconds === null ? UNKNOWN : duration(seconds * 1000)),
          },
        ]}
      />
      {hasKnown(plan) && (
        <label className="tick">
          <input type="checkbox" checked={reuse} onChange={({ target }) => onReuse(target.checked)} />
          {`Reuse known results of ${counted(plan.reusable_cell_count, 'cell')} instead of calling again`}
        </label>
      )}
      <Cost plan={plan} reuse={reuse} />
    </>
  );
}

/** Cost of the plan. Cells without a price are named, because unknown is not zero. */
function Cost({ plan, reuse }: PlanProps) {
  const { columns, input_tokens: input, output_tokens: output } = plan;
  const priceOf = (each: Pick<OperationPlanResponse, 'cost' | 'cost_with_reuse'>) =>
    reuse ? each.cost_with_reuse : each.cost;
  const external = columns.filter(({ estimated_from: source }) => source !== null);
  if (external.length === 0)
    return <p className="quiet-text">The server recalculates these automatically, at no cost.</p>;
  const unpriced = external.filter((each) => priceOf(each) === null).length;
  const price = unpriced === external.length ? 'no price is known' : costOf(priceOf(plan) ?? 0, unpriced);
  const tokens = input && !reuse ? ` for ${count(input)} tokens in and ${count(output)} out` : '';
  const share = reuse ? ', known results left out' : tokens;
  return <p className="quiet-text">{`Estimated: ${price}${share}.`}</p>;
}
