import { useEffect, useState } from 'react';

export interface Progress<T> {
  /** As it was last told; null before the first event. */
  state: T | null;
  hasEnded: boolean;
  /** The server refuses to tell: nothing more will come. */
  isLost: boolean;
}

/**
 * Follows something that takes long by its server-sent events. After a break the browser opens the stream again, and that begins
 * with the state of the moment.
 */
export function useProgress<T>(path: string): Progress<T> {
  const [progress, setProgress] = useState<Progress<T>>({ state: null, hasEnded: false, isLost: false });
  useEffect(() => {
    const source = new EventSource(path);
    const read = (event: MessageEvent<string>) => JSON.parse(event.data) as T;
    source.addEventListener('progress', (event) => {
      setProgress({ state: read(event), hasEnded: false, isLost: false });
    });
    source.addEventListener('end', (event) => {
      source.close();
      setProgress({ state: read(event), hasEnded: true, isLost: false });
    });
    source.addEventListener('error', () => {
      if (source.readyState === EventSource.CLOSED) setProgress((before) => ({ ...before, isLost: true }));
    });
    return () => source.close();
  }, [path]);
  return progress;
}
