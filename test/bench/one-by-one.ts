import { quantile } from './report.js';

/** Number of requests per search. */
export const REQUESTS = Number(process.env.BENCH_REQUESTS ?? 100);

export interface SearchAnswer {
  items?: unknown[];
  values?: unknown[];
  total?: number;
  total_is_exact?: boolean;
  next_cursor?: string | null;
}
export type SearchRequest = () => Promise<SearchAnswer>;

/** Makes a request again and again, one after the other; gives the milliseconds of each and the last answer. */
export async function oneByOne<T>(
  requests: number,
  request: () => Promise<T>,
): Promise<{ latencies: number[]; last: T | undefined }> {
  const latencies: number[] = [];
  let last: T | undefined;
  for (let count = 0; count < requests; count++) {
    const start = performance.now();
    last = await request();
    latencies.push(performance.now() - start);
  }
  return { latencies, last };
}

/** Headings of the columns from `columnsOf`. */
export const LATENCY_COLUMNS = ['p50 ms', 'p95 ms', 'max ms'];

export function columnsOf(latencies: number[]): string[] {
  return [quantile(latencies, 0.5), quantile(latencies, 0.95), Math.max(...latencies)].map((ms) => ms.toFixed(1));
}

/** Headings of the columns from `measureSearch`. */
export const SEARCH_COLUMNS = [...LATENCY_COLUMNS, 'items', 'total'];

/** A row of a table. Items and total are those of the last answer. */
export async function measureSearch(request: SearchRequest, requests = REQUESTS): Promise<string[]> {
  const { latencies, last = {} } = await oneByOne(requests, request);
  const total = last.total === undefined ? '' : `${last.total}${last.total_is_exact ? '' : ' (estimate)'}`;
  return [...columnsOf(latencies), String((last.items ?? last.values ?? []).length), total];
}

/** The next page of 25 with every call, from the beginning after the last one. */
export function pager(search: (page: object) => Promise<SearchAnswer>): SearchRequest {
  let cursor: string | null | undefined;
  return async () => {
    const answer = await search({ limit: 25, cursor });
    cursor = answer.next_cursor;
    return answer;
  };
}

export const pick = <T>(list: readonly T[]): T => list[Math.floor(Math.random() * list.length)]!;

/** A word without its first and last letter, if something of it is left then. */
export const middleOf = (word: string): string => (word.length > 4 ? word.slice(1, -1) : word);

/** One condition of a filter group. */
export const leaf = (field: string, operator: string, value?: unknown, nested_key?: string) => ({
  field,
  operator,
  value,
  nested_key,
});
