import { memo } from 'react';
import { Link, useLocation } from 'wouter';
import type { TraceBody } from '../api/schema.gen';
import { costOf, count, duration, moment, oneLine, UNKNOWN } from '../ui/format';
import { ListFoot } from '../ui/list-foot';
import { type ListColumn, ListHead, type ListOrder } from '../ui/list-head';
import { ROW_PX, useList } from '../ui/use-list';
import type { ListState, Sort } from './list-state';

const COLUMNS: ListColumn<Sort>[] = [
  { name: 'Started', className: 'started', sort: 'trace_start' },
  { name: 'Name', className: 'name' },
  { name: 'First input', className: 'input' },
  { name: 'Duration', className: 'duration', sort: 'trace_duration_ms' },
  { name: 'Spans', className: 'spans number', sort: 'trace_span_count' },
  { name: 'Models', className: 'models' },
  { name: 'Tokens', className: 'tokens number', sort: 'trace_total_tokens' },
  { name: 'Cost', className: 'cost number', sort: 'trace_total_cost_usd' },
  { name: 'User', className: 'user' },
];

interface Props {
  traces: TraceBody[];
  state: ListState;
  onSort: (order: ListOrder) => void;
  hasMore: boolean;
  failedToLoadMore: boolean;
  onMore: () => void;
}

export function TraceGrid({ traces, state, onSort, hasMore, failedToLoadMore, onMore }: Props) {
  const [, navigate] = useLocation();
  const {
    scroller,
    window: view,
    active,
    setActive,
  } = useList({
    place: `traces ${JSON.stringify(state)}`,
    count: traces.length,
    more: { has: hasMore, failed: failedToLoadMore, load: onMore },
    onOpen: (row) => navigate(`/traces/${encodeURIComponent(traces[row]!.trace_id)}`),
  });
  const shown = traces.slice(view.first, view.end);
  const longest = Math.max(...shown.map(({ duration_ms: ms }) => ms ?? 0), 0);
  return (
    <>
      <div
        ref={scroller}
        role="grid"
        tabIndex={0}
        className="list traces"
        aria-label="Traces"
        aria-rowcount={hasMore ? -1 : traces.length + 1}
        aria-activedescendant={shown.length > 0 ? `trace-${active}` : undefined}
      >
        <ListHead columns={COLUMNS} order={state} onSort={onSort} />
        <div role="rowgroup" className="rows" style={{ height: traces.length * ROW_PX }}>
          {shown.map((trace, index) => (
            <Row
              key={trace.trace_id}
              trace={trace}
              row={view.first + index}
              isActive={view.first + index === active}
              share={longest > 0 ? (trace.duration_ms ?? 0) / longest : 0}
              onActivate={setActive}
            />
          ))}
        </div>
      </div>
      <ListFoot failed={failedToLoadMore} onMore={onMore}>
        {`${count(traces.length)}${hasMore ? '+' : ''} ${traces.length === 1 ? 'trace' : 'traces'}`}
      </ListFoot>
    </>
  );
}

interface RowProps {
  trace: TraceBody;
  row: number;
  isActive: boolean;
  /** Of the longest in view. */
  share: number;
  onActivate: (row: number) => void;
}

const Row = memo(function Row({ trace, row, isActive, share, onActivate }: RowProps) {
  const path = `/traces/${encodeURIComponent(trace.trace_id)}`;
  const name = oneLine(trace.name) || 'without a name';
  const failed = trace.status === 'ERROR';
  return (
    <div
      role="row"
      id={`trace-${row}`}
      className="row"
      aria-rowindex={row + 2}
      aria-selected={isActive}
      style={{ transform: `translateY(${row * ROW_PX}px)` }}
    >
      <div role="gridcell" className="started" title={trace.start_time}>
        {moment(trace.start_time)}
      </div>
      <div role="gridcell" className="name">
        <Link href={path} tabIndex={-1} onClick={() => onActivate(row)} title={name}>
          <span className={failed ? 'dot bad' : 'dot'} aria-hidden="true" />
          <span className="ellipsis">{name}</span>
        </Link>
        {failed && <span className="bad">failed</span>}
      </div>
      <div role="gridcell" className="input ellipsis quiet-text">
        {trace.first_input === null ? '' : oneLine(trace.first_input)}
      </div>
      <div role="gridcell" className={failed ? 'duration failed' : 'duration'}>
        <span className="bar" style={{ width: `${Math.max(share * 100, share > 0 ? 1 : 0)}%` }} aria-hidden="true" />
        <span>{trace.end_time === null ? 'running' : duration(trace.duration_ms)}</span>
      </div>
      <div role="gridcell" className="spans number">
        {count(trace.span_count)}
      </div>
      <div role="gridcell" className="models ellipsis" title={trace.models_used.join(', ')}>
        {trace.models_used.join(', ')}
      </div>
      <div role="gridcell" className="tokens number">
        {trace.total_tokens === 0 ? UNKNOWN : count(trace.total_tokens)}
      </div>
      <div role="gridcell" className="cost number">
        {costOf(trace.total_cost_usd, trace.unpriced_request_count)}
      </div>
      <div role="gridcell" className="user ellipsis">
        {trace.user_id ?? ''}
      </div>
    </div>
  );
});
