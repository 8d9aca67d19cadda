import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../api/client';
import type { RegressionBody, RegressionStepBody, ScoreHistoryPoint } from '../api/schema.gen';
import { counted, rounded } from '../ui/format';
import { noticeOf, useSheet } from './sheet-data';

const SEARCHES = '/api/public/v2/tables/{table_id}/sheets/{sheet_id}/regressions';
/** Polling interval of a search. */
const POLL_MS = 1000;

const hasEnded = ({ status }: RegressionBody) => status !== 'queued' && status !== 'running';

/** Searches for the version at which the score fell, between the best version of the history and the newest one. */
export function FindFall({ points, onOpen }: { points: ScoreHistoryPoint[]; onOpen: (version: number) => void }) {
  const { canEdit } = useSheet();
  const bad = points.at(-1)!;
  // The newest of the best ones leaves the fewest versions to search.
  const good = points.reduce((best, point) => (point.score >= best.score ? point : best));
  const { search, isBusy, start, cancel } = useSearch(good, bad);
  if (!canEdit || (good.score <= bad.score && !search)) return null;
  const first = search?.first_bad_version;
  return (
    <section aria-label="Where the score fell">
      <div className="actions">
        <button className="button" disabled={isBusy} onClick={start}>
          Find where the score fell
        </button>
        {isBusy && (
          <button className="button quiet" onClick={cancel}>
            Cancel
          </button>
        )}
        {first && (
          <button className="button quiet" onClick={() => onOpen(first)}>
            {`Open version ${first}`}
          </button>
        )}
      </div>
      <p role="status">{search ? (search.message ?? 'Checking versions…') : ''}</p>
      {search && <Steps search={search} />}
    </section>
  );
}

/** The search that was started here, polled until it has ended. */
function useSearch(good: ScoreHistoryPoint, bad: ScoreHistoryPoint) {
  const { path, notify } = useSheet();
  const [id, setId] = useState<string | null>(null);
  const { data, refetch } = useQuery({
    queryKey: ['sheet', path, 'regression', id],
    queryFn: ({ signal }) => api(`GET ${SEARCHES}/{regression_id}`, { path: { ...path, regression_id: id! }, signal }),
    enabled: id !== null,
    refetchInterval: ({ state }) => (state.data && hasEnded(state.data.regression) ? false : POLL_MS),
  });
  const attempt = (work: () => Promise<unknown>) => () =>
    void work().catch((error: unknown) => notify(noticeOf(error)));
  const search = data?.regression;
  return {
    search,
    isBusy: id !== null && !(search && hasEnded(search)),
    start: attempt(async () => {
      const body = { good_version: good.version_number, bad_version: bad.version_number };
      setId((await api(`POST ${SEARCHES}`, { path, body })).regression.id);
    }),
    cancel: attempt(async () => {
      await api(`POST ${SEARCHES}/{regression_id}/cancel`, { path: { ...path, regression_id: id! } });
      await refetch();
    }),
  };
}

const OUTCOMES: Record<string, string> = { held: 'is as good', fell: 'is lower', unscored: 'has no score' };

function Steps({ search: { good, bad, steps } }: { search: RegressionBody }) {
  const looked = [good, ...steps, bad]
    .filter((step): step is RegressionStepBody => step !== null)
    .toSorted((a, b) => a.version_number - b.version_number);
  return (
    <ol className="score-points" aria-label="Versions checked">
      {looked.map((step) => (
        <li key={step.version_number}>
          <span>{`Version ${step.version_number} ${OUTCOMES[step.outcome]}`}</span>
          <span className="quiet-text">{`${counted(step.cells.computed, 'cell')} computed`}</span>
          <span>{rounded(step.score)}</span>
        </li>
      ))}
    </ol>
  );
}
