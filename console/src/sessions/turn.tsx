import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { api } from '../api/client';
import type { SessionTurnBody, TraceSkeletonResponse } from '../api/schema.gen';
import type { Said } from '../reading/blocks';
import { Conversation } from '../reading/conversation';
import { Messages } from '../reading/messages';
import { Failure, Waiting } from '../ui/parts';
import { Choice } from '../ui/search-field';
import { tracePath } from './links';

/** The messages of a turn: by default those of its last call, which has the earlier ones. */
export function Turn({ turn, number, of }: { turn: SessionTurnBody; number: number; of: number }) {
  const { trace_id: id } = turn;
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ['trace', id],
    queryFn: async ({ signal }) => {
      const request = { path: { trace_id: id }, query: { view: 'skeleton' as const }, signal };
      return (await api('GET /api/public/v2/traces/{trace_id}', request)) as TraceSkeletonResponse;
    },
  });
  const [chosen, choose] = useState('');
  const calls = data ? callsOf(data) : [];
  const shown = calls.find(({ key }) => key === chosen) ?? calls.at(-1);
  return (
    <section className="turn" tabIndex={0} aria-label="The turn">
      <header>
        <h2>{`Turn ${number} of ${of}`}</h2>
        <span className="spacer" />
        <CallChoice calls={calls} value={chosen} onChange={choose} />
        <Link className="button" title="t" href={tracePath(id)}>
          Open its trace
        </Link>
      </header>
      <Waiting on={isFetching} />
      {turn.status === 'ERROR' && <p className="bad text">{turn.error_message ?? 'failed'}</p>}
      {error && <Failure error={error} onRetry={() => void refetch()} />}
      {shown && <Messages requestId={shown.id} />}
      {data && !shown && <Texts turn={turn} />}
    </section>
  );
}

interface Call {
  /** No number: an object would put it before the default. */
  key: string;
  id: number;
  title: string;
}

function callsOf({ spans }: TraceSkeletonResponse): Call[] {
  return spans.flatMap(({ request_log_id: id, name, model }) =>
    id === null ? [] : [{ key: `call ${id}`, id, title: [name, model].filter(Boolean).join(' · ') }],
  );
}

function CallChoice(props: { calls: Call[]; value: string; onChange: (key: string) => void }) {
  const { calls, value, onChange } = props;
  const last = calls.at(-1);
  if (!last || calls.length === 1) return null;
  const options = calls.map(({ key, title }, at) => [key, `${at + 1}. ${title}`]);
  const all = Object.fromEntries([['', `Last call: ${last.title}`], ...options]) as Record<string, string>;
  return <Choice label="Call" options={all} value={value} onChange={onChange} />;
}

/** A turn without model calls shows its first input and its last output. */
function Texts({ turn: { first_input: input, last_output: output } }: { turn: SessionTurnBody }) {
  const texts = [
    ['input', input],
    ['output', output],
  ] as const;
  const said = texts.flatMap(([role, text]): Said[] =>
    text === null ? [] : [{ role, blocks: [{ kind: 'text', text }] }],
  );
  return <Conversation said={said} />;
}
