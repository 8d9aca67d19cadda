import { useSyncExternalStore } from 'react';
import { dayAndTime, moment } from './format';

/** A time, with its day unless that is today. */
export function Moment({ at }: { at: string }) {
  useSyncExternalStore(watchDay, today);
  return (
    <time dateTime={at} title={dayAndTime(at)}>
      {moment(at)}
    </time>
  );
}

const MINUTE_MS = 60_000;
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

const today = (): string => new Date().toDateString();

/** A page that stays open overnight shows the times of yesterday with their day. */
function watchDay(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(() => listeners.forEach((tell) => tell()), MINUTE_MS);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}
