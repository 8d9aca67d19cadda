import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { api } from '../api/client';
import type { ComparisonResponse, ListedCalculationBody, SideBySideResponse } from '../api/schema.gen';

export const MOST_RUNS = 6;
const POLL_MS = 1000;
const RUNS = '/api/public/v2/scorecard-calculations';

/** State of the screen in the URL. `ids` are separated by commas, `read` is a run, a row and a column. */
export const DEFAULTS = { ids: '', verdict: '', score: '', change: '', by: '', read: '' };
export type RunsState = typeof DEFAULTS;

export const VERDICTS = {
  '': 'Any verdict',
  pass: 'Passed',
  warn: 'With a warning',
  fail: 'Failed',
  error: 'With an error',
  'fail,error': 'Failed or with an error',
};
export const SCORES = { '': 'Any score', low: 'Below 50 %', middle: '50 % to 99 %', full: '100 %' };
export const CHANGES = {
  '': 'All rows',
  any: 'Rows that changed',
  worse: 'Rows that got worse',
  better: 'Rows that got better',
};

const BOUNDS: Record<string, { min_score?: number; max_score?: number }> = {
  low: { max_score: 0.499 },
  middle: { min_score: 0.5, max_score: 0.999 },
  full: { min_score: 1 },
};

export const idsOf = ({ ids }: RunsState): string[] =>
  [...new Set(ids.split(',').filter((id) => id !== ''))].slice(0, MOST_RUNS);

const isOpen = ({ status }: ListedCalculationBody): boolean => status === 'queued' || status === 'running';

/** The runs that were named, in the list of those that are known: with their sheets and how far they are. */
export function useNamedRuns(ids: string[]) {
  const query = useQuery({
    queryKey: ['evaluation-runs', 'newest'],
    queryFn: ({ signal }) => api(`GET ${RUNS}`, { query: { limit: 100 }, signal }),
    refetchInterval: ({ state }) => (state.data?.data.some(isOpen) ? POLL_MS : false),
  });
  const all = query.data?.data ?? [];
  const missing = ids.filter((id) => !all.some((run) => run.calculation_id === id));
  const older = useQuery({
    queryKey: ['evaluation-runs', 'older', missing],
    queryFn: ({ signal }) => readOlder(missing, query.data!.next_cursor, signal),
    // A list from before a run began does not have it.
    enabled: missing.length > 0 && query.isFetchedAfterMount && query.isSuccess,
  });
  const known = new Map([...all, ...(older.data ?? [])].map((run) => [run.calculation_id, run]));
  const named = ids.flatMap((id) => known.get(id) ?? []);
  const isMissing = named.length < ids.length && (!query.isFetchedAfterMount || older.isFetching);
  return { ...query, all, named, isWaiting: isMissing || named.some(isOpen) };
}

/** These runs, from the pages after the newest ones. */
async function readOlder(ids: string[], cursor: string | null, signal: AbortSignal): Promise<ListedCalculationBody[]> {
  const found: ListedCalculationBody[] = [];
  for (let next = cursor; next !== null && found.length < ids.length;) {
    const page = await api(`GET ${RUNS}`, { query: { limit: 100, cursor: next }, signal });
    found.push(...page.data.filter((run) => ids.includes(run.calculation_id)));
    next = page.next_cursor;
  }
  return found;
}

/** The rows of the runs, page by page. */
export function useLines(state: RunsState, isReady: boolean) {
  const ids = idsOf(state);
  const query = {
    calculation_ids: ids.join(','),
    verdict: state.verdict || undefined,
    change: state.change || undefined,
    match_by: state.by || undefined,
    ...BOUNDS[state.score],
  };
  const pages = useInfiniteQuery({
    queryKey: ['evaluation-runs', 'rows', query],
    queryFn: ({ pageParam, signal }) =>
      api(`GET ${RUNS}/rows`, { query: { ...query, cursor: pageParam ?? undefined } as never, signal }),
    initialPageParam: null as number | null,
    getNextPageParam: ({ next_cursor: next }: SideBySideResponse) => next,
    enabled: isReady && ids.length > 0,
  });
  const [first] = pages.data?.pages ?? [];
  return { ...pages, first, lines: pages.data?.pages.flatMap(({ rows }) => rows) ?? [] };
}

/** Differences of the other runs from the first one. */
export function useDifferences(runs: SideBySideResponse['runs'] | undefined, by: string) {
  const [first, ...others] = runs ?? [];
  return useQuery({
    queryKey: ['evaluation-runs', 'comparisons', runs?.map((run) => run.calculation_id), by],
    queryFn: ({ signal }) =>
      Promise.all(
        others.map(({ table_id, sheet_id, calculation_id }): Promise<ComparisonResponse> =>
          api(
            'GET /api/public/v2/tables/{table_id}/sheets/{sheet_id}/scorecard/calculations/{calculation_id}/comparison',
            {
              path: { table_id, sheet_id, calculation_id },
              query: { with: first!.calculation_id, ...(by !== '' && { match_by: by as never }) },
              signal,
            },
          ),
        ),
      ),
    enabled: others.length > 0,
  });
}

/** The letter of a run: A is the one that the others are compared with. */
export const letterOf = (place: number): string => 'ABCDEF'[place]!;
