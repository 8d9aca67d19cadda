import { useQuery } from '@tanstack/react-query';
import { api } from '../api/client';
import { readAllPages } from '../api/lists';

const OFTEN_MS = 60_000;
const SOON_MS = 2000;
const PAGE = 100;

/** The monitors, open ones first. They are evaluated in the background, so the list is polled. */
export function useMonitors() {
  return useQuery({
    queryKey: ['monitors'],
    queryFn: async ({ signal }) => {
      const monitors = await readAllPages((cursor) =>
        api('GET /api/public/v2/monitors', { query: { limit: PAGE, cursor }, signal }),
      );
      return monitors.toSorted((a, b) => Number(b.status === 'open') - Number(a.status === 'open'));
    },
    // A new monitor is evaluated within seconds.
    refetchInterval: ({ state }) => (state.data?.some(({ status }) => status === 'waiting') ? SOON_MS : OFTEN_MS),
  });
}
