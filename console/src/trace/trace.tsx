import './trace.css';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { Link } from 'wouter';
import { api } from '../api/client';
import { useRefresh } from '../api/lists';
import type { TraceBody, TraceSkeletonResponse } from '../api/schema.gen';
import { ScoreChips } from '../search/scores';
import { costOf, count, counted, duration, moment } from '../ui/format';
import { Back, CopyButton, Failure, Waiting } from '../ui/parts';
import { useTitle } from '../ui/title';
import { useUrlState } from '../ui/url-state';
import { AddingBar } from '../to-sheet/adding-bar';
import { TraceActions } from './trace-actions';
import { promptPath } from '../prompts/links';
import { sessionPath, tracesWith, userPath } from '../sessions/links';
import { Links } from '../sessions/named-links';
import { buildTree } from './tree';
import { Waterfall } from './waterfall';

const ADDING = { adding: '' };

/** One trace: its totals, and its spans over time. */
export default function Trace({ id }: { id: string }) {
  const { data, error, isFetching } = useQuery({
    queryKey: ['trace', id],
    queryFn: async ({ signal }) => {
      const request = { path: { trace_id: id }, query: { view: 'skeleton' as const }, signal };
      return (await api('GET /api/public/v2/traces/{trace_id}', request)) as TraceSkeletonResponse;
    },
  });
  const reread = useRefresh('trace', 'span');
  const refresh = () => void reread();
  const [url, setUrl] = useUrlState(ADDING);
  const tree = useMemo(() => data && buildTree(data.spans), [data]);
  const name = data?.trace.name || 'Trace';
  useTitle(name);
  return (
    <>
      <header className="screen-head">
        <Back href="/traces" title="All traces" />
        <h1 dir="auto" className="ellipsis" title={name}>
          {name}
        </h1>
        {data && <Totals trace={data.trace} />}
        <div className="actions">
          {data && <TraceActions trace={data.trace} calls={callsOf(data)} />}
          <CopyButton text={id} label="Copy id" />
          <button className="button" onClick={refresh}>
            Refresh
          </button>
        </div>
      </header>
      <AddingBar text={url.adding} onClose={() => setUrl({ adding: '' }, { replace: true })} />
      <Waiting on={isFetching} />
      {error && <Failure error={error} onRetry={refresh} />}
      {tree && <Waterfall tree={tree} traceId={id} />}
    </>
  );
}

/** The requests that were made in a trace, in the order of their start. */
function callsOf({ spans }: TraceSkeletonResponse): number[] {
  return spans.flatMap(({ request_log_id: id }) => (id === null ? [] : [id]));
}

function Totals({ trace }: { trace: TraceBody }) {
  const facts = [
    moment(trace.start_time),
    trace.end_time === null ? 'running' : duration(trace.duration_ms),
    counted(trace.span_count, 'span'),
    trace.total_tokens > 0 ? `${count(trace.total_tokens)} tokens` : null,
    costOf(trace.total_cost_usd, trace.unpriced_request_count),
    trace.is_closed ? 'closed' : null,
  ];
  return (
    <ul className="totals" aria-label="Totals">
      {trace.status === 'ERROR' && <li className="bad">failed</li>}
      {facts.flatMap((fact) => (fact ? [<li key={fact}>{fact}</li>] : []))}
      <NamesOf trace={trace} />
    </ul>
  );
}

/** Names that a trace shares with others. Each links to their traces, or to its own page. */
function NamesOf({ trace }: { trace: TraceBody }) {
  const { user_id: user, session_id: session, prompts } = trace;
  const named = [
    { label: 'session', items: session === null ? [] : [session], to: sessionPath },
    { label: 'user', items: user === null ? [] : [user], to: userPath },
    { label: 'tools', items: trace.tool_names, to: (tool: string) => tracesWith({ tool }) },
    { label: 'tags', items: trace.tags, to: (tag: string) => tracesWith({ tag }) },
  ];
  return (
    <>
      {named
        .filter(({ items }) => items.length > 0)
        .map(({ label, items, to }) => (
          <li key={label} dir="auto">
            {label} <Links items={items} to={to} inList={false} />
          </li>
        ))}
      {trace.scores.length > 0 && (
        <li dir="auto">
          {'scores '}
          <ScoreChips scores={trace.scores} list="/traces" inList={false} />
        </li>
      )}
      {prompts.map(({ id, name, version }) => (
        <li key={`${id} ${version}`} dir="auto">
          prompt{' '}
          <Link className="link" href={promptPath(id)}>
            {name ?? id}
            {version !== null && ` v${version}`}
          </Link>
        </li>
      ))}
    </>
  );
}
