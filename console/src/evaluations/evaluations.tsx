import './evaluations.css';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { api, type AnswerOf } from '../api/client';
import type { EvaluationBody } from '../api/schema.gen';
import { count, UNKNOWN } from '../ui/format';
import { ListScreenHead, NothingLike, Pages } from '../ui/list-screen';
import { Moment } from '../ui/moment';
import { Failure, Waiting } from '../ui/parts';
import { Table } from '../ui/table';
import { useUrlState } from '../ui/url-state';
import { RunList } from './run-list';
import { RunState, Score } from './run-parts';
import { SheetScores } from './sheet-scores';

const DEFAULTS = { q: '', page: '1' };
const POLL_MS = 2000;

/** Runs over sheets, and pipelines over datasets with how their newest run came out. */
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
        placeholder="Search by name"
        q={state.q}
        onSearch={(q) => set({ q, page: '1' }, { replace: true })}
      >
        <Link className="button primary" href="/evaluations/new">
          New evaluation
        </Link>
      </ListScreenHead>
      <Waiting on={isFetching} />
      <div className="screen-body">
        {error ? (
          <Failure error={error} onRetry={() => void refetch()} />
        ) : (
          data && <Found data={data} q={state.q} set={set} />
        )}
      </div>
    </>
  );
}

interface FoundProps {
  data: AnswerOf<'GET /api/public/v2/evaluations'>;
  q: string;
  set: (change: Partial<typeof DEFAULTS>) => void;
}

/** Runs over sheets first; pipelines over datasets below them. */
function Found({ data, q, set }: FoundProps) {
  const { evaluations } = data;
  return (
    <>
      {q === '' && <RunList />}
      {evaluations.length === 0 && q !== '' && (
        <NothingLike what="evaluation" filters={[`“${q}” in the name`]} onClear={() => set(DEFAULTS)} />
      )}
      {evaluations.length > 0 && (
        <section className="page-list">
          <h2>Evaluations of datasets</h2>
          <PipelineTable pipelines={evaluations} />
          <Pages {...data} what="evaluation" onPage={(page) => set({ page: String(page) })} />
        </section>
      )}
      <SheetScores />
    </>
  );
}

const isRunning = ({ runs = [] }: EvaluationBody) => runs.some(({ status }) => status === 'RUNNING');

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
