import './sessions.css';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { api } from '../api/client';
import { costOf, count, DAYS, duration, oneLine } from '../ui/format';
import { Back, Failure, Note, Waiting } from '../ui/parts';
import { Choice } from '../ui/search-field';
import { Table } from '../ui/table';
import { useTitle } from '../ui/title';
import { useUrlState } from '../ui/url-state';
import { userPath } from './links';

const DEFAULTS = { days: '' };
const MOST = 100;

/** The users of the applications with the most calls. */
export default function Users() {
  const [{ days }, set] = useUrlState(DEFAULTS);
  const query = { limit: MOST, ...(days !== '' && Object.hasOwn(DAYS, days) && { days: Number(days) }) };
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ['end-users', query],
    queryFn: ({ signal }) => api('GET /api/public/v2/users', { query, signal }),
    placeholderData: keepPreviousData,
  });
  useTitle('Users');
  return (
    <>
      <header className="screen-head">
        <Back href="/conversations" title="All sessions" />
        <h1>Users with the most requests</h1>
        <div className="actions">
          <Choice label="Time" options={DAYS} value={days} onChange={(chosen) => set({ days: chosen })} />
        </div>
      </header>
      <Waiting on={isFetching} />
      <div className="screen-body">
        {error && <Failure error={error} onRetry={() => void refetch()} />}
        {data?.data.length === 0 && (
          <Note title="No request names a user">
            <p>Send the attribute user.id with spans, or user_id in the metadata of requests.</p>
          </Note>
        )}
        {data && data.data.length > 0 && (
          <div className="page-list">
            <Table
              label="Users"
              rows={data.data}
              keyOf={({ user_id }) => user_id}
              columns={[
                {
                  name: 'User',
                  cell: ({ user_id: id }) => (
                    <Link className="link" href={userPath(id)}>
                      {oneLine(id)}
                    </Link>
                  ),
                },
                { name: 'Requests', className: 'number', cell: ({ request_count: calls }) => count(calls) },
                { name: 'Failed', className: 'number', cell: ({ error_count: failed }) => count(failed) },
                {
                  name: 'Cost',
                  className: 'number',
                  cell: ({ total_cost_usd: cost, unpriced_request_count: unpriced }) => costOf(cost, unpriced),
                },
                { name: 'Median latency', className: 'number', cell: ({ latency_p50_ms: ms }) => duration(ms) },
              ]}
            />
          </div>
        )}
      </div>
    </>
  );
}
