import { TimeChart } from '../ui/chart';
import { count, counted } from '../ui/format';
import { TIME, type TimeState } from '../ui/time-range';
import type { Counts } from './counts';

interface Props {
  /** The counted items, in the singular. */
  what: string;
  counts: Counts;
  onPick: (time: TimeState) => void;
}

/** Counts over time. Clicking a bar, or dragging over several, chooses a time range. */
export function CountChart({ what, counts, onPick }: Props) {
  const describe = (all: number, failed: number, more = '') => {
    const text = counted(all, what, more);
    return failed === 0 ? text : `${text}, ${count(failed)} failed`;
  };
  return (
    <div className="histogram">
      <TimeChart
        label={describe(counts.total, counts.failed, counts.isPartial ? '+' : '')}
        bars={counts.bars}
        describe={({ value, bad }) => describe(value, bad)}
        onPick={(from, to) => onPick({ ...TIME, from, to })}
      />
      {counts.isPartial && <p className="quiet-text">Counting took too long: what is older is missing here.</p>}
    </div>
  );
}
