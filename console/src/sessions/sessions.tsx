import './sessions.css';
import { Link } from 'wouter';
import { SavedViews } from '../saved-views/saved-views';
import { NothingSent } from '../shell/nothing-sent';
import { describeScope, ScopeChoice } from '../shell/scope';
import { ListScreenHead, NothingLike, Refresh } from '../ui/list-screen';
import { Failure, Waiting } from '../ui/parts';
import { TimeChoice } from '../ui/time-choice';
import { describeRange, describeTime, hasRange } from '../ui/time-range';
import { useUrlState } from '../ui/url-state';
import { useNow } from '../ui/use-now';
import { SessionGrid } from './session-grid';
import { DEFAULTS, listOf, type SessionsState, useSessions } from './use-sessions';

const SCREEN = { name: 'sessions', defaults: DEFAULTS } as const;

/** The list of conversations, those with the newest turn first. */
export default function Sessions() {
  const [state, set] = useUrlState(DEFAULTS);
  const list = listOf(state);
  const { now, refresh: refreshed } = useNow(list);
  const { items: sessions, news, more, error, isFetching, isLooking, isPending, refetch } = useSessions(state, now);
  const refresh = () => refreshed(refetch);
  const isEmpty = !isPending && !error && !isLooking && sessions.length === 0;
  return (
    <>
      <ListScreenHead
        title="Sessions"
        placeholder="Id of a user"
        q={state.q}
        onSearch={(q) => set({ q }, { replace: true })}
      >
        <SavedViews screen={SCREEN} state={state} set={set} />
        <ScopeChoice />
        <TimeChoice state={state} onChange={set} />
        <Link className="button" href="/users">
          Users
        </Link>
        <Refresh news={news} onRefresh={refresh} />
      </ListScreenHead>
      <Waiting on={isFetching} />
      {error && sessions.length === 0 && <Failure error={error} onRetry={refresh} />}
      {isEmpty && <Nothing state={state} onClear={() => set(DEFAULTS)} onRefresh={refresh} />}
      {sessions.length > 0 && <SessionGrid sessions={sessions} place={list} more={more} />}
    </>
  );
}

function Nothing(props: { state: SessionsState; onClear: () => void; onRefresh: () => void }) {
  const { state, onClear, onRefresh } = props;
  const { q } = state;
  const filters = [
    ...(q.trim() === '' ? [] : [`the user “${q.trim()}”`]),
    ...describeTime(state),
    ...(hasRange(state) ? [`the time ${describeRange(state)}`] : []),
    ...describeScope(state),
  ];
  if (filters.length > 0) return <NothingLike what="session" filters={filters} onClear={onClear} />;
  const line = 'Traces with the attribute session.id or gen_ai.conversation.id become turns of a session.';
  return <NothingSent what="sessions" line={line} onRefresh={onRefresh} />;
}
