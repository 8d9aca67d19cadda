import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../api/client';
import type { PreviewMonitorRequest, PreviewResponse } from '../api/schema.gen';
import { counted, period } from '../ui/format';
import { Failure, Waiting } from '../ui/parts';
import { useAfterPause } from '../ui/use-rows';
import { BandChart } from './band-chart';
import { expectedOf, figureOf, lengthOf, type Measure, nameOfTest } from './monitor-words';

/** A preview may read all rows of these days, so it does not follow each key. */
const PAUSE_MS = 400;

/** The last 14 days as a monitor would have seen them. */
export function Preview({ body }: { body: PreviewMonitorRequest }) {
  const wanted = JSON.stringify(body);
  const [asked, setAsked] = useState(wanted);
  useAfterPause(wanted, PAUSE_MS, setAsked);
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ['monitors', 'preview', asked],
    queryFn: ({ signal }) =>
      api('POST /api/public/v2/monitors/preview', { body: JSON.parse(asked) as PreviewMonitorRequest, signal }),
    placeholderData: keepPreviousData,
    retry: false,
  });
  const isWaiting = isFetching || asked !== wanted;
  return (
    <section className="monitor-preview" aria-label="The last 14 days" aria-busy={isWaiting}>
      <Waiting on={isWaiting} />
      {error && <Failure error={error} onRetry={() => void refetch()} />}
      {!error && data && <Played preview={data} measure={body.measure} />}
    </section>
  );
}

function Played({ preview, measure }: { preview: PreviewResponse; measure: Measure }) {
  const alerts = preview.groups.flatMap(({ alerts: some }) => some);
  return (
    <>
      <header>
        <h3>The last 14 days</h3>
        <span className="quiet-text">
          {alerts.length === 0 ? 'would not have opened' : `would have opened ${counted(alerts.length, 'alert')}`}
        </span>
      </header>
      {preview.groups.length === 0 && <p className="quiet-text">There were no items.</p>}
      {preview.groups.map((group) => (
        <figure key={group.group ?? ''}>
          {group.group !== null && (
            <figcaption dir="auto" className="ellipsis">
              {group.group}
            </figcaption>
          )}
          <BandChart
            label={`${group.group ?? 'All items'}: ${counted(group.alerts.length, 'alert')}`}
            points={group.points.map(({ window_end: at, figure, expected_low: low, expected_high: high }) => ({
              at,
              figure,
              low,
              high,
            }))}
            open={group.alerts.map(({ opened_at: from, closed_at: to }) => ({ from, to: to ?? preview.end_time }))}
          />
          <ul className="lines">
            {group.alerts.map((alert) => (
              <li key={alert.opened_at}>
                {period(alert.opened_at, alert.closed_at ?? preview.end_time)} · {lengthOf(alert.open_minutes)} ·{' '}
                {figureOf(measure, alert.figure)}{' '}
                <span className="quiet-text">
                  expected {expectedOf(measure, alert)}, {nameOfTest(alert.test)}
                </span>{' '}
                <Items alert={alert} />
              </li>
            ))}
          </ul>
        </figure>
      ))}
    </>
  );
}

/** A link to the items behind a figure. */
export function Items({ alert }: { alert: { items: number; items_path: string | null } }) {
  const text = counted(alert.items, 'item');
  if (alert.items_path === null) return text;
  return (
    <a className="link" href={alert.items_path}>
      {text}
    </a>
  );
}
