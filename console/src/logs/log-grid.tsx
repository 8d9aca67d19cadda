import type { RequestLogItem } from '../api/schema.gen';
import { ScoreChips, scoresText } from '../search/scores';
import { TickCell, TickHead } from '../search/ticks';
import { Links } from '../sessions/named-links';
import { count, dollars, duration, UNKNOWN } from '../ui/format';
import { useKeys } from '../ui/keys';
import { ListGrid } from '../ui/list-grid';
import type { ListColumn } from '../ui/list-head';
import { Marked } from '../ui/marked';
import { Moment } from '../ui/moment';
import { callsWith } from './links';
import { listOf, type LogState, type SetLogs, type Sort } from './log-state';

const COLUMNS: ListColumn<Sort>[] = [
  { name: 'Started', className: 'started', sort: 'request_start_time' },
  { name: 'Model', className: 'model' },
  { name: 'Input', className: 'input' },
  { name: 'Output', className: 'output' },
  { name: 'Latency', className: 'latency number', sort: 'latency_ms' },
  { name: 'Tokens', className: 'tokens number' },
  { name: 'Cost', className: 'cost number', sort: 'cost' },
  { name: 'Scores', className: 'scores-of' },
  { name: 'Tags', className: 'tags' },
];

interface Props {
  logs: RequestLogItem[];
  state: LogState;
  set: SetLogs;
  ticked: ReadonlySet<number>;
  onTick: (id: number) => void;
  more: { has: boolean; failed: boolean; load: () => void };
  /** Number of requests in the list, in words. */
  total: string;
}

export function LogGrid({ logs, state, set, ticked, onTick, more, total }: Props) {
  const isOpen = state.id !== '';
  const open = ({ id }: RequestLogItem, how = { replace: isOpen }) => set({ id: String(id) }, how);
  useKeys({ Escape: () => isOpen && set({ id: '' }, { replace: true }) });
  return (
    <ListGrid
      label="Requests"
      className="logs"
      place={`logs ${JSON.stringify(listOf(state))}`}
      items={logs}
      keyOf={({ id }) => id}
      columns={COLUMNS}
      headCell={<TickHead />}
      order={state}
      onSort={set}
      more={more}
      total={total}
      onOpen={open}
      onClick={open}
      onMove={(log) => isOpen && open(log, { replace: true })}
      keys={{ x: ({ id }) => onTick(id) }}
      cellsOf={() => (log) => <Cells log={log} isTicked={ticked.has(log.id)} onTick={() => onTick(log.id)} />}
    />
  );
}

/** A call in one line: its input and output. */
function Cells({ log, isTicked, onTick }: { log: RequestLogItem; isTicked: boolean; onTick: () => void }) {
  return (
    <>
      <TickCell label={`Choose request ${log.id}`} isTicked={isTicked} onTick={onTick} />
      <div role="gridcell" className="started">
        <Moment at={log.request_start_time} />
      </div>
      <div role="gridcell" className="model" title={log.engine}>
        <span className={log.status === 'ERROR' ? 'dot bad' : 'dot'} aria-hidden="true" />
        <span className="ellipsis">
          <Filters items={[log.engine]} field="engine" />
        </span>
      </div>
      <div role="gridcell" dir="auto" className="input ellipsis">
        <Marked text={log.preview?.input ?? ''} marks={log.preview?.input_marks ?? []} />
      </div>
      <div role="gridcell" dir="auto" className={log.status === 'ERROR' ? 'output ellipsis bad' : 'output ellipsis'}>
        <Output log={log} />
      </div>
      <div role="gridcell" className="latency number">
        {duration(log.latency * 1000)}
      </div>
      <div role="gridcell" className="tokens number">
        {count(isCounted(log) ? log.input_tokens + log.output_tokens : null)}
      </div>
      <div role="gridcell" className="cost number">
        {isCounted(log) ? dollars(log.priced ? log.price : null) : UNKNOWN}
      </div>
      <div role="gridcell" dir="auto" className="scores-of ellipsis" title={scoresText(log.scores)}>
        <ScoreChips scores={log.scores} list="/logs" />
      </div>
      <div role="gridcell" dir="auto" className="tags ellipsis" title={log.tags_array.join(', ')}>
        <Filters items={log.tags_array} field="tags" />
      </div>
    </>
  );
}

/** Values that link to the requests with the same value. A click on one does not open the line. */
function Filters({ items, field }: { items: readonly string[]; field: string }) {
  return (
    <span onClick={(event) => event.stopPropagation()}>
      <Links items={items} to={(item) => callsWith(field, item)} />
    </span>
  );
}

/** Failed calls often report no tokens; a price would not help them. */
const isCounted = ({ priced, input_tokens, output_tokens }: RequestLogItem) =>
  priced || input_tokens + output_tokens > 0;

/** The answer, or the error. */
function Output({ log }: { log: RequestLogItem }) {
  const { output = null, output_marks: marks = [], error = null } = log.preview ?? {};
  const why = error ?? log.error_type;
  if (log.status === 'ERROR') return why === null ? 'failed' : `failed: ${why}`;
  return (
    <>
      {log.status === 'WARNING' && <span className="warn">{why === null ? 'warning ' : `warning: ${why} · `}</span>}
      <Marked text={output ?? ''} marks={marks} />
    </>
  );
}
