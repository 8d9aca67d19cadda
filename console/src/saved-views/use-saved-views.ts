import { useQuery } from '@tanstack/react-query';
import { api } from '../api/client';
import { readAllPages } from '../api/lists';

const PAGE = 100;

/** All views visible to the user, by name. They are read when they are needed. */
export function useSavedViews(isNeeded: boolean) {
  return useQuery({
    queryKey: ['saved-views'],
    queryFn: async ({ signal }) => {
      const views = await readAllPages((cursor) =>
        api('GET /api/public/v2/saved-views', { query: { limit: PAGE, cursor }, signal }),
      );
      return views.toSorted((a, b) => a.name.localeCompare(b.name));
    },
    enabled: isNeeded,
  });
}
