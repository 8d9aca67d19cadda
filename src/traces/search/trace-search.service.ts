import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Caller } from '../../access/index.js';
import { CONFIG, type Config } from '../../platform/config/config.js';
import type { Total } from '../../platform/http/total.js';
import { withinTime } from '../../platform/database/within-time.js';
import { decodePosition, type ListOrder } from '../../platform/http/cursor.js';
import { type PagePosition, toPage } from '../../platform/http/list.js';
import { readPromptNames } from '../../prompts/index.js';
import { readTraceQuery, type TraceQuery, understandTraceQuery } from './trace-conditions.js';
import { findStanding, readTraceDetails, type TraceDetails } from './trace-details.queries.js';
import type { TraceSummary } from './trace-digest.js';
import { TraceFreshness } from './trace-freshness.js';
import { openTraces, type TraceMatches } from './trace-matches.js';
import { CURSOR_SHAPE, reversed, type TraceOnPage, type TraceOrder } from './trace-page.queries.js';
import { TraceSummaries } from './trace-summaries.js';

/**
 * A growing trace with more spans is shown with its last stored summary, because every reader would have to read it
 * again.
 */
const MOST_READ_AGAIN = 4000;

/** Query and order of a search. */
export interface TraceSearchRequest extends TraceQuery {
  sort: TraceOrder;
}

export interface FoundTraces {
  traces: TraceDetails[];
  /** By prompt id. */
  promptNames: Map<number, string>;
}

/** Result of a search. Partial when time ran out before the page was full, or when waiting traces were not checked. */
export type FoundPage<Position> = FoundTraces & Position & { isPartial: boolean };

@Injectable()
export class TraceSearchService {
  constructor(
    private readonly db: DataSource,
    private readonly freshness: TraceFreshness,
    private readonly summaries: TraceSummaries,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** The page of a number, starting with 1. Throws the errors of the filter grammar, and reading_timeout. */
  searchPage(
    caller: Caller,
    search: TraceSearchRequest,
    { page, perPage }: { page: number; perPage: number },
  ): Promise<FoundPage<Total>> {
    return withinTime(this.config, async () => {
      const offset = (page - 1) * perPage;
      const matches = await this.match(caller, search);
      const { rows, total, isExact, ...told } = await matches.readPage(search.sort, { offset, size: perPage });
      const isPartial = told.isPartial || told.isCutShort;
      return { ...(await this.details(caller.workspaceId, idsOf(rows))), total, isExact, isPartial };
    });
  }

  /** The traces after a cursor, or before it; the first ones without. Throws cursor_invalid, and the same as `searchPage`. */
  searchAfter(
    caller: Caller,
    search: TraceSearchRequest,
    { cursor, limit }: { cursor: string | null; limit: number },
  ): Promise<FoundPage<{ pagination: PagePosition }>> {
    return withinTime(this.config, async () => {
      const list = listOrder(caller, search);
      const position = cursor === null ? null : decodePosition(list, cursor, CURSOR_SHAPE);
      const matches = await this.match(caller, search);
      const order = position?.isBackward ? reversed(search.sort) : search.sort;
      const page = { offset: 0, after: position?.values ?? null, limit: limit + 1 };
      const { rows, isPartial, isCutShort } = await matches.read(order, page);
      const hasMore = isCutShort || rows.length > limit;
      const { data, pagination } = toPage(rows, { limit, cursor: cursor ?? undefined, hasMore }, list, (row) => [
        row.sort_value,
        row.trace_id,
      ]);
      return {
        ...(await this.details(caller.workspaceId, idsOf(data))),
        pagination,
        isPartial: isPartial || isCutShort,
      };
    });
  }

  /** The summary of one trace as it is now; none when the workspace has no span of it. */
  async summary(caller: Caller, traceId: string): Promise<FoundTraces> {
    const { workspaceId } = caller;
    const standing = await findStanding(this.db.manager, workspaceId, traceId);
    if (!standing) return { traces: [], promptNames: new Map() };
    const { spanCount, isStored, isWaiting } = standing;
    const isOld = isWaiting && !(isStored && spanCount > MOST_READ_AGAIN);
    const read = isOld ? await this.summaries.read(caller, traceId) : null;
    return this.details(workspaceId, [traceId], new Map(read && [[traceId, read]]));
  }

  private async match({ workspaceId }: Caller, search: TraceSearchRequest): Promise<TraceMatches> {
    const query = readTraceQuery(search);
    const isFresh = await this.freshness.ofWorkspace(workspaceId);
    const understood = await understandTraceQuery(this.db.manager, workspaceId, query);
    return openTraces(this.db.manager, understood, { limitMs: this.config.statementTimeoutMs, isFresh });
  }

  private async details(
    workspaceId: number,
    ids: string[],
    read?: ReadonlyMap<string, TraceSummary>,
  ): Promise<FoundTraces> {
    const traces = ids.length > 0 ? await readTraceDetails(this.db.manager, workspaceId, ids, read) : [];
    const promptIds = traces.flatMap((trace) => trace.prompt_ids ?? []);
    return { traces, promptNames: await readPromptNames(this.db.manager, workspaceId, promptIds) };
  }
}

const idsOf = (rows: TraceOnPage[]): string[] => rows.map((row) => row.trace_id);

/** Order and filters that a cursor belongs to. */
function listOrder({ workspaceId }: Caller, { sort, filterGroup = null, q }: TraceSearchRequest): ListOrder {
  return { sort: sort.by, order: sort.order, filters: { workspaceId, filterGroup, q: q || null } };
}
