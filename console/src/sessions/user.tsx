import './sessions.css';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { api } from '../api/client';
import { useCursorList } from '../api/lists';
import type { EndUserBody, TracesAfterCursor } from '../api/schema.gen';
import { callsWith } from '../logs/links';
import { costOf, count, duration, oneLine } from '../ui/format';
import { FactList } from '../ui/facts';
import { Moment } from '../ui/moment';
import { Back, CopyButton, Failure, Waiting } from '../ui/parts';
import { More, Table } from '../ui/table';
import { useTitle } from '../ui/title';
import { idInPath, questionIn, sessionPath, tracePath, tracesWith } from './links';

const PAGE = 20;

/** A user of the applications: what the calls add up to, the sessions and the newest traces. */
export default function User() {
  const id = idInPath();
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ['end-user', id],
    queryFn: ({ signal }) => api('GET /api/public/v2/users/{end_user_id}', { path: { end_user_id: id }, signal }),
  });
  useTitle(id);
  return (
    <>
      <header className="screen-head">
        <Back href="/users" title="All users" />
        <h1 dir="auto" className="ellipsis" title={id}>
          {oneLine(id)}
        </h1>
        <div className="actions">
          <Link className="button" href={callsWith('user_id', id)}>
            Show the requests
          </Link>
          <Link className="button" href={tracesWith({ user: id })}>
            Show the traces
          </Link>
          <CopyButton text={id} label="Copy id" />
        </div>
      </header>
      <Waiting on={isFetching} />
      <div className="screen-body">
        {error && <Failure error={error} onRetry={() => void refetch()} />}
        {data && (
          <div className="page-list">
            <FactList facts={[...factsOf(data.user), ['Sessions', count(data.user.session_count)]]} />
            <SessionsOf user={id} />
            <NewestTraces user={id} />
          </div>
        )}
      </div>
    </>
  );
}

const factsOf = (user: EndUserBody): [string, string][] => [
  ['Requests', count(user.request_count)],
  ['Failed', count(user.error_count)],
  ['Cost', costOf(user.total_cost_usd, user.unpriced_request_count)],
  ['Tokens', `${count(user.input_tokens)} in, ${count(user.output_tokens)} out`],
  ['Median latency', duration(user.latency_p50_ms)],
];

function SessionsOf({ user }: { user: string }) {
  const list = useCursorList(['sessions', 'of', user], (cursor, signal) =>
    api('GET /api/public/v2/sessions', { query: { user_id: user, limit: PAGE, cursor }, signal }),
  );
  return (
    <section>
      <h2>Sessions</h2>
      {list.error && <Failure error={list.error} onRetry={() => void list.refetch()} />}
      {list.data && list.items.length === 0 && <p className="quiet-text">None yet.</p>}
      {list.items.length > 0 && (
        <Table
          label="Sessions of the user"
          rows={list.items}
          keyOf={({ session_id }) => session_id}
          columns={[
            {
              name: 'Session',
              cell: ({ session_id: session }) => (
                <Link className="link" href={sessionPath(session)}>
                  {oneLine(session)}
                </Link>
              ),
            },
            { name: 'Last turn', cell: ({ last_time: at }) => <Moment at={at} /> },
            { name: 'Last input', cell: ({ last_input: input }) => questionIn(input) },
            { name: 'Turns', className: 'number', cell: ({ trace_count: turns }) => count(turns) },
            { name: 'Failed', className: 'number', cell: ({ error_count: failed }) => count(failed) },
            {
              name: 'Cost',
              className: 'number',
              cell: ({ total_cost_usd: cost, unpriced_request_count: unpriced }) => costOf(cost, unpriced),
            },
          ]}
        />
      )}
      <More list={list} />
    </section>
  );
}

function NewestTraces({ user }: { user: string }) {
  const filter_group = {
    logic: 'AND' as const,
    filters: [{ field: 'trace_user_id' as const, operator: 'is' as const, value: user }],
  };
  const { data, error, refetch } = useQuery({
    queryKey: ['traces', 'of', user],
    queryFn: async ({ signal }) =>
      (await api('POST /api/public/v2/traces/search', {
        body: { filter_group, limit: PAGE },
        signal,
      })) as TracesAfterCursor,
  });
  return (
    <section>
      <h2>Newest traces</h2>
      {error && <Failure error={error} onRetry={() => void refetch()} />}
      {data?.items.length === 0 && <p className="quiet-text">None yet.</p>}
      {data && data.items.length > 0 && (
        <Table
          label="Newest traces of the user"
          rows={data.items}
          keyOf={({ trace_id }) => trace_id}
          columns={[
            {
              name: 'Name',
              cell: ({ trace_id: trace, name }) => (
                <Link className="link" href={tracePath(trace)}>
                  {oneLine(name) || 'without a name'}
                </Link>
              ),
            },
            { name: 'Started', cell: ({ start_time: at }) => <Moment at={at} /> },
            { name: 'Duration', className: 'number', cell: ({ duration_ms: ms }) => duration(ms) },
            { name: 'Status', cell: ({ status }) => status === 'ERROR' && <span className="bad">failed</span> },
          ]}
        />
      )}
    </section>
  );
}
