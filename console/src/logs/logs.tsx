import './logs.css';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { GuardedButton, useMay } from '../shell/permissions';
import { ScopeChoice } from '../shell/scope';
import type { RequestLogItem } from '../api/schema.gen';
import { AddToSheet, type Offer } from '../to-sheet/add-to-sheet';
import { AddingBar } from '../to-sheet/adding-bar';
import { count, counted, DAYS } from '../ui/format';
import { type ItemOffer, NewQueue } from '../reviews/new-queue';
import { TimeChart } from '../ui/chart';
import { useKeys } from '../ui/keys';
import { Chips, ListScreenHead, Refresh } from '../ui/list-screen';
import { Failure, Waiting } from '../ui/parts';
import { Choice } from '../ui/search-field';
import { useUrlState } from '../ui/url-state';
import { writeCondition } from './conditions';
import { FilterForm } from './filter-form';
import { LogGrid } from './log-grid';
import { LogPanel, pathOf } from './log-panel';
import {
  chipsOf,
  DEFAULTS,
  describeFilters,
  listOf,
  type LogState,
  STATUSES,
  toSearch,
  type Wanted,
} from './log-state';
import { Nothing } from './nothing';
import { type Counts, useCounts, useLogs } from './use-logs';

type Set = (change: Partial<LogState>, how?: { replace: boolean }) => void;

/** The list of requests: search, filters, counts over time, and one call at the side. */
export default function Logs() {
  const [state, set] = useUrlState(DEFAULTS);
  const found = useLogs(state);
  const counts = useCounts(state);
  const [ticked, tick] = useTicks(state);
  const [open, setOpen] = useState<Open>(null);
  const total = totalOf(found, counts.isPlaceholderData ? undefined : counts.data);
  const refresh = () => void Promise.all([found.refetch(), counts.refetch()]);
  useLogKeys(found.items, state, () => setOpen('adding'));
  return (
    <>
      <Head
        state={state}
        set={set}
        news={found.news}
        onRefresh={refresh}
        onAdd={() => setOpen('adding')}
        onReview={() => setOpen('reviewing')}
      />
      <AddingBar text={state.adding} onClose={() => set({ adding: '' }, { replace: true })} />
      <Chips chips={chipsOf(state)} onRemove={set} />
      {counts.data && <Histogram counts={counts.data} set={set} />}
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
            total={found.isPartial ? `${total}. ${PARTIAL}` : total}
            more={found.more}
          />
        )}
        {state.id !== '' && (
          <LogPanel id={Number(state.id)} key={state.id} onClose={() => set({ id: '' }, { replace: true })} />
        )}
      </div>
      <Dialogs
        open={open}
        ticked={ticked}
        listed={{ wanted: counts.wanted, state, total }}
        onOpen={setOpen}
        set={set}
      />
    </>
  );
}

type Open = 'adding' | 'reviewing' | null;

interface DialogsProps {
  open: Open;
  ticked: ReadonlySet<number>;
  listed: Listed;
  onOpen: (open: Open) => void;
  set: Set;
}

/** What is done with requests of the list: they go into a sheet, or people review them. */
function Dialogs({ open, ticked, listed, onOpen, set }: DialogsProps) {
  const [, navigate] = useLocation();
  const close = () => onOpen(null);
  if (open === 'reviewing') {
    const created = (id: string) => navigate(`/reviews/${id}`);
    return <NewQueue requests={reviewsOf(ticked, listed)} onCreated={created} onClose={close} />;
  }
  if (open !== 'adding') return null;
  const started = (adding: string) => {
    close();
    set({ adding }, { replace: true });
  };
  return <AddToSheet title="Requests" offers={offersOf(ticked, listed)} onClose={close} onStarted={started} />;
}

type FoundLogs = ReturnType<typeof useLogs>;

/** Why there is no list. */
function Found({
  found,
  state,
  set,
  onRefresh,
}: {
  found: FoundLogs;
  state: LogState;
  set: Set;
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
  const mayAdd = useMay(EDIT);
  const [, navigate] = useLocation();
  useKeys({
    a: () => mayAdd && onAdd(),
    o: () => {
      const open = logs.find(({ id }) => String(id) === state.id);
      if (open?.trace_id) navigate(pathOf(open));
    },
  });
}

/** What adding to a sheet needs. */
const EDIT = 'TABLE_EDIT';
/** More requests than that are not imported at once. */
const MOST_ADDED = 50_000;

interface Listed {
  wanted: Wanted;
  state: LogState;
  total: string;
}

/** Those that somebody has chosen, and all that match. */
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

/** More requests than that are not reviewed in one queue. */
const MOST_REVIEWED = 10_000;

/** The same for a review queue. */
function reviewsOf(ticked: ReadonlySet<number>, listed: Listed): ItemOffer[] {
  const all: ItemOffer = {
    text: `All that match: ${listed.total}. At most ${count(MOST_REVIEWED)}, the newest ones, are added.`,
    items: { filter_group: listed.wanted.filter_group, q: listed.wanted.q },
  };
  const [these] = offersOf(ticked, listed);
  const ids = [...ticked].slice(0, MOST_REVIEWED);
  return ids.length === 0 ? [all] : [{ text: these!.text, items: { request_log_ids: ids } }, all];
}

/** What somebody has chosen of a list. Another list begins without. */
function useTicks(state: LogState): [ReadonlySet<number>, (id: number) => void] {
  const place = JSON.stringify(listOf(state));
  const [ticks, setTicks] = useState({ place, ids: new Set<number>() });
  const ids = ticks.place === place ? ticks.ids : new Set<number>();
  const tick = (id: number) => {
    const next = new Set(ids);
    if (!next.delete(id)) next.add(id);
    setTicks({ place, ids: next });
  };
  return [ids, tick];
}

const PARTIAL = 'Some may be missing: the newest are still being indexed, or the search has taken too long.';

/** Where counting has come to its end everything is known; before, at least what was loaded. */
function totalOf({ items: { length: loaded }, hasNextPage }: FoundLogs, counts?: Counts): string {
  const isExact = !hasNextPage || (counts !== undefined && !counts.isPartial);
  const total = hasNextPage ? Math.max(loaded, counts?.total ?? 0) : loaded;
  return counted(total, 'request', isExact ? '' : '+');
}

interface HeadProps {
  state: LogState;
  set: Set;
  news: number;
  onRefresh: () => void;
  onAdd: () => void;
  onReview: () => void;
}

function Head({ state, set, news, onRefresh, onAdd, onReview }: HeadProps) {
  const [isFiltering, setFiltering] = useState(false);
  useKeys({ f: () => setFiltering(true) });
  const search = (q: string) => set({ q }, { replace: true });
  return (
    <ListScreenHead title="Requests" placeholder="Words in inputs and outputs" q={state.q} onSearch={search}>
      <ScopeChoice />
      <Choice label="Status" options={STATUSES} value={state.status} onChange={(status) => set({ status })} />
      <Choice label="Time" options={DAYS} value={state.days} onChange={(days) => set({ days, from: '', to: '' })} />
      <button className="button" title="f" onClick={() => setFiltering(true)}>
        Filter
      </button>
      <GuardedButton permission={EDIT} onClick={onAdd}>
        Add to a sheet
      </GuardedButton>
      <GuardedButton permission="TABLE_CREATE" onClick={onReview}>
        Review these
      </GuardedButton>
      <Refresh news={news} onRefresh={onRefresh} />
      {isFiltering && (
        <FilterForm
          onClose={() => setFiltering(false)}
          onAdd={(condition) => {
            setFiltering(false);
            set({ f: [state.f, writeCondition(condition)].filter((line) => line !== '').join('\n') });
          }}
        />
      )}
    </ListScreenHead>
  );
}

function Histogram({ counts, set }: { counts: Counts; set: Set }) {
  const describe = (all: number, failed: number, more = '') => {
    const text = counted(all, 'request', more);
    return failed === 0 ? text : `${text}, ${count(failed)} failed`;
  };
  return (
    <div className="histogram">
      <TimeChart
        label={describe(counts.total, counts.failed, counts.isPartial ? '+' : '')}
        bars={counts.bars}
        describe={({ value, bad }) => describe(value, bad)}
        onPick={(from, to) => set({ from, to, days: '' })}
      />
      {counts.isPartial && <p className="quiet-text">Counting took too long: what is older is missing here.</p>}
    </div>
  );
}
