import { api } from '../api/client';
import type { RequestFilter, TracesAfterCursor } from '../api/schema.gen';
import type { Offer } from '../to-sheet/add-to-sheet';
import type { Selection } from '../to-sheet/start-adding';
import { count } from '../ui/format';
import { type ListState, toSearch } from './list-state';

/** Maximum number of traces: their ids are part of the request. */
const MOST = 1000;
/** Maximum size of a page. */
const PAGE = 100;

/** The calls of traces, the newest first. */
const callsOf = (traceIds: readonly string[]): Selection => ({
  filter_group: { logic: 'AND', filters: [{ field: 'trace_id', operator: 'in', value: traceIds } as RequestFilter] },
});

/** Imports on offer: the calls of the chosen traces, and of all that match. */
export function offersOf(
  ticked: ReadonlySet<string>,
  { state, now, total }: { state: ListState; now: number; total: string },
): Offer[] {
  const all = {
    text: `The calls of all that match: ${total}. Those of at most ${count(MOST)} traces are added.`,
    selection: async () => callsOf(await findIds(state, now)),
  };
  const ids = [...ticked];
  const these = {
    text:
      ids.length === 1
        ? 'The calls of the trace that is chosen'
        : `The calls of the ${count(ids.length)} traces that are chosen`,
    selection: callsOf(ids),
  };
  return ids.length === 0 ? [all] : [these, all];
}

/** The ids of the first traces of a list. */
async function findIds(state: ListState, now: number): Promise<string[]> {
  const ids: string[] = [];
  let cursor: string | null = null;
  do {
    const body = { ...toSearch(state, now), limit: PAGE, ...(cursor !== null && { cursor }) };
    const page = (await api('POST /api/public/v2/traces/search', { body })) as TracesAfterCursor;
    ids.push(...page.items.map(({ trace_id: id }) => id));
    cursor = page.next_cursor;
  } while (cursor !== null && ids.length < MOST);
  return ids;
}
