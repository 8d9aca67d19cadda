import { useEffect, useRef } from 'react';

const SELDOM_MS = 5 * 60_000;

/** Calls `act` every five minutes while the page is visible, and when it becomes visible after a longer time. */
export function useSeldom(act: () => void): void {
  const current = useRef(act);
  current.current = act;
  useEffect(() => {
    let last = Date.now();
    const run = () => {
      if (document.hidden || Date.now() - last < SELDOM_MS) return;
      last = Date.now();
      current.current();
    };
    const timer = setInterval(run, SELDOM_MS);
    document.addEventListener('visibilitychange', run);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', run);
    };
  }, []);
}
