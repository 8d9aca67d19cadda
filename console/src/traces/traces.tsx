import './traces.css';
import { useEffect, useRef } from 'react';
import { useMe } from '../shell/session-context';
import { useKeys } from '../ui/keys';
import { CopyButton, Failure, Note, Waiting } from '../ui/parts';
import { Choice, SearchField } from '../ui/search-field';
import { useUrlState } from '../ui/url-state';
import { DAYS, DEFAULTS, describeFilters, type ListState, SPANS, STATUSES } from './list-state';
import { TraceGrid } from './trace-grid';
import { useTraces } from './use-traces';

/** The list of traces: search, filters, order. */
export default function Traces() {
  const [state, set] = useUrlState(DEFAULTS);
  const { traces, error, isFetching, isPlaceholderData, hasNextPage, fetchNextPage, refetch, isPending } =
    useTraces(state);
  useEffect(() => {
    document.title = 'Traces · Tracesheet';
  }, []);
  const isEmpty = !isPending && !error && traces.length === 0;
  return (
    <>
      <Filters state={state} set={set} onRefresh={() => void refetch()} />
      <Waiting on={isFetching} />
      {error && traces.length === 0 && <Failure error={error} onRetry={() => void refetch()} />}
      {isEmpty && (
        <Nothing
          state={state}
          onClear={() => set({ ...DEFAULTS, sort: state.sort, order: state.order })}
          onRefresh={() => void refetch()}
        />
      )}
      {traces.length > 0 && (
        <TraceGrid
          traces={traces}
          state={state}
          onSort={set}
          hasMore={hasNextPage}
          failedToLoadMore={error !== null}
          onMore={() => {
            if (!isFetching && !isPlaceholderData) void fetchNextPage();
          }}
        />
      )}
    </>
  );
}

interface FilterProps {
  state: ListState;
  set: (change: Partial<ListState>, how?: { replace: boolean }) => void;
  onRefresh: () => void;
}

function Filters({ state, set, onRefresh }: FilterProps) {
  const field = useRef<HTMLInputElement>(null);
  useKeys({ '/': () => field.current?.select() });
  return (
    <header className="screen-head">
      <h1>Traces</h1>
      <SearchField
        label="Search traces"
        placeholder="Words in names, inputs and outputs   /"
        field={field}
        value={state.q}
        onChange={(q) => set({ q }, { replace: true })}
        onKeyDown={(event) => {
          // From the field to the list.
          if (event.key === 'ArrowDown' || event.key === 'Enter')
            document.querySelector<HTMLElement>('[role=grid]')?.focus();
        }}
      />
      <Choice label="Status" options={STATUSES} value={state.status} onChange={(status) => set({ status })} />
      <Choice label="Size" options={SPANS} value={state.spans} onChange={(spans) => set({ spans })} />
      <Choice label="Time" options={DAYS} value={state.days} onChange={(days) => set({ days })} />
      <button className="button" onClick={onRefresh}>
        Refresh
      </button>
    </header>
  );
}

function Nothing(props: { state: ListState; onClear: () => void; onRefresh: () => void }) {
  const { state, onClear, onRefresh } = props;
  const filters = describeFilters(state);
  if (filters.length > 0) {
    return (
      <Note title="No trace is like that">
        <p>The list shows only traces with {filters.join(', ')}.</p>
        <div className="actions">
          <button className="button" onClick={onClear}>
            Show all traces
          </button>
        </div>
      </Note>
    );
  }
  return <NoTraces onRefresh={onRefresh} />;
}

function NoTraces({ onRefresh }: { onRefresh: () => void }) {
  const { workspace } = useMe();
  const url = `${window.location.origin}/v1/traces`;
  return (
    <Note title={`${workspace.name} has no traces yet`}>
      <p>Every run of your application becomes a line here. Point an OpenTelemetry exporter (OTLP over HTTP) to</p>
      <pre>{url}</pre>
      <p>
        and send an API key in the header <code>X-API-KEY</code>.
      </p>
      <div className="actions">
        <CopyButton text={url} label="Copy the URL" />
        <button className="button" onClick={onRefresh}>
          Look again
        </button>
      </div>
    </Note>
  );
}
