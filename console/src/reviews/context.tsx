import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { api } from '../api/client';
import type { OpenedReviewQueueBody, ReviewItemBody, RowsResponse, TraceSkeletonResponse } from '../api/schema.gen';
import type { Said } from '../reading/blocks';
import { Conversation } from '../reading/conversation';
import { Messages } from '../reading/messages';
import { SpanTexts } from '../reading/span-texts';
import { Failure, Note, Waiting } from '../ui/parts';
import { ownColumns } from './rubric';

interface Props {
  queue: OpenedReviewQueueBody;
  item: ReviewItemBody;
}

/** The content under review: the messages of a request, the last call of a trace, or the cells of a row. */
export function ItemContext({ queue, item }: Props) {
  const { subject } = queue;
  if (item.is_gone) {
    return (
      <Note title="This item no longer exists">
        <p>What it was about has been deleted. Its answers are kept without comments.</p>
      </Note>
    );
  }
  if (subject === 'row') return <Row queue={queue} rowIndex={Number(item.subject_id)} />;
  if (subject === 'trace') return <TraceContext id={item.subject_id} />;
  return <Messages requestId={Number(item.subject_id)} />;
}

/** Links to the whole request, trace or row under review. */
export function WholeLink({ queue, item }: Props) {
  const id = encodeURIComponent(item.subject_id);
  const places = {
    request: [`Request ${item.subject_id}`, `/logs?f=${encodeURIComponent(`pl_id is ${item.subject_id}`)}&id=${id}`],
    trace: [`Trace ${item.subject_id}`, `/traces/${id}`],
    row: [`Row ${Number(item.subject_id) + 1}`, queue.table_id ? `/tables/${queue.table_id}/${queue.sheet_id}` : ''],
  } as const;
  const [text, href] = places[queue.subject];
  if (href === '' || item.is_gone) return <span>{text}</span>;
  return (
    <Link className="link ellipsis" href={href}>
      {text}
    </Link>
  );
}

/** The cells of a row but those of the judge and of the results, which would influence the reviewer. */
function Row({ queue, rowIndex }: { queue: OpenedReviewQueueBody; rowIndex: number }) {
  const { table_id: tableId, sheet_id: sheetId } = queue;
  const filter = JSON.stringify({ filters: [{ field: 'row_index', operator: 'is', value: rowIndex }] });
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ['review-row', sheetId, rowIndex],
    queryFn: async ({ signal }) =>
      (await api('GET /api/public/v2/tables/{table_id}/sheets/{sheet_id}/rows', {
        path: { table_id: tableId!, sheet_id: sheetId! },
        query: { filter, include_columns: true },
        signal,
      })) as RowsResponse,
    enabled: tableId !== null && sheetId !== null,
  });
  if (!data) return error ? <Failure error={error} onRetry={() => void refetch()} /> : <Waiting on={isFetching} />;
  const hidden = ownColumns(queue);
  const [row] = data.data;
  const said = data.columns
    .filter(({ id }) => !hidden.includes(id))
    .map(({ id, title }): Said => ({ role: title, blocks: [{ kind: 'text', text: textOf(row?.cells[id]?.value) }] }));
  return <Conversation said={said} />;
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'object' ? JSON.stringify(value, null, 2) : String(value);
}

/** The messages of the last call of a model, which has the ones before; without one the attributes of the root. */
function TraceContext({ id }: { id: string }) {
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ['trace', id],
    queryFn: async ({ signal }) => {
      const request = { path: { trace_id: id }, query: { view: 'skeleton' as const }, signal };
      return (await api('GET /api/public/v2/traces/{trace_id}', request)) as TraceSkeletonResponse;
    },
  });
  if (!data) return error ? <Failure error={error} onRetry={() => void refetch()} /> : <Waiting on={isFetching} />;
  const call = data.spans.findLast(({ request_log_id: log }) => log !== null)?.request_log_id;
  const root = data.spans.find(({ parent_id: parent }) => parent === null) ?? data.spans[0];
  if (call !== undefined && call !== null) return <Messages requestId={call} />;
  return root ? <SpanContext traceId={id} spanId={root.span_id} /> : null;
}

function SpanContext({ traceId, spanId }: { traceId: string; spanId: string }) {
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ['span', traceId, spanId],
    queryFn: ({ signal }) =>
      api('GET /api/public/v2/traces/{trace_id}/spans/{span_id}', {
        path: { trace_id: traceId, span_id: spanId },
        signal,
      }),
  });
  if (!data) return error ? <Failure error={error} onRetry={() => void refetch()} /> : <Waiting on={isFetching} />;
  const { span } = data;
  if (span.input !== null || span.output !== null) return <SpanTexts span={span} />;
  return <Conversation said={[{ role: span.name, blocks: [{ kind: 'text', text: textOf(span.attributes) }] }]} />;
}
