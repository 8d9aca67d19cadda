import './logs.css';
import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import type { RequestLogItem } from '../api/schema.gen';
import { CountChart } from '../search/count-chart';
import { totalOf } from '../search/counts';
import { EDIT_TABLES, SearchHead } from '../search/search-head';
import { chipsOf } from '../search/search-state';
import { useTicks, withTicks } from '../search/ticks';
import { useMay } from '../shell/permissions';
import { AddToSheet, type Offer } from '../to-sheet/add-to-sheet';
import { AddingBar } from '../to-sheet/adding-bar';
import { count, counted } from '../ui/format';
import { useKeys } from '../ui/keys';
import { Chips } from '../ui/list-screen';
import { Failure, Waiting } from '../ui/parts';
import { Choice } from '../ui/search-field';
import { useUrlState } from '../ui/url-state';
import { useNow } from '../ui/use-now';
import { LOG_FIELDS } from './log-fields';
import { LogGrid } from './log-grid';
import { LogPanel, pathOf } from './log-panel';
import {
  DEFAULTS,
  describeFilters,
  listOf,
  type LogState,
  type SetLogs,
  STATUSES,
  toSearch,
  toTaken,
  type Wanted,
} from './log-state';
import { Nothing } from './nothing';
import { useLogCounts, useLogs } from './use-logs';

const SCREEN = { name: 'requests', defaults: DEFAULTS } as const;

/** The list of requests: search, filters, counts over time, and one call at the side. */
export default function Logs() {
  const [state, set] = useUrlState(DEFAULTS);
  const list = JSON.stringify(listOf(state));
  const { found, counts, refresh } = useListed(state, list);
  const [ticked, tick] = useTicks<number>(list);
  const [isAdding, setAdding] = useState(false);
  const { total: all, isExact } = totalOf(found, counts.isPlaceholderData ? undefined : counts.data);
  const total = counted(all, 'request', isExact ? '' : '+');
  useLogKeys(found.items, state, () => setAdding(true));
  return (
    <>
      <SearchHead
        title="Requests"
        placeholder="Search inputs and outputs"
        screen={SCREEN}
        state={state}
        set={set}
        fields={LOG_FIELDS}
        news={found.news}
        onRefresh={refresh}
        onAdd={() => setAdding(true)}
        review={{ subject: 'request', ticked, wanted: counts.wanted, total }}
        taken={toTaken(state)}
      >
        <Choice label="Status" options={STATUSES} value={state.status} onChange={(status) => set({ status })} />
        <Evaluate state={state} />
      </SearchHead>
      <AddingBar text={state.adding} onClose={() => set({ adding: '' }, { replace: true })} />
      <Chips chips={chipsOf(state)} onRemove={set} />
      {counts.data && <CountChart what="request" counts={counts.data} onPick={set} />}
      <Waiting on={found.isFetching || counts.isFetching} />
      <Found found={found} onRefresh={refresh} state={state} set={set} />
      <div className="split">
        {found.items.length > 0 && (
          <LogGrid
            logs={found.items}
            state={state}
            set={set}
            ticked={ticked}
            onTick={tick}
            total={withTicks(ticked, found.isPartial ? `${total}. ${PARTIAL}` : total)}
            more={found.more}
          />
        )}
        {state.id !== '' && (
          <LogPanel id={Number(state.id)} key={state.id} onClose={() => set({ id: '' }, { replace: true })} />
        )}
      </div>
      {isAdding && (
        <AddToSheet
          title="Requests"
          offers={offersOf(ticked, { wanted: counts.wanted, state, total })}
          onClose={() => setAdding(false)}
          onStarted={(adding) => (setAdding(false), set({ adding }, { replace: true }))}
        />
      )}
    </>
  );
}

/** The requests of a list and their counts, up to the same time. */
function useListed(state: LogState, list: string) {
  const { now, refresh } = useNow(list);
  const found = useLogs(state, now);
  const counts = useLogCounts(state, now);
  return { found, counts, refresh: () => refresh(() => Promise.all([found.refetch(), counts.refetch()])) };
}

/** Links to a new evaluation of the listed requests. */
function Evaluate({ state: { q, status, days, from, to, f, origin, env } }: { state: LogState }) {
  const query = new URLSearchParams({ q, status, days, from, to, f, origin, env });
  return (
    <Link className="button" href={`/evaluations/new?${query.toString()}`}>
      Evaluate
    </Link>
  );
}

type FoundLogs = ReturnType<typeof useLogs>;

/** The list, or the reason why it is empty. */
function Found({
  found,
  state,
  set,
  onRefresh,
}: {
  found: FoundLogs;
  state: LogState;
  set: SetLogs;
  onRefresh: () => void;
}) {
  const { error, isPending, items } = found;
  if (items.length > 0) return null;
  const clear = () => set({ ...DEFAULTS, sort: state.sort, order: state.order });
  if (error) {
    return (
      <Failure error={error} onRetry={onRefresh}>
        {describeFilters(state).length > 0 && (
          <button className="button" onClick={clear}>
            Show all requests
          </button>
        )}
      </Failure>
    );
  }
  if (isPending) return null;
  return <Nothing state={state} onClear={clear} onRefresh={onRefresh} />;
}

function useLogKeys(logs: RequestLogItem[], state: LogState, onAdd: () => void): void {
  const mayAdd = useMay(EDIT_TABLES);
  const [, navigate] = useLocation();
  useKeys({
    a: () => mayAdd && onAdd(),
    o: () => {
      const open = logs.find(({ id }) => String(id) === state.id);
      if (open?.trace_id) navigate(pathOf(open));
    },
  });
}

/** Maximum number of requests of an import. */
const MOST_ADDED = 50_000;

interface Listed {
  wanted: Wanted;
  state: LogState;
  total: string;
}

/** Imports on offer: the chosen requests, and all that match. */
function offersOf(ticked: ReadonlySet<number>, { wanted, state, total }: Listed): Offer[] {
  const { sort_by, sort_order } = toSearch(state, 0);
  const all = {
    text: `All that match: ${total}. At most ${count(MOST_ADDED)} are added.`,
    selection: { ...wanted, sort_by, sort_order },
  };
  const ids = [...ticked];
  const these = {
    text: ids.length === 1 ? 'The request that is chosen' : `The ${count(ids.length)} requests that are chosen`,
    selection: { request_log_ids: ids },
  };
  return ids.length === 0 ? [all] : [these, all];
}

const PARTIAL = 'Some may be missing: the newest are still being indexed, or the search has taken too long.';
