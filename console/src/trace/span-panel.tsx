import { useQuery } from '@tanstack/react-query';
import { api } from '../api/client';
import type { SpanBody } from '../api/schema.gen';
import { type Fact, FactList, Section } from '../ui/facts';
import { count, dollars, duration } from '../ui/format';
import { Icon } from '../ui/icons';
import { Failure, Waiting } from '../ui/parts';
import { KINDS } from './kinds';
import { Messages } from './messages';
import { ownTime, type Tree } from './tree';

interface Props {
  tree: Tree;
  place: number;
  traceId: string;
  onClose: () => void;
}

/** Everything about one span, at the side. What the list knows is there at once. */
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
    <aside className="panel" aria-label="Span">
      <header>
        <span className={`letter ${kind}`} title={KINDS[kind].name}>
          {KINDS[kind].letter}
        </span>
        <h2 className="ellipsis" title={span.name}>
          {span.name || 'without a name'}
        </h2>
        {failed && <span className="bad">failed</span>}
        <span className="spacer" />
        <button className="button quiet" aria-label="Close the panel" title="Esc" onClick={onClose}>
          <Icon name="close" />
        </button>
      </header>
      <Waiting on={isFetching} />
      {/* Long texts are scrolled with the keyboard too. */}
      <div className="panel-body" tabIndex={0} role="group" aria-label="Details of the span">
        <Facts tree={tree} place={place} provider={data?.span.provider ?? null} />
        {data?.span.status.description && <p className="bad text">{data.span.status.description}</p>}
        {span.request_log_id !== null && <Messages requestId={span.request_log_id} />}
        {error && !data && <Failure error={error} onRetry={() => void refetch()} />}
        {data && <Payload span={data.span} />}
      </div>
    </aside>
  );
}

function Facts({ tree, place, provider }: { tree: Tree; place: number; provider: string | null }) {
  const { span } = tree.nodes[place]!;
  const model = [provider, span.model].filter(Boolean).join(' · ');
  const tokens = `${count(span.input_tokens)} in, ${count(span.output_tokens)} out`;
  const facts: Fact[] = [
    ['Duration', span.end_time === null ? 'running' : duration(span.duration_ms)],
    ['Own time', duration(ownTime(tree, place))],
    ['Started', <span key="start">{span.start_time.replace('T', ' ').replace(/0*Z$/, '')} UTC</span>],
    ['After the start', duration((tree.nodes[place]!.start - tree.start) / 1000)],
    ['Type', span.span_type],
    ...(span.model === null ? [] : ([['Model', model]] as Fact[])),
    ...(span.input_tokens === null && span.output_tokens === null ? [] : ([['Tokens', tokens]] as Fact[])),
    ...(span.request_log_id === null ? [] : ([['Cost', dollars(span.cost)]] as Fact[])),
    ['Span id', <code key="id">{span.span_id}</code>],
  ];
  return <FactList facts={facts} />;
}

function Payload({ span }: { span: SpanBody }) {
  return (
    <>
      <Section title="Attributes" values={span.attributes} open />
      {span.events.map(({ name, timestamp, attributes }, index) => (
        // Two events may have everything in common.
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
