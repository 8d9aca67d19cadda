import { type RefObject, useEffect, useRef, useState } from 'react';
import { useListKeys } from './keys';
import { useRows } from './use-rows';
import type { Window } from './windowing';

/** The height of a line of a list. */
export const ROW_PX = 32;
/** Number of rows before the end at which the next page is requested. */
const AHEAD = 10;
/** The last row in each list, so that Back returns to it. */
const left = new Map<string, number>();

interface Options {
  /** Identifies the list, its filters and its order. Another list begins at its top. */
  place: string;
  count: number;
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
export function useList({ place, count, more, onOpen, onMove }: Options): List {
  const [active, setActive] = useState(() => Math.min(left.get(place) ?? 0, count - 1));
  const { scroller, window: view, show } = useRows(count, ROW_PX);
  useActiveRow({ place, active, setActive, show });
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

/** Keeps the active row of each list. Another list begins at its top. */
function useActiveRow(props: {
  place: string;
  active: number;
  setActive: (row: number) => void;
  show: (row: number) => void;
}) {
  const { place, active, setActive, show } = props;
  const shownPlace = useRef<string | null>(null);
  useEffect(() => {
    const isFirst = shownPlace.current === null;
    if (shownPlace.current !== place) {
      shownPlace.current = place;
      const row = isFirst ? active : 0;
      setActive(row);
      show(row);
      left.set(place, row);
    } else left.set(place, active);
  }, [place, active, setActive, show]);
}
