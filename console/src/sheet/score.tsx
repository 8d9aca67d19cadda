import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { api } from '../api/client';
import type { ScoreHistoryPoint, ScoreResponse } from '../api/schema.gen';
import { count, moment, rounded } from '../ui/format';
import { Options } from '../ui/options';
import { Failure, Waiting } from '../ui/parts';
import { FindFall } from './find-fall';
import { noticeOf, SHEET, useSheet } from './sheet-data';
import type { SideProps } from './state';

/** Polling interval while a score is calculated. */
const POLL_MS = 1000;

const isBusy = (score: ScoreResponse | undefined): boolean => score?.status === 'queued' || score?.status === 'running';

/** The score of the sheet and its history. */
export function Score({ set }: Pick<SideProps, 'set'>) {
  const { path, canEdit } = useSheet();
  const score = useQuery({
    queryKey: ['sheet', path, 'score'],
    queryFn: ({ signal }) => api(`GET ${SHEET}/score`, { path, signal }),
    refetchInterval: ({ state }) => (isBusy(state.data) ? POLL_MS : false),
  });
  const history = useQuery({
    queryKey: ['sheet', path, 'score', 'history', score.data?.calculated_at],
    queryFn: ({ signal }) => api(`GET ${SHEET}/versions/score-history`, { path, query: { max_points: 200 }, signal }),
  });
  const { data } = score;
  const points = history.data?.score_history.points ?? [];
  const open = (version: number) => set({ at: String(version), status: '' });
  return (
    <>
      <Waiting on={score.isFetching} />
      {score.error && !data && <Failure error={score.error} onRetry={() => void score.refetch()} />}
      {data && <Result score={data} />}
      {data && canEdit && <Configure score={data} onChange={() => void score.refetch()} />}
      {points.length > 0 && (
        <>
          <h3>History</h3>
          <Chart points={points} onOpen={open} />
          <FindFall points={points} onOpen={open} />
        </>
      )}
    </>
  );
}

function Result({ score }: { score: ScoreResponse }) {
  if (score.scoring_type === null)
    return <p>This sheet has no score yet. Choose the column that holds the verdict or score of a row.</p>;
  return (
    <>
      <p className="big-score">
        {isBusy(score) && score.aggregate_score === null ? '…' : rounded(score.aggregate_score)}
      </p>
      <p className="quiet-text">
        {`${count(score.scored_rows)} of ${count(score.total_rows)} rows scored`}
        {score.calculated_at && ` · calculated ${moment(score.calculated_at)}`}
        {isBusy(score) && ' · being calculated'}
      </p>
      {score.score_calculation_error && <p className="bad text">{score.score_calculation_error}</p>}
    </>
  );
}

/**
 * The simple kind of score: the mean of some columns. Scorecards have a panel of their own; code is set up through the
 * API.
 */
function Configure({ score, onChange }: { score: ScoreResponse; onChange: () => void }) {
  const { path, all, types, notify } = useSheet();
  const before = score.columns.map(({ column_id: id }) => String(id));
  const offered = all.filter(({ id, type }) => types.get(type)?.computed || before.includes(id));
  const [chosen, setChosen] = useState<string | null>(null);
  const column = chosen ?? before[0] ?? offered[0]?.id ?? '';
  const attempt = async (event: FormEvent, configures: boolean) => {
    event.preventDefault();
    try {
      if (configures) await api(`PATCH ${SHEET}/score`, { path, body: { column_ids: [column] } });
      await api(`POST ${SHEET}/score`, { path });
      onChange();
    } catch (error) {
      notify(noticeOf(error));
    }
  };
  const isGiven = score.scoring_type !== null;
  return (
    <form className="score-form" onSubmit={(event) => void attempt(event, !isGiven || chosen !== null)}>
      {score.scoring_type !== 'custom' && score.scoring_type !== 'scorecard' && (
        <select
          className="field"
          aria-label="Scored column"
          value={column}
          onChange={(event) => setChosen(event.target.value)}
        >
          <Options pairs={offered.map(({ id, title }) => [id, title])} />
        </select>
      )}
      <button className="button" disabled={!isGiven && column === ''}>
        {isGiven ? 'Calculate again' : 'Calculate'}
      </button>
    </form>
  );
}

const nameOf = ({ name, version_number }: ScoreHistoryPoint): string => name ?? `Version ${version_number}`;

const [WIDTH, HEIGHT, PAD] = [280, 96, 8];

function Chart({ points, onOpen }: { points: ScoreHistoryPoint[]; onOpen: (version: number) => void }) {
  const scores = points.map(({ score }) => score);
  const [low, high] = [Math.min(...scores), Math.max(...scores)];
  const x = (at: number) => (points.length === 1 ? WIDTH / 2 : PAD + (at / (points.length - 1)) * (WIDTH - 2 * PAD));
  const y = (score: number) =>
    high === low ? HEIGHT / 2 : HEIGHT - PAD - ((score - low) / (high - low)) * (HEIGHT - 2 * PAD);
  const last = points.at(-1)!;
  return (
    <>
      <svg
        className="score-chart"
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        role="img"
        aria-label={`Score over ${points.length} versions: from ${rounded(scores[0]!)} to ${rounded(last.score)}, lowest ${rounded(low)}, highest ${rounded(high)}`}
      >
        <polyline points={points.map(({ score }, at) => `${x(at)},${y(score)}`).join(' ')} />
        {points.map(({ version_id: id, score }, at) => (
          <circle key={id} cx={x(at)} cy={y(score)} r={points.length > 60 ? 1.5 : 3} />
        ))}
      </svg>
      <p className="quiet-text">
        {`${nameOf(points[0]!)} to ${nameOf(last)}: lowest ${rounded(low)}, highest ${rounded(high)}`}
      </p>
      <ol className="score-points" aria-label="Scores by version">
        {points
          .toReversed()
          .slice(0, 20)
          .map((point) => (
            <li key={point.version_id}>
              <button className="link" onClick={() => onOpen(point.version_number)}>
                {nameOf(point)}
              </button>
              <span>{rounded(point.score)}</span>
            </li>
          ))}
      </ol>
    </>
  );
}
