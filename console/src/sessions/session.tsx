import './sessions.css';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { Link, useLocation } from 'wouter';
import { api } from '../api/client';
import { useCursorList, useRefresh } from '../api/lists';
import type { SessionTurnBody, TraceSessionTotalsBody } from '../api/schema.gen';
import { showAnswer } from '../reading/conversation';
import { costOf, count, counted, duration, oneLine } from '../ui/format';
import { useKeys, useListKeys } from '../ui/keys';
import { Moment } from '../ui/moment';
import { Back, CopyButton, Failure, Waiting } from '../ui/parts';
import { More } from '../ui/table';
import { useTitle } from '../ui/title';
import { useUrlState } from '../ui/url-state';
import { idInPath, questionIn, tracePath, tracesWith, userPath } from './links';
import { turnsOf } from './session-grid';
import { Turn } from './turn';

const DEFAULTS = { turn: '' };
/** Turns of the first page: more than fit on a screen, and few enough to be there at once. */
const FIRST_PAGE = 100;
const NEXT_PAGE = 500;
/** Turns that the keys pass over with a page. */
const PAGE_OF_TURNS = 8;

/** A conversation: its turns at the left, and the messages of one at the right. */
export default function Session() {
  const id = idInPath();
  const path = { session_id: id };
  const { data, error } = useQuery({
    queryKey: ['conversation', id],
    queryFn: ({ signal }) => api('GET /api/public/v2/sessions/{session_id}', { path, signal }),
  });
  const turns = useCursorList(['conversation', id, 'turns'], (cursor, signal) => {
    const limit = cursor === undefined ? FIRST_PAGE : NEXT_PAGE;
    return api('GET /api/public/v2/sessions/{session_id}/turns', { path, query: { cursor, limit }, signal });
  });
  // The turn that is shown is a trace.
  const reread = useRefresh('conversation', 'trace');
  const refresh = () => void reread();
  const failure = turns.error ?? error;
  useTitle(id);
  return (
    <>
      <header className="screen-head">
        <Back href="/conversations" title="All sessions" />
        <h1 dir="auto" className="ellipsis" title={id}>
          {oneLine(id)}
        </h1>
        {data && <Totals session={data.session} />}
        <div className="actions">
          <Link className="button" href={tracesWith({ session: id })}>
            Show its traces
          </Link>
          <CopyButton text={id} label="Copy id" />
          <button className="button" onClick={refresh}>
            Refresh
          </button>
        </div>
      </header>
      <Waiting on={turns.isFetching} />
      {failure && <Failure error={failure} onRetry={refresh} />}
      {turns.items.length > 0 && <Turns turns={turns.items} list={turns} count={data?.session.trace_count} />}
    </>
  );
}

function Totals({ session }: { session: TraceSessionTotalsBody }) {
  const { user_ids: users, error_count: failed } = session;
  const lasted = session.end_time && Date.parse(session.end_time) - Date.parse(session.first_time);
  const facts = [
    turnsOf(session),
    lasted ? duration(lasted) : null,
    session.total_tokens > 0 ? `${count(session.total_tokens)} tokens` : null,
    costOf(session.total_cost_usd, session.unpriced_request_count),
  ];
  return (
    <ul className="totals" aria-label="Totals">
      {users.map((user) => (
        <li key={user} dir="auto">
          <Link className="link" href={userPath(user)}>
            {user}
          </Link>
        </li>
      ))}
      {facts.flatMap((fact) => (fact ? [<li key={fact}>{fact}</li>] : []))}
      {failed > 0 && <li className="bad">{counted(failed, 'turn')} failed</li>}
    </ul>
  );
}

interface TurnsProps {
  turns: SessionTurnBody[];
  list: Parameters<typeof More>[0]['list'] & { isFetching: boolean; isFetchNextPageError: boolean };
  /** Number of turns in the session, if known. */
  count: number | undefined;
}

function Turns({ turns, list, count: known = 0 }: TurnsProps) {
  const [state, set] = useUrlState(DEFAULTS);
  const [, navigate] = useLocation();
  const found = turns.findIndex(({ trace_id: id }) => id === state.turn);
  const canLoad = list.hasNextPage && !list.isFetchNextPageError;
  const isAhead = state.turn !== '' && found < 0 && list.hasNextPage;
  const at = Math.max(0, found);
  const turn = turns[at]!;
  const isNearEnd = at + PAGE_OF_TURNS >= turns.length;
  useEffect(() => {
    if (canLoad && (isAhead || isNearEnd) && !list.isFetching) list.fetchNextPage();
  });
  useListKeys({
    count: turns.length,
    active: at,
    page: () => PAGE_OF_TURNS,
    onMove: (row) => set({ turn: turns[row]!.trace_id }, { replace: true }),
    onOpen: () => navigate(tracePath(turn.trace_id)),
  });
  useKeys({ o: showAnswer, t: () => navigate(tracePath(turn.trace_id)) });
  return (
    <div className="conversation">
      <nav className="session-turns" aria-label="Turns">
        <ol>
          {turns.map((each, place) => (
            <li key={each.trace_id}>
              <TurnButton turn={each} isShown={place === at} onShow={() => set({ turn: each.trace_id })} />
            </li>
          ))}
        </ol>
        <More list={list} />
      </nav>
      {isAhead ? (
        <Waiting on={canLoad} />
      ) : (
        <Turn key={turn.trace_id} turn={turn} number={at + 1} of={Math.max(known, turns.length)} />
      )}
    </div>
  );
}

const firstWords = ({ first_input: input, name }: SessionTurnBody): string =>
  questionIn(input) || oneLine(name) || 'without words';

function TurnButton({ turn, isShown, onShow }: { turn: SessionTurnBody; isShown: boolean; onShow: () => void }) {
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (isShown) button.current?.scrollIntoView({ block: 'nearest' });
  }, [isShown]);
  const { tool_names: tools, error_message: message } = turn;
  const facts = [
    turn.end_time === null ? 'running' : duration(turn.duration_ms),
    costOf(turn.total_cost_usd, turn.unpriced_request_count),
    ...(tools.length > 0 ? [tools.join(', ')] : []),
  ];
  return (
    <button ref={button} className="session-turn" aria-current={isShown ? 'true' : undefined} onClick={onShow}>
      <span dir="auto" className="ellipsis">
        {firstWords(turn)}
      </span>
      <span className="turn-facts ellipsis">
        <Moment at={turn.start_time} /> · {facts.join(' · ')}
      </span>
      {turn.status === 'ERROR' && (
        <span dir="auto" className="bad ellipsis turn-facts">
          failed{message === null ? '' : ` · ${oneLine(message)}`}
        </span>
      )}
    </button>
  );
}
