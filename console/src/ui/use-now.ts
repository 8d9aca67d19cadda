import { useState } from 'react';
import { flushSync } from 'react-dom';
import { thisMinute } from '../api/found';

interface Now {
  /** The end of relative times such as “the last hour”, in milliseconds since the epoch. */
  now: number;
  /** Moves `now`, and then reads again. */
  refresh: (read: () => unknown) => void;
}

/** The minute in which a list was opened, chosen or refreshed. In between, relative times stay as they are. */
export function useNow(list: string): Now {
  const [held, hold] = useState(() => ({ list, now: thisMinute() }));
  const shown = held.list === list ? held : { list, now: thisMinute() };
  if (shown !== held) hold(shown);
  return {
    now: shown.now,
    refresh: (read) => {
      // The queries get their new times first, or `read` would read those of before.
      flushSync(() => hold({ list, now: thisMinute() }));
      read();
    },
  };
}
