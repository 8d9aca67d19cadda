import type { RequestLogItem } from '../api/schema.gen';
import { ListFoot } from '../ui/list-foot';
import { type ListColumn, ListHead } from '../ui/list-head';
import { useKeys } from '../ui/keys';
import { ROW_PX, useList } from '../ui/use-list';
import { LogRow } from './log-row';
import { listOf, type LogState, type Sort } from './log-state';

const COLUMNS: ListColumn<Sort>[] = [
  { name: 'Started', className: 'started', sort: 'request_start_time' },
  { name: 'Model', className: 'model' },
  { name: 'Input', className: 'input' },
  { name: 'Output', className: 'output' },
  { name: 'Latency', className: 'latency number', sort: 'latency_ms' },
  { name: 'Tokens', className: 'tokens number' },
  { name: 'Cost', className: 'cost number', sort: 'cost' },
  { name: 'Tags', className: 'tags' },
];

interface Props {
  logs: RequestLogItem[];
  state: LogState;
  set: (change: Partial<LogState>, how?: { replace: boolean }) => void;
  ticked: ReadonlySet<number>;
  onTick: (id: number) => void;
  more: { has: boolean; failed: boolean; load: () => void };
  /** What the list comes to, in words. */
  total: string;
}

export function LogGrid({ logs, state, set, ticked, onTick, more, total }: Props) {
  const isOpen = state.id !== '';
  const open = (row: number, how = { replace: isOpen }) => set({ id: String(logs[row]!.id) }, how);
  const list = useList({
    place: `logs ${JSON.stringify(listOf(state))}`,
    count: logs.length,
    more,
    onOpen: open,
    onMove: (row) => isOpen && open(row, { replace: true }),
  });
  const { window: view, active, setActive } = list;
  useKeys({
    x: () => onTick(logs[active]!.id),
    Escape: () => isOpen && set({ id: '' }, { replace: true }),
  });
  return (
    <div className="listed">
      <div
        ref={list.scroller}
        role="grid"
        tabIndex={0}
        className="list logs"
        aria-label="Requests"
        aria-rowcount={more.has ? -1 : logs.length + 1}
        aria-activedescendant={`log-${active}`}
      >
        <ListHead columns={COLUMNS} order={state} onSort={set}>
          <div role="columnheader" className="tick">
            <span className="visually-hidden">Chosen</span>
          </div>
        </ListHead>
        <div role="rowgroup" className="rows" style={{ height: logs.length * ROW_PX }}>
          {logs.slice(view.first, view.end).map((log, index) => (
            <LogRow
              key={log.id}
              log={log}
              row={view.first + index}
              isActive={view.first + index === active}
              isTicked={ticked.has(log.id)}
              onTick={(row) => onTick(logs[row]!.id)}
              onOpen={(row) => {
                setActive(row);
                open(row);
              }}
            />
          ))}
        </div>
      </div>
      <ListFoot failed={more.failed} onMore={more.load}>
        {total}
      </ListFoot>
    </div>
  );
}
