import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { api } from '../api/client';
import type { RequestResponse } from '../api/schema.gen';
import { Messages } from '../reading/messages';
import { type Fact, FactList, Section } from '../ui/facts';
import { count, dollars, duration, exact } from '../ui/format';
import { Panel } from '../ui/panel';
import { CopyButton, Failure } from '../ui/parts';
import { promptPath } from '../prompts/links';
import { sessionIn, sessionPath, userPath } from '../sessions/links';
import { Scores, Tags } from './additions';
import { callsWith } from './links';

const WORDS: Record<string, ReactNode> = {
  ERROR: <span className="bad">failed</span>,
  WARNING: <span className="warn">warning</span>,
};

/** Everything about one call, at the side. */
export function LogPanel({ id, onClose }: { id: number; onClose: () => void }) {
  const { data, error, isFetching, refetch } = useQuery({
    // The same key as that of its messages, so that there is one request.
    queryKey: ['request', id],
    queryFn: ({ signal }) => api('GET /api/public/v2/request/{request_id}', { path: { request_id: id }, signal }),
  });
  return (
    <Panel
      label="Request"
      title={data ? data.model : `Request ${id}`}
      hint={WORDS[data?.status ?? '']}
      actions={
        <>
          <Link className="button" href={`/playground?request=${id}`}>
            Open in the playground
          </Link>
          {data?.trace_id && (
            <Link className="button" href={pathOf(data)} title="o">
              Open its trace
            </Link>
          )}
        </>
      }
      isWaiting={isFetching}
      onClose={onClose}
    >
      {error && <Failure error={error} onRetry={() => void refetch()} />}
      {data && (
        <>
          <FactList facts={factsOf(data)} />
          {data.error_group !== null && (
            <Link className="link" href={callsWith('error_group', data.error_group)}>
              Others with this error
            </Link>
          )}
          <Messages requestId={id} isInPanel />
          <Scores request={data} />
          <Tags request={data} />
          <Section title="Metadata" values={data.metadata} open />
          <Section title="Input variables" values={data.prompt_input_variables} />
          <CopyButton text={String(id)} label="Copy id" />
          {data.sanitized && <p className="quiet-text">Characters that cannot be stored were replaced in this call.</p>}
        </>
      )}
    </Panel>
  );
}

export function pathOf({
  trace_id: trace,
  span_id: span,
}: {
  trace_id: string | null;
  span_id: string | null;
}): string {
  const query = span === null ? '' : `?span=${encodeURIComponent(span)}`;
  return `/traces/${encodeURIComponent(trace ?? '')}${query}`;
}

const link = (text: string, href: string): ReactNode => (
  <Link className="link" href={href}>
    {text}
  </Link>
);

function factsOf(data: RequestResponse): Fact[] {
  const { prompt_name: prompt, prompt_version_number: version, prompt_id: promptId, metadata } = data;
  const [session, user] = [sessionIn(metadata), metadata.user_id];
  const toPrompt = promptId === null ? callsWith('prompt_name', prompt ?? '') : promptPath(promptId);
  const parts = [
    data.cached_tokens ? `${count(data.cached_tokens)} cached` : null,
    data.thinking_tokens ? `${count(data.thinking_tokens)} thinking` : null,
  ].filter((part) => part !== null);
  const tokens = [`${count(data.input_tokens)} in, ${count(data.output_tokens)} out`, ...parts].join(', ');
  return [
    ['Latency', duration(data.latency_ms)],
    ['Cost', dollars(data.priced ? data.price : null)],
    ['Tokens', tokens],
    ['Started', exact(data.request_start_time)],
    ['Provider', link(data.provider, callsWith('provider_type', data.provider))],
    ['Model', link(data.model, callsWith('engine', data.model))],
    ['Name', data.function_name ? link(data.function_name, callsWith('function_name', data.function_name)) : '–'],
    ...(prompt === null
      ? []
      : [['Prompt', link(version === null ? prompt : `${prompt} v${version}`, toPrompt)] as Fact]),
    ...(session === null ? [] : [['Session', link(session, sessionPath(session))] as Fact]),
    ...(user === undefined ? [] : [['User', link(user, userPath(user))] as Fact]),
    ...(data.error_type === null
      ? []
      : [['Error', link(data.error_type, callsWith('error_type', data.error_type))] as Fact]),
    ['Id', <code key="id">{data.request_id}</code>],
  ];
}
