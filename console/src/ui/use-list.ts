import { type RefObject, useEffect, useRef, useState } from 'react';
import { useListKeys } from './keys';
import { useRows } from './use-rows';
import type { Window } from './windowing';

/** The height of a line of a list. */
export const ROW_PX = 32;
/** Number of rows before the end at which the next page is requested. */
const AHEAD = 10;

/** A row that was chosen, and the key of its item; without a key it is just the first row. */
interface Active {
  row: number;
  key?: string | number;
}

const FIRST: Active = { row: 0 };
/** The last row in each list, so that Back returns to it. */
const left = new Map<string, Active>();

interface Options {
  /** Identifies the list, its filters and its order. Another list begins at its top. */
  place: string;
  count: number;
  keyAt: (row: number) => string | number;
  more: { has: boolean; failed: boolean; load: () => void };
  onOpen: (row: number) => void;
  /** The keys have moved to a row. */
  onMove?: (row: number) => void;
}

interface List {
  scroller: RefObject<HTMLDivElement | null>;
  window: Window;
  active: number;
  setActive: (row: number) => void;
}

/** A list of rows for the keyboard, loaded page by page, of which only the rows in view are drawn. */
export function useList({ place, count, keyAt, more, onOpen, onMove }: Options): List {
  const [chosen, choose] = useState(() => left.get(place) ?? FIRST);
  const active = rowOf(chosen, count, keyAt);
  const setActive = (row: number) => choose({ row, key: keyAt(row) });
  const { scroller, window: view, show } = useRows(count, ROW_PX);
  useActiveRow({ place, chosen, choose, active, show });
  useEffect(() => {
    if (more.has && !more.failed && view.end > count - AHEAD) more.load();
  });
  useListKeys({
    count,
    active,
    page: () => Math.max(1, Math.floor((scroller.current?.clientHeight ?? 0) / ROW_PX) - 1),
    onMove: (row) => {
      setActive(row);
      show(row);
      onMove?.(row);
    },
    onOpen: () => onOpen(active),
  });
  return { scroller, window: view, active, setActive };
}

/** The row of a chosen item in a list that may have changed. Where the item is gone, the row stays. */
function rowOf({ row, key }: Active, count: number, keyAt: Options['keyAt']): number {
  const last = Math.max(0, count - 1);
  if (key === undefined || (row <= last && keyAt(row) === key)) return Math.min(row, last);
  for (let other = 0; other < count; other++) if (keyAt(other) === key) return other;
  return Math.min(row, last);
}

/** Keeps the active row of each list. Another list begins at its top. */
function useActiveRow(props: {
  place: string;
  chosen: Active;
  choose: (active: Active) => void;
  active: number;
  show: (row: number) => void;
}) {
  const { place, chosen, choose, active, show } = props;
  const shownPlace = useRef<string | null>(null);
  useEffect(() => {
    const isFirst = shownPlace.current === null;
    if (shownPlace.current === place || isFirst) left.set(place, chosen);
    else {
      left.set(place, FIRST);
      choose(FIRST);
    }
    if (shownPlace.current !== place) show(isFirst ? active : 0);
    shownPlace.current = place;
  }, [place, chosen, choose, active, show]);
}
