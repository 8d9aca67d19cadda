import type { WorkAborted } from './work-kind.js';

/** Share of the shutdown timeout that active work gets to end by itself. */
const SHARE = 0.6;

/** Calls `end` when a signal is aborted: at once, or after the grace period when the process stops. */
export function afterGrace(
  signal: AbortSignal,
  shutdownTimeoutMs: number,
  end: (reason: WorkAborted) => void,
  share = SHARE,
): () => void {
  let timer: NodeJS.Timeout | undefined;
  const onAbort = () => {
    const reason = signal.reason as WorkAborted;
    if (reason.reason !== 'stopping') end(reason);
    else timer = setTimeout(() => end(reason), shutdownTimeoutMs * share);
  };
  if (signal.aborted) onAbort();
  signal.addEventListener('abort', onAbort, { once: true });
  return () => {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
  };
}
