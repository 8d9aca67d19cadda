import type { RequestLogItem } from '../api/schema.gen';
import { count, dollars, duration, moment } from '../ui/format';
import { Marked } from '../ui/marked';
import { ROW_PX } from '../ui/use-list';

interface Props {
  log: RequestLogItem;
  row: number;
  isActive: boolean;
  isTicked: boolean;
  onOpen: (row: number) => void;
  onTick: (row: number) => void;
}

/** A call in one line: what went in and what came out of it. */
export function LogRow({ log, row, isActive, isTicked, onOpen, onTick }: Props) {
  const tokens = log.input_tokens + log.output_tokens;
  return (
    // Keys are handled by the grid, which has the focus.
    <div
      role="row"
      id={`log-${row}`}
      className="row"
      aria-rowindex={row + 2}
      aria-selected={isActive}
      style={{ transform: `translateY(${row * ROW_PX}px)` }}
      onClick={() => onOpen(row)}
    >
      <div role="gridcell" className="tick" onClick={(event) => event.stopPropagation()}>
        <input
          type="checkbox"
          tabIndex={-1}
          aria-label={`Choose request ${log.id}`}
          checked={isTicked}
          onChange={() => onTick(row)}
        />
      </div>
      <div role="gridcell" className="started" title={log.request_start_time}>
        {moment(log.request_start_time)}
      </div>
      <div role="gridcell" className="model" title={log.engine}>
        <span className={log.status === 'ERROR' ? 'dot bad' : 'dot'} aria-hidden="true" />
        <span className="ellipsis">{log.engine}</span>
      </div>
      <div role="gridcell" className="input ellipsis">
        <Marked text={log.preview?.input ?? ''} marks={log.preview?.input_marks ?? []} />
      </div>
      <div role="gridcell" className="output ellipsis">
        <Output log={log} />
      </div>
      <div role="gridcell" className="latency number">
        {duration(log.latency * 1000)}
      </div>
      <div role="gridcell" className="tokens number">
        {count(tokens)}
      </div>
      <div role="gridcell" className="cost number">
        {dollars(log.priced ? log.price : null)}
      </div>
      <div role="gridcell" className="tags ellipsis" title={log.tags_array.join(', ')}>
        {log.tags_array.join(', ')}
      </div>
    </div>
  );
}

/** The answer, or why there is none. */
function Output({ log }: { log: RequestLogItem }) {
  const { output = null, output_marks: marks = [], error = null } = log.preview ?? {};
  const why = error ?? log.error_type;
  if (log.status === 'ERROR') return <span className="bad">{why === null ? 'failed' : `failed: ${why}`}</span>;
  return (
    <>
      {log.status === 'WARNING' && <span className="warn">{why === null ? 'warning ' : `warning: ${why} · `}</span>}
      <Marked text={output ?? ''} marks={marks} />
    </>
  );
}
