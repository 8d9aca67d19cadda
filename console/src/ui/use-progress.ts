import { useEffect, useRef, useState } from 'react';

/**
 * What a stream of server-sent events says of long work: the newest state of it, and whether that is the last one. The browser
 * connects again after a break; the stream then begins with the state of that moment.
 */
export function useProgress<T>(url: string | null, onEnd: (last: T) => void): T | null {
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
    source.addEventListener('end', (event) => {
      source.close();
      end.current(take(event));
    });
    return () => source.close();
  }, [url]);
  return state?.url === url ? state.data : null;
}
