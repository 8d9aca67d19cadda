import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { api } from '../api/client';
import type { BareSpanBody, SpanDetailBody } from '../api/schema.gen';
import { promptPath } from '../prompts/links';
import { Messages } from '../reading/messages';
import { SpanTexts } from '../reading/span-texts';
import { tracesWith } from '../sessions/links';
import { type Fact, FactList, Section } from '../ui/facts';
import { count, dollars, duration, exact } from '../ui/format';
import { Panel } from '../ui/panel';
import { Failure } from '../ui/parts';
import { KindSign } from './kind-sign';
import type { Tree } from './tree';

interface Props {
  tree: Tree;
  place: number;
  traceId: string;
  onClose: () => void;
}

/** Everything about one span, at the side. Fields of the list are shown at once. */
export function SpanPanel({ tree, place, traceId, onClose }: Props) {
  const { span, kind, failed } = tree.nodes[place]!;
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ['span', traceId, span.span_id],
    queryFn: ({ signal }) => {
      const path = { trace_id: traceId, span_id: span.span_id };
      return api('GET /api/public/v2/traces/{trace_id}/spans/{span_id}', { path, signal });
    },
  });
  return (
    <Panel
      label="Span"
      title={span.name || 'without a name'}
      sign={<KindSign kind={kind} />}
      hint={failed && <span className="bad">failed</span>}
      actions={
        span.request_log_id !== null && (
          <Link className="button" href={`/playground?request=${span.request_log_id}`}>
            Open in the playground
          </Link>
        )
      }
      isWaiting={isFetching}
      onClose={onClose}
    >
      <Facts tree={tree} place={place} span={data?.span ?? null} />
      {/* Calls show their own error. */}
      {span.request_log_id === null && (
        <p dir="auto" className="bad text">
          {data?.span.status.description}
        </p>
      )}
      {span.request_log_id !== null && <Messages requestId={span.request_log_id} isInPanel />}
      {error && <Failure error={error} onRetry={() => void refetch()} />}
      {data && <Payload span={data.span} />}
    </Panel>
  );
}

function Facts({ tree, place, span: read }: { tree: Tree; place: number; span: SpanDetailBody | null }) {
  const { span, own, start } = tree.nodes[place]!;
  const firstToken = read?.first_token_ms ?? null;
  const facts: Fact[] = [
    ['Duration', span.end_time === null ? 'running' : duration(span.duration_ms)],
    ['Self time', duration(own)],
    ...(firstToken === null ? [] : ([['First token', duration(firstToken)]] as Fact[])),
    ['Started', exact(span.start_time)],
    ['Offset', duration((start - tree.start) / 1000)],
    ['Type', span.span_type],
    ...factsOfCall(span, read),
    ['Span id', <code key="id">{span.span_id}</code>],
  ];
  return <FactList facts={facts} />;
}

/** Facts of model calls, and of spans that name a prompt. */
function factsOfCall(span: BareSpanBody, read: SpanDetailBody | null): Fact[] {
  const { provider = null, prompt_id: prompt = null, prompt_version_number: version = null } = read ?? {};
  const tokens = `${count(span.input_tokens)} in, ${count(span.output_tokens)} out`;
  const facts: (Fact | null)[] = [
    span.model === null ? null : ['Model', <ModelLink key="model" provider={provider} model={span.model} />],
    span.input_tokens === null && span.output_tokens === null ? null : ['Tokens', tokens],
    span.request_log_id === null ? null : ['Cost', dollars(span.cost)],
    prompt === null ? null : ['Prompt', <PromptLink key="prompt" id={prompt} version={version} />],
  ];
  return facts.filter((fact) => fact !== null);
}

function ModelLink({ provider, model }: { provider: string | null; model: string }) {
  return (
    <>
      {provider !== null && `${provider} · `}
      <Link className="link" href={tracesWith({ model })}>
        {model}
      </Link>
    </>
  );
}

function PromptLink({ id, version }: { id: number; version: number | null }) {
  return (
    <Link className="link" href={promptPath(id)}>
      {version === null ? id : `${id} v${version}`}
    </Link>
  );
}

function Payload({ span }: { span: SpanDetailBody }) {
  const isCall = span.request_log_id !== null;
  const hasTexts = isCall || span.input !== null || span.output !== null;
  return (
    <>
      {!isCall && <SpanTexts span={span} />}
      <Section title="Attributes" values={span.attributes} open={!hasTexts} />
      {span.events.map(({ name, timestamp, attributes }, index) => (
        // Two events may be equal, so the index is the key.
        <Section
          key={index}
          title={`Event: ${name}`}
          hint={timestamp}
          values={attributes}
          open={name === 'exception'}
        />
      ))}
      {span.links.map(({ context, attributes }, index) => (
        <Section key={index} title={`Link to span ${context.span_id}`} hint={context.trace_id} values={attributes} />
      ))}
      <Section title="Resource" values={span.resource.attributes} />
      {span.sanitized && <p className="quiet-text">Characters that cannot be stored were replaced in this span.</p>}
    </>
  );
}
