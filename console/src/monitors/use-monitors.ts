import { useQuery } from '@tanstack/react-query';
import { api } from '../api/client';
import type { MonitorBody } from '../api/schema.gen';

const OFTEN_MS = 60_000;
const SOON_MS = 2000;
const PAGE = 100;

/** All pages of the monitors. */
async function readMonitors(signal: AbortSignal): Promise<MonitorBody[]> {
  const monitors: MonitorBody[] = [];
  let cursor: string | undefined;
  do {
    const page = await api('GET /api/public/v2/monitors', { query: { limit: PAGE, cursor }, signal });
    monitors.push(...page.data);
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined);
  return monitors;
}

/** The monitors, open ones first. They are evaluated in the background, so the list is polled. */
export function useMonitors() {
  return useQuery({
    queryKey: ['monitors'],
    queryFn: async ({ signal }) =>
      (await readMonitors(signal)).toSorted((a, b) => Number(b.status === 'open') - Number(a.status === 'open')),
    // A new monitor is evaluated within seconds.
    refetchInterval: ({ state }) => (state.data?.some(({ status }) => status === 'waiting') ? SOON_MS : OFTEN_MS),
  });
}
