import './traces.css';
import { NothingSent } from '../shell/nothing-sent';
import { ScopeChoice } from '../shell/scope';
import { DAYS } from '../ui/format';
import { Chips, ListScreenHead, NothingLike, Refresh } from '../ui/list-screen';
import { Failure, Waiting } from '../ui/parts';
import { Choice } from '../ui/search-field';
import { useUrlState } from '../ui/url-state';
import { chipsOf, DEFAULTS, describeFilters, type ListState, SPANS, STATUSES } from './list-state';
import { TraceGrid } from './trace-grid';
import { useTraces } from './use-traces';

/** The list of traces: search, filters, order. */
export default function Traces() {
  const [state, set] = useUrlState(DEFAULTS);
  const { items: traces, news, more, error, isFetching, refetch, isPending } = useTraces(state);
  const isEmpty = !isPending && !error && traces.length === 0;
  return (
    <>
      <Filters state={state} set={set} news={news} onRefresh={() => void refetch()} />
      <Chips chips={chipsOf(state)} onRemove={set} />
      <Waiting on={isFetching} />
      {error && traces.length === 0 && <Failure error={error} onRetry={() => void refetch()} />}
      {isEmpty && (
        <Nothing
          state={state}
          onClear={() => set({ ...DEFAULTS, sort: state.sort, order: state.order })}
          onRefresh={() => void refetch()}
        />
      )}
      {traces.length > 0 && <TraceGrid traces={traces} state={state} onSort={set} more={more} />}
    </>
  );
}

interface FilterProps {
  state: ListState;
  set: (change: Partial<ListState>, how?: { replace: boolean }) => void;
  news: number;
  onRefresh: () => void;
}

function Filters({ state, set, news, onRefresh }: FilterProps) {
  const search = (q: string) => set({ q }, { replace: true });
  return (
    <ListScreenHead title="Traces" placeholder="Words in names, inputs and outputs" q={state.q} onSearch={search}>
      <ScopeChoice />
      <Choice label="Status" options={STATUSES} value={state.status} onChange={(status) => set({ status })} />
      <Choice label="Size" options={SPANS} value={state.spans} onChange={(spans) => set({ spans })} />
      <Choice label="Time" options={DAYS} value={state.days} onChange={(days) => set({ days })} />
      <Refresh news={news} onRefresh={onRefresh} />
    </ListScreenHead>
  );
}

function Nothing({ state, onClear, onRefresh }: { state: ListState; onClear: () => void; onRefresh: () => void }) {
  const filters = describeFilters(state);
  if (filters.length > 0) return <NothingLike what="trace" filters={filters} onClear={onClear} />;
  return <NothingSent what="traces" line="Every run of your application becomes a line here." onRefresh={onRefresh} />;
}
