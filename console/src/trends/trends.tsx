import './trends.css';
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import { api } from '../api/client';
import type { BreakdownGroupBody } from '../api/schema.gen';
import { SavedViews } from '../saved-views/saved-views';
import { ScopeChoice } from '../shell/scope';
import { TimeChart } from '../ui/chart';
import { costOf, count, duration } from '../ui/format';
import { Chips, Refresh } from '../ui/list-screen';
import { Failure, Waiting } from '../ui/parts';
import { Choice } from '../ui/search-field';
import { nextMinute } from '../ui/time-range';
import { useTitle } from '../ui/title';
import { useUrlState } from '../ui/url-state';
import { useNow } from '../ui/use-now';
import { GroupTable } from './group-table';
import { ScoreTrend } from './score-trend';
import {
  barsOf,
  DAYS,
  daysOf,
  DEFAULTS,
  describeBars,
  KINDS,
  kindOf,
  listOf,
  METRICS,
  metricOf,
  scoreMetric,
  scoreOf,
  toBreakdown,
  toHistogram,
  type TrendState,
} from './trend-state';

const SCREEN = { name: 'trends', defaults: DEFAULTS } as const;
/** Number of bars that can be distinguished at 1024 px. */
const BARS = 90;
const MOST_GROUPS = 50;
const TITLES = Object.fromEntries(Object.entries(METRICS).map(([name, { title }]) => [name, title]));

/** Calls, failures, costs, latencies and scores over time, and by model, prompt, user and so on. */
export default function Trends() {
  const [state, set] = useUrlState(DEFAULTS);
  const client = useQueryClient();
  const names = useScoreNames();
  useTitle('Trends');
  const { now, refresh } = useNow(keyOf(state));
  const score = scoreOf(state);
  const chips = state.only === '' ? [] : [{ text: state.label || state.only, without: { only: '', label: '' } }];
  const scores = Object.fromEntries(
    [...new Set([...names, ...(score === null ? [] : [score])])].map((name) => [scoreMetric(name), `Score: ${name}`]),
  );
  return (
    <>
      <header className="screen-head">
        <h1>Trends</h1>
        <SavedViews screen={SCREEN} state={state} set={set} />
        <ScopeChoice />
        <Choice
          label="Measure"
          options={{ ...TITLES, ...scores }}
          value={state.metric}
          onChange={(metric) => set({ metric })}
        />
        <Choice label="By" options={KINDS} value={kindOf(state)} onChange={(by) => set({ by, only: '', label: '' })} />
        <Choice label="Time" options={DAYS} value={daysOf(state)} onChange={(days) => set({ days })} />
        <Refresh onRefresh={() => refresh(() => client.invalidateQueries({ queryKey: ['trends'] }))} />
      </header>
      <Chips chips={chips} onRemove={set} />
      <div className="screen-body">
        {score === null ? (
          <CallTrend state={state} set={set} now={now} />
        ) : (
          <ScoreTrend state={state} set={set} now={now} name={score} />
        )}
      </div>
    </>
  );
}

interface CallTrendProps {
  state: TrendState;
  set: (change: Partial<TrendState>) => void;
  now: number;
}

function CallTrend({ state, set, now }: CallTrendProps) {
  const trend = useTrend(state, now);
  const groups = useGroups(state);
  const error = trend.error ?? groups.error;
  return (
    <>
      <Waiting on={trend.isFetching || groups.isFetching} />
      {error && <Failure error={error} onRetry={() => void Promise.all([trend.refetch(), groups.refetch()])} />}
      {trend.data && <Chart state={state} histogram={trend.data} />}
      {groups.data && <Groups state={state} set={set} groups={groups.data} />}
    </>
  );
}

/** The names of scores; none until they are known. */
function useScoreNames(): string[] {
  const { data } = useQuery({
    queryKey: ['trends', 'score-names'],
    queryFn: ({ signal }) => api('GET /api/public/v2/requests/scores', { signal }),
  });
  return data?.names ?? [];
}

/** Identifies the requests of a state. */
const keyOf = (state: TrendState): string => JSON.stringify({ ...state, view: '', metric: '', label: '' });

function useTrend(state: TrendState, now: number) {
  const body = { ...toHistogram(state, nextMinute(now)), buckets: BARS };
  return useQuery({
    queryKey: ['trends', 'histogram', body],
    queryFn: ({ signal }) => api('POST /api/public/v2/requests/histogram', { body, signal }),
    placeholderData: keepPreviousData,
  });
}

function useGroups(state: TrendState) {
  const query = toBreakdown(state, MOST_GROUPS);
  return useQuery({
    queryKey: ['trends', 'breakdown', query],
    queryFn: async ({ signal }) => (await api('GET /api/public/v2/requests/breakdown', { query, signal })).data,
    placeholderData: keepPreviousData,
  });
}

type Histogram = NonNullable<ReturnType<typeof useTrend>['data']>;

function Chart({ state, histogram }: { state: TrendState; histogram: Histogram }) {
  const [, navigate] = useLocation();
  const metric = metricOf(state);
  const bars = barsOf(histogram, metric);
  if (bars.length === 0) return <p className="quiet-text trend-note">No requests in this time.</p>;
  const whole = { from: bars[0]!.from, to: bars.at(-1)!.to };
  return (
    <section className="trend">
      <TimeChart
        label={`${metric.title}: ${describeBars(bars, whole, metric)}`}
        bars={bars}
        format={metric.words}
        describe={(time) => describeBars(bars, time, metric)}
        onPick={(from, to) => navigate(listOf(state, { time: { from, to }, value: state.only }))}
      />
      {histogram.partial && <p className="quiet-text">Counting took too long: what is older is missing here.</p>}
    </section>
  );
}

interface GroupsProps {
  state: TrendState;
  set: (change: Partial<TrendState>) => void;
  groups: BreakdownGroupBody[];
}

function Groups({ state, set, groups }: GroupsProps) {
  const metric = metricOf(state);
  const sorted = groups.toSorted((a, b) => metric.ofGroup(b) - metric.ofGroup(a));
  const most = Math.max(0, ...sorted.map(metric.ofGroup));
  const title = KINDS[kindOf(state)];
  if (groups.length === 0)
    return <p className="quiet-text trend-note">No request of this time has a {title.toLowerCase()}.</p>;
  return (
    <div className="page-list">
      {state.env !== '' && <p className="quiet-text">These sums are of all environments.</p>}
      {groups.length === MOST_GROUPS && (
        <p className="quiet-text">{`Only the ${MOST_GROUPS} with the most requests.`}</p>
      )}
      <GroupTable
        state={state}
        set={set}
        groups={sorted}
        measure={{ title: metric.title, share: (group) => metric.ofGroup(group) / (most || 1) }}
        columns={[
          { name: 'Requests', className: 'number', cell: ({ request_count: calls }) => count(calls) },
          { name: 'Failed', className: 'number', cell: ({ error_count: failed }) => count(failed) },
          {
            name: 'Cost',
            className: 'number',
            cell: ({ total_cost_usd: cost, unpriced_request_count: unpriced }) => costOf(cost, unpriced),
          },
          { name: 'p50', className: 'number', cell: ({ latency_p50_ms: ms }) => duration(ms) },
          { name: 'p95', className: 'number', cell: ({ latency_p95_ms: ms }) => duration(ms) },
        ]}
      />
    </div>
  );
}
