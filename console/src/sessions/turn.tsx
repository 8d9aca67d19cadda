import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { api } from '../api/client';
import type { SessionTurnBody, TraceSkeletonResponse } from '../api/schema.gen';
import { Messages } from '../trace/messages';
import { Failure, Waiting } from '../ui/parts';
import { Choice } from '../ui/search-field';
import { tracePath } from './links';

const ANSWER = '.turn article:last-of-type';

/** Leads to the last message of the turn that is shown. */
export function showAnswer(): void {
  const answer = document.querySelector<HTMLElement>(ANSWER);
  answer?.scrollIntoView({ block: 'start' });
  document.querySelector<HTMLElement>('.turn')?.focus({ preventScroll: true });
}

/** What was said in a turn: the messages of its last call, which has the ones before, or of another one. */
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
  const calls = (data?.spans ?? []).flatMap(({ request_log_id: call, name, model }) =>
    call === null ? [] : [{ call, title: [name, model].filter(Boolean).join(' · ') }],
  );
  const last = calls.at(-1);
  const names = calls.map(({ call, title }, at) => [String(call), `${at + 1}. ${title}`]);
  return (
    <section className="turn" tabIndex={0} aria-label="The turn">
      <header>
        <h2>{`Turn ${number} of ${of}`}</h2>
        <span className="spacer" />
        {last && calls.length > 1 && (
          <Choice
            label="Call"
            options={Object.fromEntries([['', `Last call: ${last.title}`], ...names]) as Record<string, string>}
            value={chosen}
            onChange={choose}
          />
        )}
        <button className="button" title="o" onClick={showAnswer}>
          Go to the answer
        </button>
        <Link className="button" title="t" href={tracePath(id)}>
          Open its trace
        </Link>
      </header>
      <Waiting on={isFetching} />
      {turn.status === 'ERROR' && <p className="bad text">{turn.error_message ?? 'failed'}</p>}
      {error && !data && <Failure error={error} onRetry={() => void refetch()} />}
      {last && <Messages requestId={chosen === '' ? last.call : Number(chosen)} />}
      {data && !last && <Texts turn={turn} />}
    </section>
  );
}

/** A turn that called no model has its first input and its last output. */
function Texts({ turn: { first_input: input, last_output: output } }: { turn: SessionTurnBody }) {
  const texts = [
    ['input', input],
    ['output', output],
  ] as const;
  return (
    <section className="messages" aria-label="Messages">
      {texts.map(
        ([role, text]) =>
          text !== null && (
            <article key={role} className="box">
              <h3 className="quiet-text">{role}</h3>
              <pre dir="auto" className="text">
                {text}
              </pre>
            </article>
          ),
      )}
    </section>
  );
}
