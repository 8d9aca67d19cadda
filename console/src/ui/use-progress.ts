import { useEffect, useRef, useState } from 'react';

/**
 * The newest state of long-running work from a stream of server-sent events. The browser reconnects after a break; the
 * stream then begins with the current state. `onEnd` gets the last state, or null when the server refuses the stream.
 */
export function useProgress<T>(url: string | null, onEnd: (last: T | null) => void): T | null {
  const [state, setState] = useState<{ url: string; data: T } | null>(null);
  const end = useRef(onEnd);
  end.current = onEnd;
  useEffect(() => {
    if (url === null) return undefined;
    const source = new EventSource(url);
    const take = (event: MessageEvent<string>) => {
      const data = JSON.parse(event.data) as T;
      setState({ url, data });
      return data;
    };
    source.addEventListener('progress', take);
    source.addEventListener('error', () => {
      // The browser reconnects after a break, but not after a refusal.
      if (source.readyState === EventSource.CLOSED) end.current(null);
    });
    source.addEventListener('end', (event) => {
      source.close();
      end.current(take(event));
    });
    return () => source.close();
  }, [url]);
  return state?.url === url ? state.data : null;
}
