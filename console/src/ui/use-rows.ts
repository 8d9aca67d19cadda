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
  useMeasured(scroller, ({ scrollTop: top, clientHeight: height }) => setView({ top, height }));
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

/** Calls `measure` at first, and whenever an element is scrolled or gets another size. */
export function useMeasured<T extends HTMLElement>(element: RefObject<T | null>, measure: (element: T) => void): void {
  const current = useRef(measure);
  current.current = measure;
  useLayoutEffect(() => {
    const { current: measured } = element;
    if (!measured) return undefined;
    const again = () => current.current(measured);
    again();
    const observer = new ResizeObserver(again);
    observer.observe(measured);
    measured.addEventListener('scroll', again, { passive: true });
    return () => {
      observer.disconnect();
      measured.removeEventListener('scroll', again);
    };
  }, [element]);
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
