import { useQuery } from '@tanstack/react-query';
import { api } from '../api/client';
import type { SavedViewBody } from '../api/schema.gen';

const PAGE = 100;

/** All views visible to the user, by name. They are read when they are needed. */
export function useSavedViews(isNeeded: boolean) {
  return useQuery({
    queryKey: ['saved-views'],
    queryFn: ({ signal }) => readAll(signal),
    enabled: isNeeded,
  });
}

async function readAll(signal: AbortSignal): Promise<SavedViewBody[]> {
  const views: SavedViewBody[] = [];
  let cursor: string | undefined;
  do {
    const page = await api('GET /api/public/v2/saved-views', { query: { limit: PAGE, cursor }, signal });
    views.push(...page.data);
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined);
  return views.sort((a, b) => a.name.localeCompare(b.name));
}
