import './evaluations.css';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { Link } from 'wouter';
import { api } from '../api/client';
import type { EvaluationBody } from '../api/schema.gen';
import { count, moment } from '../ui/format';
import { useKeys } from '../ui/keys';
import { Failure, Note, Waiting } from '../ui/parts';
import { SearchField } from '../ui/search-field';
import { Table } from '../ui/table';
import { useUrlState } from '../ui/url-state';
import { RunState, Score } from './run-parts';

const DEFAULTS = { q: '', page: '1' };
const POLL_MS = 2000;

/** The pipelines with how their newest run came out. */
export default function Evaluations() {
  const [state, set] = useUrlState(DEFAULTS);
  const field = useRef<HTMLInputElement>(null);
  useKeys({ '/': () => field.current?.select() });
  useEffect(() => {
    document.title = 'Evaluations · Tracesheet';
  }, []);
  const query = { name: state.q || undefined, page: Number(state.page), per_page: 20, include_runs: true } as const;
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ['evaluations', query],
    queryFn: ({ signal }) => api('GET /api/public/v2/evaluations', { query, signal }),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state: { data: known } }) => (known?.evaluations.some(isRunning) ? POLL_MS : false),
  });
  return (
    <>
      <header className="screen-head">
        <h1>Evaluations</h1>
        <SearchField
          label="Search evaluations"
          placeholder="A part of the name   /"
          field={field}
          value={state.q}
          onChange={(q) => set({ q, page: '1' }, { replace: true })}
        />
      </header>
      <Waiting on={isFetching} />
      <div className="screen-body">
        {error && <Failure error={error} onRetry={() => void refetch()} />}
        {!error && data?.evaluations.length === 0 && <Nothing q={state.q} onClear={() => set(DEFAULTS)} />}
        {!error && data && data.evaluations.length > 0 && (
          <div className="page-list">
            <PipelineTable pipelines={data.evaluations} />
            {data.pages > 1 && (
              <div className="actions">
                <button
                  className="button"
                  disabled={data.page <= 1}
                  onClick={() => set({ page: String(data.page - 1) })}
                >
                  Previous
                </button>
                <span>{`Page ${data.page} of ${data.pages}, ${count(data.total)} evaluations`}</span>
                <button
                  className="button"
                  disabled={data.page >= data.pages}
                  onClick={() => set({ page: String(data.page + 1) })}
                >
                  Next
                </button>
              </div>
            )}
          </div>
        )}
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
          <code>POST /reports</code>, or score a sheet.
        </p>
      </Note>
    );
  }
  return (
    <Note title="No evaluation is like that">
      <p>The list shows only evaluations with “{q}” in the name.</p>
      <div className="actions">
        <button className="button" onClick={onClear}>
          Show all evaluations
        </button>
      </div>
    </Note>
  );
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
        { name: 'Newest run', cell: ({ runs }) => (runs?.[0] ? moment(runs[0].created_at) : 'never run') },
        { name: 'State', cell: ({ runs }) => runs?.[0] && <RunState run={runs[0]} /> },
        { name: 'Score', className: 'number', cell: ({ runs }) => runs?.[0] && <Score run={runs[0]} /> },
        { name: 'Tags', cell: ({ tags }) => tags.join(', ') },
      ]}
    />
  );
}
