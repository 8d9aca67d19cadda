import { memo, useEffect, useRef, useState } from 'react';
import { Link, useLocation } from 'wouter';
import type { TraceBody } from '../api/schema.gen';
import { costOf, count, duration, moment, oneLine, UNKNOWN } from '../ui/format';
import { useListKeys } from '../ui/keys';
import { useRows } from '../ui/use-rows';
import { type ListState, nextOrder, type Sort } from './list-state';

const ROW_PX = 32;
/** So many rows before the end the next page is asked for. */
const AHEAD = 10;

const COLUMNS: { name: string; className: string; sort?: Sort }[] = [
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
  onSort: (order: Pick<ListState, 'sort' | 'order'>) => void;
  hasMore: boolean;
  failedToLoadMore: boolean;
  onMore: () => void;
}

/** Where somebody was in a list, so that Back leads there. */
const left = new Map<string, number>();

export function TraceGrid({ traces, state, onSort, hasMore, failedToLoadMore, onMore }: Props) {
  const [, navigate] = useLocation();
  const place = JSON.stringify(state);
  const [active, setActive] = useState(() => Math.min(left.get(place) ?? 0, traces.length - 1));
  const { scroller, window: view, show } = useRows(traces.length, ROW_PX);
  useActiveRow({ place, active, setActive, show });
  useEffect(() => {
    if (hasMore && !failedToLoadMore && view.end > traces.length - AHEAD) onMore();
  });

  useListKeys({
    count: traces.length,
    active,
    page: () => Math.max(1, Math.floor((scroller.current?.clientHeight ?? 0) / ROW_PX) - 1),
    onMove: (row) => {
      setActive(row);
      show(row);
    },
    onOpen: () => navigate(`/traces/${encodeURIComponent(traces[active]!.trace_id)}`),
  });
  const shown = traces.slice(view.first, view.end);
  const longest = Math.max(...shown.map(({ duration_ms: ms }) => ms ?? 0), 0);
  return (
    <>
      <div
        ref={scroller}
        role="grid"
        tabIndex={0}
        className="traces"
        aria-label="Traces"
        aria-rowcount={hasMore ? -1 : traces.length + 1}
        aria-activedescendant={shown.length > 0 ? `trace-${active}` : undefined}
      >
        <Head state={state} onSort={onSort} />
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
      <Foot count={traces.length} hasMore={hasMore} failed={failedToLoadMore} onMore={onMore} />
    </>
  );
}

function Foot(props: { count: number; hasMore: boolean; failed: boolean; onMore: () => void }) {
  const { count: loaded, hasMore, failed, onMore } = props;
  return (
    <div className="list-foot" role="status">
      {`${count(loaded)}${hasMore ? '+' : ''} ${loaded === 1 ? 'trace' : 'traces'}`}
      {failed && (
        <>
          <span className="bad">The next ones could not be loaded.</span>
          <button className="button" onClick={onMore}>
            Try again
          </button>
        </>
      )}
    </div>
  );
}

/** Another list begins at its top; the same list again where it was left. */
function useActiveRow(props: {
  place: string;
  active: number;
  setActive: (row: number) => void;
  show: (row: number) => void;
}) {
  const { place, active, setActive, show } = props;
  const shownPlace = useRef<string | null>(null);
  useEffect(() => {
    const isFirst = shownPlace.current === null;
    if (shownPlace.current !== place) {
      shownPlace.current = place;
      const row = isFirst ? active : 0;
      setActive(row);
      show(row);
      left.set(place, row);
    } else left.set(place, active);
  }, [place, active, setActive, show]);
}

function Head({ state, onSort }: Pick<Props, 'state' | 'onSort'>) {
  return (
    <div role="rowgroup" className="head">
      <div role="row" className="row">
        {COLUMNS.map(({ name, className, sort }) => (
          <div key={name} role="columnheader" className={className} aria-sort={sort ? sortOf(state, sort) : undefined}>
            {sort ? (
              <button tabIndex={-1} onClick={() => onSort(nextOrder(state, sort))}>
                {name}
                {state.sort === sort && <span aria-hidden="true">{state.order === 'asc' ? ' ↑' : ' ↓'}</span>}
              </button>
            ) : (
              name
            )}
          </div>
        ))}
      </div>
    </div>
  );
}

function sortOf(state: ListState, sort: Sort): 'ascending' | 'descending' | 'none' {
  if (state.sort !== sort) return 'none';
  return state.order === 'asc' ? 'ascending' : 'descending';
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
