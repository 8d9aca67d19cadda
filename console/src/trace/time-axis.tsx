import { duration } from '../ui/format';
import { type Range, ticks } from './tree';

/** Times after the start of the trace, above the bars. */
export function TimeAxis({ range, origin }: { range: Range; origin: number }) {
  const { from, to } = range;
  return (
    <div className="axis" aria-hidden="true">
      <div className="axis-times">
        {ticks(range, origin).map((tick) => (
          <span key={tick} style={{ left: `${((tick + origin - from) / (to - from)) * 100}%` }}>
            {tick === 0 ? '0' : duration(tick / 1000)}
          </span>
        ))}
      </div>
      <span className="number">Time</span>
      <span className="number">Self time</span>
    </div>
  );
}
