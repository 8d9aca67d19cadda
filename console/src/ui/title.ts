import { useEffect } from 'react';

/** Names what is shown for the window and for the history of the browser. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Tracesheet`;
  }, [title]);
}
