import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Caller } from '../../access/index.js';
import { CONFIG, type Config } from '../../platform/config/config.js';
import { readPageWithTotal, type Total } from '../../platform/database/bounded-total.js';
import { withinTime } from '../../platform/database/within-time.js';
import { SqlParameters } from '../../platform/filters/sql-parameters.js';
import { decodePosition, type ListOrder } from '../../platform/http/cursor.js';
import { type PagePosition, toPage } from '../../platform/http/list.js';
import { readPromptNames } from '../../prompts/index.js';
import { anyIncomplete } from '../../requests/index.js';
import type { Listing } from './rare-spans.queries.js';
import { expectCandidates } from './trace-candidates.js';
import { readsTexts, readTraceQuery, selectTraces, type TraceQuery } from './trace-conditions.js';
import { findTraceSize, readTraceDetails, type TraceDetails } from './trace-details.queries.js';
import { TraceFreshness } from './trace-freshness.js';
import {
  CURSOR_SHAPE,
  matchingTraces,
  readTracePage,
  reversed,
  type TraceMatch,
  type TraceOnPage,
  type TraceOrder,
} from './trace-page.queries.js';

/** Which traces, in which order. */
export interface TraceSearchRequest extends TraceQuery {
  sort: TraceOrder;
}

export interface FoundTraces {
  traces: TraceDetails[];
  /** By prompt id. */
  promptNames: Map<number, string>;
}

@Injectable()
export class TraceSearchService {
  constructor(
    private readonly db: DataSource,
    private readonly freshness: TraceFreshness,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** The page of a number, starting with 1. Throws what the filter grammar throws, and reading_timeout. */
  searchPage(
    caller: Caller,
    search: TraceSearchRequest,
    { page, perPage }: { page: number; perPage: number },
  ): Promise<FoundTraces & Total> {
    return withinTime(this.config, async () => {
      const offset = (page - 1) * perPage;
      const match = await this.match(caller, search, 'expected');
      let narrowed: TraceMatch | null = null;
      const listThoroughly = async () => (narrowed = await this.match(caller, search, 'thorough'));
      const { rows, total } = await readPageWithTotal(this.db.manager, matchingTraces(match), {
        offset,
        size: perPage,
        read: (limit) =>
          readTracePage(
            this.db.manager,
            match,
            { order: search.sort, start: { offset, after: null, limit } },
            listThoroughly,
          ),
        // Where nothing rare was found, the same would be counted again.
        narrowed: () =>
          narrowed && narrowed.expectedCandidates < match.expectedCandidates ? matchingTraces(narrowed) : null,
      });
      return { ...(await this.details(caller.workspaceId, idsOf(rows))), ...total };
    });
  }

  /** The traces after a cursor, or before it; the first ones without. Throws cursor_invalid, and the same as `searchPage`. */
  searchAfter(
    caller: Caller,
    search: TraceSearchRequest,
    { cursor, limit }: { cursor: string | null; limit: number },
  ): Promise<FoundTraces & { pagination: PagePosition }> {
    return withinTime(this.config, async () => {
      const list = listOrder(caller, search);
      const position = cursor === null ? null : decodePosition(list, cursor, CURSOR_SHAPE);
      const match = await this.match(caller, search, 'expected');
      const page = {
        order: position?.isBackward ? reversed(search.sort) : search.sort,
        start: { offset: 0, after: position?.values ?? null, limit: limit + 1 },
      };
      const found = await readTracePage(this.db.manager, match, page, () => this.match(caller, search, 'thorough'));
      const { data, pagination } = toPage(found, { limit, cursor: cursor ?? undefined }, list, (row) => [
        row.sort_value,
        row.trace_id,
      ]);
      return { ...(await this.details(caller.workspaceId, idsOf(data))), pagination };
    });
  }

  /** The summary of one trace; none when the workspace has no span of it. */
  async summary(workspaceId: number, traceId: string): Promise<FoundTraces> {
    const size = await findTraceSize(this.db.manager, workspaceId, traceId);
    if (!size) return { traces: [], promptNames: new Map() };
    await this.freshness.ofTrace({ workspaceId, traceId, ...size });
    return this.details(workspaceId, [traceId]);
  }

  private async match({ workspaceId }: Caller, search: TraceSearchRequest, listing: Listing): Promise<TraceMatch> {
    const query = readTraceQuery(search);
    await this.freshness.ofWorkspace(workspaceId);
    const parameters = new SqlParameters();
    const selection = await selectTraces(this.db.manager, { workspaceId, listing }, query, parameters);
    const { candidates } = selection;
    const { group, text } = query;
    const asksForWords = group === null && text !== null && !readsTexts(query);
    return {
      ...selection,
      workspaceId,
      values: parameters.values,
      isFiltered: group !== null || text !== null,
      readsTexts: readsTexts(query),
      ...(candidates ? await expectCandidates(this.db.manager, workspaceId, candidates) : NO_CANDIDATES),
      isExact: asksForWords && !(await anyIncomplete(this.db.manager, workspaceId, 'trace_search')),
    };
  }

  private async details(workspaceId: number, ids: string[]): Promise<FoundTraces> {
    const traces = ids.length > 0 ? await readTraceDetails(this.db.manager, workspaceId, ids) : [];
    const promptIds = traces.flatMap((trace) => trace.prompt_ids ?? []);
    return { traces, promptNames: await readPromptNames(this.db.manager, workspaceId, promptIds) };
  }
}

const NO_CANDIDATES = { expectedCandidates: 0, expectedTraces: 0 };

const idsOf = (rows: TraceOnPage[]): string[] => rows.map((row) => row.trace_id);

/** What a cursor belongs to. */
function listOrder({ workspaceId }: Caller, { sort, filterGroup = null, q }: TraceSearchRequest): ListOrder {
  return { sort: sort.by, order: sort.order, filters: { workspaceId, filterGroup, q: q || null } };
}
