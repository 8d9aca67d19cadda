import type { WorkAborted } from './work-kind.js';

/** Of the time a stop may take, this share is left to what is under way, unless less will do. */
const SHARE = 0.6;

/** Calls `end` when a signal is aborted: at once, but some time later when the process stops, so that work may still end by itself. */
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
