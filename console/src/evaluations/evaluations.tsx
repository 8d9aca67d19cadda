import './evaluations.css';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { api } from '../api/client';
import type { EvaluationBody } from '../api/schema.gen';
import { count, UNKNOWN } from '../ui/format';
import { ListScreenHead, NothingLike, Pages } from '../ui/list-screen';
import { Moment } from '../ui/moment';
import { Failure, Note, Waiting } from '../ui/parts';
import { Table } from '../ui/table';
import { useUrlState } from '../ui/url-state';
import { RunList } from './run-list';
import { RunState, Score } from './run-parts';
import { SheetScores } from './sheet-scores';

const DEFAULTS = { q: '', page: '1' };
const POLL_MS = 2000;

/** The pipelines with how their newest run came out. */
export default function Evaluations() {
  const [state, set] = useUrlState(DEFAULTS);
  const query = { name: state.q || undefined, page: Number(state.page), per_page: 20, include_runs: true } as const;
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ['evaluations', query],
    queryFn: ({ signal }) => api('GET /api/public/v2/evaluations', { query, signal }),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state: { data: known } }) => (known?.evaluations.some(isRunning) ? POLL_MS : false),
  });
  return (
    <>
      <ListScreenHead
        title="Evaluations"
        placeholder="A part of the name"
        q={state.q}
        onSearch={(q) => set({ q, page: '1' }, { replace: true })}
      >
        <Link className="button primary" href="/evaluations/new">
          New evaluation
        </Link>
      </ListScreenHead>
      <Waiting on={isFetching} />
      <div className="screen-body">
        {error && <Failure error={error} onRetry={() => void refetch()} />}
        {!error && data?.evaluations.length === 0 && <Nothing q={state.q} onClear={() => set(DEFAULTS)} />}
        {!error && data && data.evaluations.length > 0 && (
          <div className="page-list">
            <PipelineTable pipelines={data.evaluations} />
            <Pages {...data} what="evaluation" onPage={(page) => set({ page: String(page) })} />
          </div>
        )}
        {!error && data && state.q === '' && <RunList />}
        {!error && data && <SheetScores />}
      </div>
    </>
  );
}

const isRunning = ({ runs = [] }: EvaluationBody) => runs.some(({ status }) => status === 'RUNNING');

function Nothing({ q, onClear }: { q: string; onClear: () => void }) {
  if (q === '') {
    return (
      <Note title="There are no evaluations yet">
        <p>
          An evaluation runs columns, such as prompts and checks, over every row of a dataset. Create one with{' '}
          <code>POST /reports</code> of{' '}
          <a className="link" href="/docs" target="_blank" rel="noreferrer">
            the API
          </a>
          .
        </p>
      </Note>
    );
  }
  return <NothingLike what="evaluation" filters={[`“${q}” in the name`]} onClear={onClear} />;
}

function PipelineTable({ pipelines }: { pipelines: EvaluationBody[] }) {
  return (
    <Table
      label="Evaluations"
      rows={pipelines}
      keyOf={({ id }) => id}
      columns={[
        {
          name: 'Name',
          cell: ({ id, name }) => (
            <Link className="link" href={`/evaluations/${id}`}>
              {name}
            </Link>
          ),
        },
        { name: 'Runs', className: 'number', cell: ({ runs = [] }) => count(runs.length) },
        { name: 'Newest run', cell: ({ runs }) => (runs?.[0] ? <Moment at={runs[0].created_at} /> : 'never run') },
        { name: 'State', cell: ({ runs }) => (runs?.[0] ? <RunState run={runs[0]} /> : UNKNOWN) },
        {
          name: 'Score of 100',
          className: 'number',
          cell: ({ runs }) => (runs?.[0] ? <Score run={runs[0]} /> : UNKNOWN),
        },
        { name: 'Tags', cell: ({ tags }) => tags.join(', ') },
      ]}
    />
  );
}
