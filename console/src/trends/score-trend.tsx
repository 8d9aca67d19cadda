import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import { api } from '../api/client';
import type { ScoreGroupBody, ScoreTrendResponse } from '../api/schema.gen';
import { TimeChart } from '../ui/chart';
import { count, rounded } from '../ui/format';
import { Failure, Waiting } from '../ui/parts';
import { GroupTable } from './group-table';
import { describeScores, KINDS, kindOf, listOf, scoreBars, toScoreTrend, type TrendState } from './trend-state';

const MOST_GROUPS = 50;

interface Props {
  state: TrendState;
  set: (change: Partial<TrendState>) => void;
}

interface TrendProps extends Props {
  name: string;
  now: number;
}

/** The mean of a score over time, and by model, prompt, user and so on. */
export function ScoreTrend({ state, set, name, now }: TrendProps) {
  const query = toScoreTrend(state, name, MOST_GROUPS);
  const trend = useQuery({
    queryKey: ['trends', 'score', query],
    queryFn: ({ signal }) => api('GET /api/public/v2/requests/scores/trend', { query, signal }),
    placeholderData: keepPreviousData,
  });
  return (
    <>
      <Waiting on={trend.isFetching} />
      {trend.error && <Failure error={trend.error} onRetry={() => void trend.refetch()} />}
      {trend.data && <Chart state={state} name={name} now={now} trend={trend.data} />}
      {trend.data && <Groups state={state} set={set} groups={trend.data.groups} />}
    </>
  );
}

function Chart({ state, name, now, trend }: Omit<TrendProps, 'set'> & { trend: ScoreTrendResponse }) {
  const [, navigate] = useLocation();
  if (trend.buckets.length === 0) return <p className="quiet-text trend-note">No scores of this name in this time.</p>;
  const bars = scoreBars(trend, now);
  const within = ({ from, to }: { from: string; to: string }) =>
    bars.filter((bar) => bar.from >= from && bar.to <= to).map((bar) => ({ count: bar.count, mean: bar.value }));
  return (
    <section className="trend">
      <TimeChart
        label={`${name}: ${describeScores(trend.buckets)}`}
        bars={bars}
        format={(value) => `mean ${rounded(value)}`}
        describe={(time) => describeScores(within(time))}
        onPick={(from, to) => navigate(listOf(state, { time: { from, to }, value: state.only }))}
      />
    </section>
  );
}

function Groups({ state, set, groups }: Props & { groups: ScoreGroupBody[] }) {
  const title = KINDS[kindOf(state)];
  if (groups.length === 0)
    return <p className="quiet-text trend-note">No scored request of this time has a {title.toLowerCase()}.</p>;
  return (
    <div className="page-list">
      {groups.length === MOST_GROUPS && <p className="quiet-text">{`Only the ${MOST_GROUPS} with the most scores.`}</p>}
      <GroupTable
        state={state}
        set={set}
        groups={groups.toSorted((a, b) => a.mean - b.mean)}
        measure={{ title: 'Mean score', share: ({ mean }) => mean / 100 }}
        columns={[
          { name: 'Mean', className: 'number', cell: ({ mean }) => rounded(mean) },
          { name: 'Scores', className: 'number', cell: ({ count: scores }) => count(scores) },
        ]}
      />
    </div>
  );
}
