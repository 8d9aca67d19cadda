import './today.css';
import type { ReactNode } from 'react';
import { Link, useLocation } from 'wouter';
import { barsOf } from '../api/histogram';
import { useRefresh } from '../api/lists';
import { TimeChart } from '../ui/chart';
import { NothingSent } from '../shell/nothing-sent';
import { type Scope, ScopeChoice, useScope } from '../shell/scope';
import { costOf, count, counted, duration, UNKNOWN } from '../ui/format';
import { Failure, Waiting } from '../ui/parts';
import { useTitle } from '../ui/title';
import { useNow } from '../ui/use-now';
import { useSeldom } from '../ui/use-seldom';
import { changeOf, dayBefore, logsOf, percentileChangeOf, type Seen, type Totals, tracesOf } from './day';
import { OpenMonitors } from './open-monitors';
import { Failures, GrownTraces, Refused, Running, Unpriced } from './parts';
import { useHours, useRequestTotals, useTraceTotals } from './use-day';

/** Is anything wrong since yesterday? Every number leads to the list that it counts. */
export default function Today() {
  const [scope] = useScope();
  const { now, refresh: refreshed } = useNow(JSON.stringify(scope));
  const day = dayBefore(now);
  const [today, yesterday] = [
    { ...day.today, ...scope },
    { ...day.yesterday, ...scope },
  ];
  useTitle('Today');
  const hours = useHours(today);
  const isSilent = [useRequestTotals(today), useRequestTotals(yesterday)].every(({ data }) => data?.count === 0);
  const reread = useRefresh('today', 'monitors');
  const refresh = () => refreshed(reread);
  useSeldom(refresh);
  return (
    <>
      <header className="screen-head">
        <h1>Today</h1>
        <span className="quiet-text">Last 24 hours vs. the previous 24 hours</span>
        <ScopeChoice />
        <button className="button" onClick={refresh}>
          Refresh
        </button>
      </header>
      <Waiting on={hours.isFetching} />
      <div className="screen-body today">
        {isSilent ? (
          <NothingSent
            what="requests"
            when="from the last two days"
            line="The number of calls, their failures and their cost are shown here."
            onRefresh={refresh}
          />
        ) : (
          <Tiles today={today} yesterday={yesterday} />
        )}
        {hours.error && <Failure error={hours.error} onRetry={() => void hours.refetch()} />}
        {hours.data && !isSilent && <Hours histogram={hours.data} scope={scope} />}
        <div className="today-columns">
          {!isSilent && <Failures range={today} />}
          <div className="today-side">
            <OpenMonitors />
            <Running />
            <Refused />
            {!isSilent && <GrownTraces today={today} yesterday={yesterday} />}
            {!isSilent && <Unpriced range={today} />}
          </div>
        </div>
      </div>
    </>
  );
}

function Hours({ histogram, scope }: { histogram: Parameters<typeof barsOf>[0]; scope: Scope }) {
  const [, navigate] = useLocation();
  const bars = barsOf(histogram);
  return (
    <TimeChart
      label="Requests by the hour"
      bars={bars}
      describe={({ value, bad }) => `${counted(value, 'request')}, ${count(bad)} failed`}
      onPick={(from, to) => navigate(logsOf({ from, to, ...scope }))}
    />
  );
}

function Tiles({ today, yesterday }: { today: Seen; yesterday: Seen }) {
  const requests = [useRequestTotals(today), useRequestTotals(yesterday)] as const;
  const traces = [useTraceTotals(today), useTraceTotals(yesterday)] as const;
  const error = requests[0].error ?? traces[0].error;
  if (error) {
    return <Failure error={error} onRetry={() => void Promise.all([requests[0].refetch(), traces[0].refetch()])} />;
  }
  const [now, before] = requests.map(({ data }) => data ?? null);
  const [tracesNow, tracesBefore] = traces.map(({ data }) => data ?? null);
  const change = (field: keyof Totals) => changeOf(now?.[field] ?? null, before?.[field] ?? null);
  return (
    <div className="tiles">
      <Tile title="Requests" href={logsOf(today)} change={change('count')}>
        {count(now?.count ?? null)}
      </Tile>
      <Tile title="Failed" href={logsOf(today, { status: 'ERROR' })} change={change('failed')} isBad={hasFailed(now)}>
        {now ? failedOf(now) : UNKNOWN}
      </Tile>
      <Tile title="Cost" href={`${logsOf(today)}&sort=cost`} change={change('cost')}>
        {now ? costOf(now.cost, now.unpriced) : UNKNOWN}
      </Tile>
      <Tile
        title="Latency of requests, median"
        href={`${logsOf(today)}&sort=latency_ms`}
        change={latencyChange('median', now, before)}
      >
        {duration(now?.latency_p50_ms ?? null)}
      </Tile>
      <TraceTiles today={today} now={tracesNow} before={tracesBefore} />
    </div>
  );
}

interface TraceTilesProps {
  today: Seen;
  now: Totals | null | undefined;
  before: Totals | null | undefined;
}

function TraceTiles({ today, now, before }: TraceTilesProps) {
  return (
    <>
      <Tile
        title="Traces with failures"
        href={tracesOf(today, { status: 'ERROR' })}
        change={changeOf(now?.failed ?? null, before?.failed ?? null)}
        isBad={hasFailed(now)}
      >
        {now ? failedOf(now) : UNKNOWN}
      </Tile>
      <Tile
        title="Duration of traces, 95th percentile"
        href={tracesOf(today, { sort: 'trace_duration_ms' })}
        change={latencyChange('p95', now, before)}
      >
        {duration(now?.latency_p95_ms ?? null)}
      </Tile>
    </>
  );
}

function latencyChange(which: 'median' | 'p95', now?: Totals | null, before?: Totals | null): string | null {
  if (!now || !before) return null;
  const [today, yesterday] = [now, before].map(({ count: total, latency_p50_ms: median, latency_p95_ms: p95 }) => ({
    count: total,
    median,
    p95,
  }));
  return percentileChangeOf(which, today!, yesterday!);
}

const hasFailed = (totals: Totals | null | undefined): boolean => (totals?.failed ?? 0) > 0;

/** Number and share of failures. */
function failedOf({ count: total, failed }: Totals): string {
  return total === 0 ? '0' : `${count(failed)} (${((100 * failed) / total).toFixed(1)} %)`;
}

interface TileProps {
  title: string;
  href: string;
  change: string | null;
  isBad?: boolean;
  children: ReactNode;
}

function Tile({ title, href, change, isBad = false, children }: TileProps) {
  return (
    <Link className="tile" href={href}>
      <span className="quiet-text">{title}</span>
      <strong className={isBad ? 'bad' : undefined}>{children}</strong>
      <span className="quiet-text">{change ?? 'nothing to compare with'}</span>
    </Link>
  );
}
