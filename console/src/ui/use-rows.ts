import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { rowsInView, scrollToRow, type Window } from './windowing';

interface Rows {
  scroller: RefObject<HTMLDivElement | null>;
  window: Window;
  show: (row: number) => void;
}

/** Draws only the rows that are in view of a scrolling element. */
export function useRows(count: number, rowHeight: number): Rows {
  const scroller = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ top: 0, height: 800 });
  useLayoutEffect(() => {
    const element = scroller.current;
    if (!element) return undefined;
    const measure = () => setView({ top: element.scrollTop, height: element.clientHeight });
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    element.addEventListener('scroll', measure, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener('scroll', measure);
    };
  }, []);
  const show = useCallback(
    (row: number) => {
      const element = scroller.current;
      if (!element) return;
      const top = scrollToRow({ top: element.scrollTop, height: element.clientHeight }, rowHeight, row);
      if (top !== null) element.scrollTop = top;
    },
    [rowHeight],
  );
  return { scroller, window: rowsInView(view, rowHeight, count), show };
}

/** Calls `act` some time after `value` has changed for the last time. */
export function useAfterPause(value: string, pauseMs: number, act: (value: string) => void): void {
  const current = useRef(act);
  current.current = act;
  useEffect(() => {
    const timer = setTimeout(() => current.current(value), pauseMs);
    return () => clearTimeout(timer);
  }, [value, pauseMs]);
}
