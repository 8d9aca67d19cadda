import { useEffect, useRef, useState } from 'react';

/**
 * What a stream of server-sent events says of long work: the newest state of it, and whether that is the last one. The browser
 * connects again after a break; the stream then begins with the state of that moment. `onEnd` gets null when the server refuses the stream.
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
      // After a break the browser comes back by itself, but not when the server has refused.
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
