import { onlineManager } from '@tanstack/react-query';
import { useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { ApiError, request, waitBeforeTry } from '../api/client';

/** Refused streams are opened again this many times in a row, which takes about a minute. */
const TRIES = 6;
/** Statuses of work that does not exist, may not be seen, or is named by no valid id. */
const GONE = [400, 403, 404, 422];

/** Whether a stream was lost because its work is not there, and not because the server could not be reached. */
export const isGone = (error: Error | null): boolean => error instanceof ApiError && GONE.includes(error.status);

/** The error with which the server refuses a stream, or null when it would open it. */
async function refusalOf(url: string, signal: AbortSignal): Promise<Error | null> {
  try {
    const { body } = await request(url, { method: 'GET', signal });
    await body?.cancel();
    return null;
  } catch (error) {
    return error as Error;
  }
}

interface Listeners {
  onEvent: (name: 'progress' | 'end', text: string) => void;
  /** The stream is lost. The work may go on unless it is gone. */
  onLost: (error: Error) => void;
}

/** Follows a stream to its end, and opens it again where a busy server or a proxy refuses it. Returns how to stop. */
function follow(url: string, { onEvent, onLost }: Listeners): () => void {
  const stopped = new AbortController();
  let source: EventSource | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let failures = 0;
  const stop = () => {
    stopped.abort();
    clearTimeout(timer);
    source?.close();
  };
  const open = () => {
    // After the end of a session the stream waits until somebody has signed in again.
    if (!onlineManager.isOnline()) return openAfter(waitBeforeTry(0, new Error()));
    source = new EventSource(url);
    source.addEventListener('progress', ({ data }: MessageEvent<string>) => {
      failures = 0;
      onEvent('progress', data);
    });
    source.addEventListener('end', ({ data }: MessageEvent<string>) => {
      stop();
      onEvent('end', data);
    });
    // The browser reconnects after a break, but not after a refusal.
    source.addEventListener('error', () => void (source?.readyState === EventSource.CLOSED && retry()));
  };
  const openAfter = (ms: number) => {
    timer = setTimeout(open, ms);
  };
  const retry = async () => {
    const refusal = await refusalOf(url, stopped.signal);
    if (stopped.signal.aborted) return;
    const error = refusal ?? new Error('The connection was lost.');
    if (isGone(error) || failures === TRIES) return onLost(error);
    openAfter(waitBeforeTry(failures, error));
    failures += 1;
  };
  open();
  return stop;
}

function watchVisibility(listener: () => void): () => void {
  document.addEventListener('visibilitychange', listener);
  return () => document.removeEventListener('visibilitychange', listener);
}

/**
 * The newest state of long-running work from a stream of server-sent events. After a break the stream begins with the
 * current state. A hidden tab has no stream, because all tabs share the few connections of a browser. `onEnd` gets the last state, or null and the error when the stream is lost: then the state of the work
 * is unknown, and it may go on unless it `isGone`.
 */
export function useProgress<T>(url: string | null, onEnd: (last: T | null, error: Error | null) => void): T | null {
  const [state, setState] = useState<{ url: string; data: T } | null>(null);
  const end = useRef(onEnd);
  end.current = onEnd;
  const isHidden = useSyncExternalStore(watchVisibility, () => document.hidden);
  useEffect(() => {
    if (url === null || isHidden) return undefined;
    return follow(url, {
      onEvent: (name, text) => {
        const data = JSON.parse(text) as T;
        setState({ url, data });
        if (name === 'end') end.current(data, null);
      },
      onLost: (error) => end.current(null, error),
    });
  }, [url, isHidden]);
  return state?.url === url ? state.data : null;
}
