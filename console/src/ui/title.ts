import { useEffect } from 'react';

/** Sets the title of the window, which the browser's history also shows. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Tracesheet`;
  }, [title]);
}
