import './traces.css';
import { useState } from 'react';
import { CountChart } from '../search/count-chart';
import { totalOf } from '../search/counts';
import { EDIT_TABLES, SearchHead } from '../search/search-head';
import { useTicks, withTicks } from '../search/ticks';
import { NothingSent } from '../shell/nothing-sent';
import { useMay } from '../shell/permissions';
import { AddToSheet } from '../to-sheet/add-to-sheet';
import { AddingBar } from '../to-sheet/adding-bar';
import { counted } from '../ui/format';
import { useKeys } from '../ui/keys';
import { Chips, NothingLike } from '../ui/list-screen';
import { Failure, Waiting } from '../ui/parts';
import { Choice } from '../ui/search-field';
import { useUrlState } from '../ui/url-state';
import { useNow } from '../ui/use-now';
import { offersOf } from './calls-of-traces';
import {
  chipsOf,
  DEFAULTS,
  describeFilters,
  listOf,
  type ListState,
  type SetList,
  SPANS,
  STATUSES,
  toTaken,
} from './list-state';
import { TRACE_FIELDS } from './trace-fields';
import { TraceGrid } from './trace-grid';
import { useTraceCounts, useTraces } from './use-traces';

const SCREEN = { name: 'traces', defaults: DEFAULTS } as const;
const PARTIAL = 'Some may be missing: the newest are still being indexed, or the search has taken too long.';

/** The list of traces: search, filters, counts over time, order. */
export default function Traces() {
  const [state, set] = useUrlState(DEFAULTS);
  const list = JSON.stringify(listOf(state));
  const { now, refresh: refreshed } = useNow(list);
  const found = useTraces(state, now);
  const counts = useTraceCounts(state, now);
  const [ticked, tick] = useTicks<string>(list);
  const [isAdding, setAdding] = useState(false);
  const mayAdd = useMay(EDIT_TABLES);
  useKeys({ a: () => mayAdd && setAdding(true) });
  const { total: all, isExact } = totalOf(found, counts.isPlaceholderData ? undefined : counts.data);
  const total = counted(all, 'trace', isExact ? '' : '+');
  const refresh = () => refreshed(() => Promise.all([found.refetch(), counts.refetch()]));
  return (
    <>
      <SearchHead
        title="Traces"
        placeholder="Search names, inputs and outputs"
        screen={SCREEN}
        state={state}
        set={set}
        fields={TRACE_FIELDS}
        news={found.news}
        onRefresh={refresh}
        onAdd={() => setAdding(true)}
        review={{ subject: 'trace', ticked, wanted: counts.wanted, total }}
        taken={toTaken(state)}
      >
        <Choice label="Status" options={STATUSES} value={state.status} onChange={(status) => set({ status })} />
        <Choice label="Size" options={SPANS} value={state.spans} onChange={(spans) => set({ spans })} />
      </SearchHead>
      <AddingBar text={state.adding} onClose={() => set({ adding: '' }, { replace: true })} />
      <Chips chips={chipsOf(state)} onRemove={set} />
      {counts.data && <CountChart what="trace" counts={counts.data} onPick={set} />}
      <Waiting on={found.isFetching || counts.isFetching} />
      <Found found={found} state={state} set={set} onRefresh={refresh} />
      {found.items.length > 0 && (
        <TraceGrid
          traces={found.items}
          state={state}
          onSort={set}
          more={found.more}
          ticked={ticked}
          onTick={tick}
          total={withTicks(ticked, found.isPartial ? `${total}. ${PARTIAL}` : total)}
        />
      )}
      {isAdding && (
        <AddToSheet
          title="Calls of traces"
          offers={offersOf(ticked, { state, now, total })}
          onClose={() => setAdding(false)}
          onStarted={(adding) => (setAdding(false), set({ adding }, { replace: true }))}
        />
      )}
    </>
  );
}

interface FoundProps {
  found: ReturnType<typeof useTraces>;
  state: ListState;
  set: SetList;
  onRefresh: () => void;
}

/** Why there is no list. */
function Found({ found: { error, isPending, items }, state, set, onRefresh }: FoundProps) {
  if (items.length > 0) return null;
  const onClear = () => set({ ...DEFAULTS, sort: state.sort, order: state.order });
  const filters = describeFilters(state);
  if (error) {
    return (
      <Failure error={error} onRetry={onRefresh}>
        {filters.length > 0 && (
          <button className="button" onClick={onClear}>
            Show all traces
          </button>
        )}
      </Failure>
    );
  }
  if (isPending) return null;
  if (filters.length > 0) return <NothingLike what="trace" filters={filters} onClear={onClear} />;
  return <NothingSent what="traces" line="Every run of your application becomes a line here." onRefresh={onRefresh} />;
}
