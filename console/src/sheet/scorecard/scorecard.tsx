import './scorecard.css';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { api } from '../../api/client';
import { useRefresh } from '../../api/lists';
import type { CalculationBody, ScorecardBody, ScorecardResponse } from '../../api/schema.gen';
import { PlanTable } from '../../evaluations/plan-table';
import { planOf, start } from '../../evaluations/prepare';
import { count, moment, rounded } from '../../ui/format';
import { FormDialog } from '../../ui/form';
import { Failure, Refused, Waiting } from '../../ui/parts';
import { SHEET, useSheet } from '../sheet-data';
import { ScorecardEditor } from './scorecard-editor';

/** Polling interval while a scorecard is calculated. */
const POLL_MS = 1000;
type Open = 'edit' | 'calculate' | 'delete' | null;

const isBusy = (data: ScorecardResponse | undefined): boolean =>
  ['queued', 'running'].includes(data?.latest_calculation?.status ?? '');

/** The scorecard of the sheet: its steps, its newest results, and its actions. */
export default function Scorecard() {
  const { path, canEdit } = useSheet();
  const [open, setOpen] = useState<Open>(null);
  const query = useQuery({
    queryKey: ['sheet', path, 'scorecard'],
    queryFn: ({ signal }) => api(`GET ${SHEET}/scorecard`, { path, signal }),
    refetchInterval: ({ state }) => (isBusy(state.data) ? POLL_MS : false),
    staleTime: 0,
  });
  const { data, error } = query;
  if (error && !data) return <Failure error={error} onRetry={() => void query.refetch()} />;
  if (!data) return <Waiting on />;
  const { scorecard } = data;
  const close = () => setOpen(null);
  const refetch = () => query.refetch();
  return (
    <>
      {scorecard ? (
        <Summary data={data} scorecard={scorecard} />
      ) : (
        <p>
          This sheet has no scorecard yet. Its steps judge every row, and their scores become the score of the sheet.
        </p>
      )}
      {canEdit && <Actions data={data} onOpen={setOpen} onChanged={refetch} />}
      {open === 'edit' && <ScorecardEditor scorecard={scorecard} onSaved={refetch} onClose={close} />}
      {open === 'calculate' && <Calculate onStarted={refetch} onClose={close} />}
      {open === 'delete' && scorecard && <Delete scorecard={scorecard} onDeleted={refetch} onClose={close} />}
    </>
  );
}

function Summary({ data, scorecard }: { data: ScorecardResponse; scorecard: ScorecardBody }) {
  const { display_calculation: shown, progress } = data;
  return (
    <>
      <h3 dir="auto">{scorecard.name}</h3>
      {shown && <p className="big-score">{rounded(shown.aggregate_score)}</p>}
      <p className="quiet-text" role="status">
        {isBusy(data) && progress
          ? `Calculating: ${count(progress.scored_rows)} of ${count(progress.total_rows)} rows`
          : stateText(scorecard, shown)}
      </p>
      {data.latest_calculation?.error_summary && <p className="bad text">{data.latest_calculation.error_summary}</p>}
      <ul className="scorecard-list" aria-label="Steps">
        {scorecard.steps.map(({ id, title, primitive_type: type, weight, required }) => (
          <li key={id}>
            <span dir="auto" className="breaks">
              {title}
            </span>
            <span className="quiet-text">{`${type}, weight ${weight}${required ? ', required' : ''}`}</span>
            <strong>{scoreOf(data, id)}</strong>
          </li>
        ))}
      </ul>
      {shown && (
        <p>
          <Link className="link" href={`/evaluations/runs?ids=${shown.id}`}>
            Open the rows of this run
          </Link>
        </p>
      )}
    </>
  );
}

function stateText({ status, stale_state: stale }: ScorecardBody, shown: CalculationBody | null): string {
  if (status === 'needs_setup') return 'It has no steps yet.';
  if (!shown) return 'Not calculated yet.';
  const old = stale?.is_stale ? ' · out of date' : '';
  return `${shown.aggregate_verdict ?? 'no verdict'} · calculated ${moment(shown.completed_at ?? shown.created_at)}${old}`;
}

/** The score of a step in the newest completed calculation. */
function scoreOf({ criterion_summaries: summaries }: ScorecardResponse, id: string): string {
  const summary = (summaries as Record<string, { score?: number | null }> | null)?.[id];
  return rounded(summary?.score ?? null);
}

interface ActionsProps {
  data: ScorecardResponse;
  onOpen: (open: Open) => void;
  onChanged: () => Promise<unknown>;
}

function Actions({ data, onOpen, onChanged }: ActionsProps) {
  const { path } = useSheet();
  const [error, setError] = useState<Error | null>(null);
  const cancel = async () => {
    await api(`POST ${SHEET}/scorecard/cancel`, { path, body: {} });
    await onChanged();
  };
  const { scorecard } = data;
  return (
    <>
      <div className="actions">
        <button className={scorecard ? 'button' : 'button primary'} onClick={() => onOpen('edit')}>
          {scorecard ? 'Edit the scorecard' : 'Make a scorecard'}
        </button>
        {scorecard && scorecard.steps.length > 0 && !isBusy(data) && (
          <button className="button primary" onClick={() => onOpen('calculate')}>
            Calculate the scorecard
          </button>
        )}
        {isBusy(data) && (
          <button className="button" onClick={() => void cancel().catch(setError)}>
            Cancel the calculation
          </button>
        )}
        {scorecard && (
          <button className="button quiet bad" onClick={() => onOpen('delete')}>
            Delete the scorecard
          </button>
        )}
      </div>
      <Refused error={error} />
    </>
  );
}

/** Shows the plan of a calculation before it starts. */
function Calculate({ onStarted, onClose }: { onStarted: () => Promise<unknown>; onClose: () => void }) {
  const { path } = useSheet();
  const refresh = useRefresh('evaluation-runs', 'sheet-scores');
  const plan = useQuery({
    queryKey: ['sheet', path, 'scorecard-plan'],
    queryFn: ({ signal }) => planOf(path, null, signal),
    staleTime: 0,
  });
  const calculate = async () => {
    if (!plan.data) throw new Error('The plan is still loading.');
    await start(path, '', plan.data);
    await Promise.all([onStarted(), refresh()]);
  };
  return (
    <FormDialog title="Calculate the scorecard" submit="Calculate" isWide onSubmit={calculate} onClose={onClose}>
      <Waiting on={plan.isFetching} />
      {plan.error && <Failure error={plan.error} onRetry={() => void plan.refetch()} />}
      {plan.data && <PlanTable plan={plan.data} />}
    </FormDialog>
  );
}

interface DeleteProps {
  scorecard: ScorecardBody;
  onDeleted: () => Promise<unknown>;
  onClose: () => void;
}

function Delete({ scorecard, onDeleted, onClose }: DeleteProps) {
  const { path } = useSheet();
  const remove = async () => {
    await api(`DELETE ${SHEET}/scorecard`, { path });
    await onDeleted();
  };
  return (
    <FormDialog
      title={`Delete “${scorecard.name}”?`}
      submit="Delete the scorecard"
      isDangerous
      onSubmit={remove}
      onClose={onClose}
    >
      <p>Its steps and results are deleted. You can restore them from an earlier version of the sheet.</p>
    </FormDialog>
  );
}
