import { memo } from 'react';
import { Link, useLocation } from 'wouter';
import type { TraceBody } from '../api/schema.gen';
import { ScoreChips, scoresText } from '../search/scores';
import { TickCell, TickHead } from '../search/ticks';
import { wholeBar } from '../ui/bars';
import { costOf, count, duration, oneLine, shortCostOf, UNKNOWN } from '../ui/format';
import { ListGrid } from '../ui/list-grid';
import type { ListColumn, ListOrder } from '../ui/list-head';
import { Moment } from '../ui/moment';
import { Links } from '../sessions/named-links';
import { tracesWith, userPath } from '../sessions/links';
import { listOf, type ListState, type Sort } from './list-state';

const COLUMNS: ListColumn<Sort>[] = [
  { name: 'Started', className: 'started', sort: 'trace_start' },
  { name: 'Name', className: 'name' },
  { name: 'First input', className: 'input' },
  { name: 'Duration', className: 'duration', sort: 'trace_duration_ms' },
  { name: 'Spans', className: 'spans number', sort: 'trace_span_count' },
  { name: 'Models', className: 'models' },
  { name: 'Tokens', className: 'tokens number', sort: 'trace_total_tokens' },
  { name: 'Cost', className: 'cost number', sort: 'trace_total_cost_usd' },
  { name: 'Scores', className: 'scores-of' },
  { name: 'User', className: 'user' },
];

interface Props {
  traces: TraceBody[];
  state: ListState;
  onSort: (order: ListOrder) => void;
  more: { has: boolean; failed: boolean; load: () => void };
  ticked: ReadonlySet<string>;
  onTick: (id: string) => void;
  /** Number of traces in the list, in words. */
  total: string;
}

/** The question in an input. Most inputs begin with the same instructions, which do not distinguish traces. */
function questionIn(input: string): string {
  const at = input.indexOf('[user]: ');
  return at > 0 ? input.slice(at) : input;
}

const pathOf = ({ trace_id: id }: TraceBody): string => `/traces/${encodeURIComponent(id)}`;

export function TraceGrid({ traces, state, onSort, more, ticked, onTick, total }: Props) {
  const [, navigate] = useLocation();
  return (
    <ListGrid
      label="Traces"
      className="traces"
      place={`traces ${JSON.stringify(listOf(state))}`}
      items={traces}
      keyOf={({ trace_id }) => trace_id}
      columns={COLUMNS}
      headCell={<TickHead />}
      order={state}
      onSort={onSort}
      more={more}
      total={total}
      keys={{ x: ({ trace_id }) => onTick(trace_id) }}
      onOpen={(trace) => navigate(pathOf(trace))}
      cellsOf={(shown) => {
        const whole = wholeBar(shown.map(({ duration_ms: ms }) => ms ?? 0));
        return (trace) => (
          <>
            <TickCell
              label={`Choose trace ${trace.trace_id}`}
              isTicked={ticked.has(trace.trace_id)}
              onTick={() => onTick(trace.trace_id)}
            />
            <Cells trace={trace} share={whole > 0 ? (trace.duration_ms ?? 0) / whole : 0} />
          </>
        );
      }}
    />
  );
}

/** `share`: the duration relative to a whole bar; above 1 the bar is cut. */
const Cells = memo(function Cells({ trace, share }: { trace: TraceBody; share: number }) {
  const name = oneLine(trace.name) || 'without a name';
  const failed = trace.status === 'ERROR';
  return (
    <>
      <div role="gridcell" className="started">
        <Moment at={trace.start_time} />
      </div>
      <div role="gridcell" className="name">
        <Link href={pathOf(trace)} tabIndex={-1} title={name}>
          <span className={failed ? 'dot bad' : 'dot'} aria-hidden="true" />
          <span dir="auto" className="ellipsis">
            {name}
          </span>
        </Link>
        {failed && <span className="bad">failed</span>}
      </div>
      <div role="gridcell" dir="auto" className="input ellipsis quiet-text">
        {oneLine(questionIn(trace.first_input ?? ''))}
      </div>
      <div role="gridcell" className={failed ? 'duration failed' : 'duration'}>
        <span
          className={share > 1 ? 'bar cut' : 'bar'}
          title={share > 1 ? 'Longer than this bar can show beside the others' : undefined}
          style={{ width: `${Math.min(100, Math.max(share * 100, share > 0 ? 1 : 0))}%` }}
          aria-hidden="true"
        />
        <span>{trace.end_time === null ? 'running' : duration(trace.duration_ms)}</span>
      </div>
      <div role="gridcell" className="spans number">
        {count(trace.span_count)}
      </div>
      <div role="gridcell" className="models ellipsis" title={trace.models_used.join(', ')}>
        <Links items={trace.models_used} to={(model) => tracesWith({ model })} />
      </div>
      <div role="gridcell" className="tokens number">
        {trace.total_tokens === 0 ? UNKNOWN : count(trace.total_tokens)}
      </div>
      <div role="gridcell" className="cost number" title={costOf(trace.total_cost_usd, trace.unpriced_request_count)}>
        {shortCostOf(trace.total_cost_usd, trace.unpriced_request_count)}
      </div>
      <div role="gridcell" dir="auto" className="scores-of ellipsis" title={scoresText(trace.scores)}>
        <ScoreChips scores={trace.scores} list="/traces" />
      </div>
      <div role="gridcell" dir="auto" className="user ellipsis">
        {trace.user_id !== null && <Links items={[trace.user_id]} to={userPath} />}
      </div>
    </>
  );
});
