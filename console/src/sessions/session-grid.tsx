import { Link, useLocation } from 'wouter';
import type { TraceSessionBody } from '../api/schema.gen';
import { costOf, count, counted, oneLine, shortCostOf, UNKNOWN } from '../ui/format';
import { ListGrid } from '../ui/list-grid';
import { Moment } from '../ui/moment';
import { questionIn, sessionPath, userPath } from './links';
import { Links } from './named-links';

const COLUMNS = [
  { name: 'Last turn', className: 'started' },
  { name: 'Session', className: 'name' },
  { name: 'Last input', className: 'input' },
  { name: 'Turns', className: 'turns number' },
  { name: 'Failed', className: 'errors number' },
  { name: 'Tokens', className: 'tokens number' },
  { name: 'Cost', className: 'cost number' },
  { name: 'User', className: 'user' },
];

interface Props {
  sessions: TraceSessionBody[];
  place: string;
  more: { has: boolean; failed: boolean; load: () => void };
}

export function SessionGrid({ sessions, place, more }: Props) {
  const [, navigate] = useLocation();
  return (
    <ListGrid
      label="Sessions"
      className="sessions"
      place={`sessions ${place}`}
      items={sessions}
      keyOf={({ session_id }) => session_id}
      columns={COLUMNS}
      more={more}
      total={counted(sessions.length, 'session', more.has ? '+' : '')}
      onOpen={({ session_id: id }) => navigate(sessionPath(id))}
      cellsOf={() => (session) => <Cells session={session} />}
    />
  );
}

export const turnsOf = ({ trace_count: turns, is_capped: isCapped }: { trace_count: number; is_capped: boolean }) =>
  counted(turns, 'turn', isCapped ? '+' : '');

function Cells({ session }: { session: TraceSessionBody }) {
  const { session_id: id, error_count: failed, user_ids: users } = session;
  return (
    <>
      <div role="gridcell" className="started">
        <Moment at={session.last_time} />
      </div>
      <div role="gridcell" className="name">
        <Link href={sessionPath(id)} tabIndex={-1} title={id}>
          <span dir="auto" className="ellipsis">
            {oneLine(id)}
          </span>
        </Link>
      </div>
      <div role="gridcell" dir="auto" className="input ellipsis quiet-text">
        {questionIn(session.last_input)}
      </div>
      <div role="gridcell" className="turns number">
        {count(session.trace_count)}
        {session.is_capped && '+'}
      </div>
      <div role="gridcell" className={failed > 0 ? 'errors number bad' : 'errors number'}>
        {failed > 0 ? count(failed) : ''}
      </div>
      <div role="gridcell" className="tokens number">
        {session.total_tokens === 0 ? UNKNOWN : count(session.total_tokens)}
      </div>
      <div
        role="gridcell"
        className="cost number"
        title={costOf(session.total_cost_usd, session.unpriced_request_count)}
      >
        {shortCostOf(session.total_cost_usd, session.unpriced_request_count)}
      </div>
      <div role="gridcell" dir="auto" className="user ellipsis" title={users.join(', ')}>
        <Links items={users} to={userPath} />
      </div>
    </>
  );
}
