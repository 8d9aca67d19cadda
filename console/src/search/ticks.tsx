import { useState } from 'react';
import { count } from '../ui/format';

/** The items of a list that somebody has ticked. Another list, which has another `place`, begins without any. */
export function useTicks<Id>(place: string): [ReadonlySet<Id>, (id: Id) => void] {
  const [ticks, setTicks] = useState({ place, ids: new Set<Id>() });
  const ids = ticks.place === place ? ticks.ids : new Set<Id>();
  // Several items may be ticked before anything is drawn again.
  const tick = (id: Id) =>
    setTicks((before) => {
      const next = new Set(before.place === place ? before.ids : []);
      if (!next.delete(id)) next.add(id);
      return { place, ids: next };
    });
  return [ids, tick];
}

/** The head of the column with the boxes. */
export function TickHead() {
  return (
    <div role="columnheader" className="tick">
      <span className="visually-hidden">Chosen</span>
    </div>
  );
}

/** A box in a line of a list. A click beside it does not open the line either. */
export function TickCell({ label, isTicked, onTick }: { label: string; isTicked: boolean; onTick: () => void }) {
  return (
    <div role="gridcell" className="tick" onClick={(event) => event.stopPropagation()}>
      <input type="checkbox" tabIndex={-1} aria-label={label} checked={isTicked} onChange={onTick} />
    </div>
  );
}

/** The size of the list, with the number of ticked items. */
export const withTicks = (ticked: ReadonlySet<unknown>, total: string): string =>
  ticked.size === 0 ? total : `${count(ticked.size)} chosen of ${total}`;
