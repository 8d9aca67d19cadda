import { Fragment } from 'react';

export interface BandPoint {
  at: string;
  figure: number | null;
  low: number | null;
  high: number | null;
}

interface Props {
  /** The content of the chart, in words. */
  label: string;
  points: readonly BandPoint[];
  /** Times in which an alert was open. */
  open: readonly { from: string; to: string }[];
}

const [WIDTH, HEIGHT] = [400, 100];

/** A line over time with the band that was expected, and the times of alerts. */
export function BandChart({ label, points, open }: Props) {
  if (points.length === 0) return null;
  const [first, last] = [Date.parse(points[0]!.at), Date.parse(points.at(-1)!.at)];
  const x = (at: string) => ((Date.parse(at) - first) / (last - first || 1)) * WIDTH;
  const y = scaleOf(points);
  return (
    <svg
      className="band-chart"
      role="img"
      aria-label={label}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
    >
      {open.map(({ from, to }) => (
        <rect key={from} className="band-open" x={x(from)} y={0} width={Math.max(1, x(to) - x(from))} height={HEIGHT} />
      ))}
      {runsOf(points, ({ low, high }) => low !== null || high !== null).map((run, at) => (
        <polygon
          key={at}
          className="band-expected"
          points={[
            ...run.map((point) => `${x(point.at)},${point.high === null ? 0 : y(point.high)}`),
            ...run.toReversed().map((point) => `${x(point.at)},${point.low === null ? HEIGHT : y(point.low)}`),
          ].join(' ')}
        />
      ))}
      {runsOf(points, ({ figure }) => figure !== null).map((run, at) => (
        <Fragment key={at}>
          <polyline
            className="band-figure"
            points={run.map((point) => `${x(point.at)},${y(point.figure!)}`).join(' ')}
          />
        </Fragment>
      ))}
    </svg>
  );
}

function scaleOf(points: readonly BandPoint[]): (value: number) => number {
  const values = points.flatMap(({ figure, low, high }) => [figure, low, high].filter((value) => value !== null));
  const [least, most] = [Math.min(...values), Math.max(...values)];
  return (value) => HEIGHT - 4 - ((value - least) / (most - least || 1)) * (HEIGHT - 8);
}

/** Neighbours for which a condition holds. */
function runsOf(points: readonly BandPoint[], holds: (point: BandPoint) => boolean): BandPoint[][] {
  const runs: BandPoint[][] = [];
  let isRunning = false;
  for (const point of points) {
    if (!holds(point)) isRunning = false;
    else if (isRunning) runs.at(-1)!.push(point);
    else {
      runs.push([point]);
      isRunning = true;
    }
  }
  return runs;
}
