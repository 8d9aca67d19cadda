import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Caller } from '../../access/index.js';
import { CONFIG, type Config } from '../../platform/config/config.js';
import type { Total } from '../../platform/database/bounded-total.js';
import { withinTime } from '../../platform/database/within-time.js';
import { decodeCursor, encodeCursor, type ListOrder } from '../../platform/http/cursor.js';
import { readPromptNames } from '../../prompts/index.js';
import { LogMatches } from './log-matches.js';
import { type LogPreview, previewOf } from './previews.js';
import { readPieces } from './previews.queries.js';
import { parseLogQuery, type RequestLogQuery, understandLogQuery } from './request-conditions.js';
import { cursorShapes, cursorValues, type RequestLogRow, type RequestOrder } from './search-page.queries.js';

/** Which logs, in which order. By default newest first. */
export interface RequestSearch extends RequestLogQuery {
  sort: RequestOrder | null;
  includePromptName: boolean;
  includePreview: boolean;
}

export interface FoundLogs {
  rows: RequestLogRow[];
  /** Names by prompt id; null when they are not asked for. */
  promptNames: Map<number, string> | null;
  /** Previews by the id of the log; null when they are not asked for. */
  previews: Map<string, LogPreview> | null;
  /** Whether so many logs wait for the index that some of them were not looked at. */
  isPartial: boolean;
}

const NEWEST_FIRST: RequestOrder = { by: 'request_start_time', order: 'desc' };

@Injectable()
export class SearchService {
  constructor(
    private readonly db: DataSource,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** The page of a number, starting with 1. Throws what the filter grammar throws, and reading_timeout. */
  searchPage(
    caller: Caller,
    search: RequestSearch,
    { page, perPage }: { page: number; perPage: number },
  ): Promise<FoundLogs & Total> {
    return withinTime(this.config, async () => {
      const offset = (page - 1) * perPage;
      const order = search.sort ?? NEWEST_FIRST;
      const matches = await this.match(caller, search);
      const { rows, isPartial } = await matches.read(order, { offset, after: null, limit: perPage + 1 });
      const total = await totalOf(matches, { offset, perPage, found: rows.length });
      const shown = rows.slice(0, perPage);
      return { ...(await this.withMore(caller, search, { rows: shown, matches })), ...total, isPartial };
    });
  }

  /** The logs after a cursor; the first ones without. Throws cursor_invalid, and the same as `searchPage`. */
  searchAfter(
    caller: Caller,
    search: RequestSearch,
    { cursor, limit }: { cursor: string | null; limit: number },
  ): Promise<FoundLogs & { nextCursor: string | null }> {
    return withinTime(this.config, async () => {
      const order = search.sort ?? NEWEST_FIRST;
      const list = listOrder(caller, search, order);
      const after = cursor === null ? null : decodeCursor(list, cursor, cursorShapes(order.by));
      const matches = await this.match(caller, search);
      const { rows: found, isPartial } = await matches.read(order, { offset: 0, after, limit: limit + 1 });
      const rows = found.slice(0, limit);
      const nextCursor = found.length > limit ? encodeCursor(list, cursorValues(rows[limit - 1]!)) : null;
      return { ...(await this.withMore(caller, search, { rows, matches })), nextCursor, isPartial };
    });
  }

  private async match({ workspaceId }: Caller, search: RequestSearch): Promise<LogMatches> {
    const db = this.db.manager;
    const understood = await understandLogQuery(db, workspaceId, { parsed: parseLogQuery(search), which: 'newest' });
    return LogMatches.open(db, workspaceId, understood, this.config.statementTimeoutMs);
  }

  /** What a search may ask for beside the logs: a statement each for the whole page. */
  private async withMore(
    { workspaceId }: Caller,
    { includePromptName, includePreview }: RequestSearch,
    { rows, matches }: { rows: RequestLogRow[]; matches: LogMatches },
  ): Promise<Omit<FoundLogs, 'isPartial'>> {
    const db = this.db.manager;
    const promptIds = rows.map((row) => row.prompt_id);
    const promptNames = includePromptName ? await readPromptNames(db, workspaceId, promptIds) : null;
    if (!includePreview) return { rows, promptNames, previews: null };
    const query = matches.text;
    const pieces = await readPieces(db, workspaceId, { ids: rows.map(({ id }) => id), query });
    const previews = new Map(Array.from(pieces, ([id, each]) => [id, previewOf(each, query)]));
    return { rows, promptNames, previews };
  }
}

/** Where the page ends before it is full, all were counted by reading it. */
async function totalOf(
  matches: LogMatches,
  { offset, perPage, found }: { offset: number; perPage: number; found: number },
): Promise<Total> {
  const isLast = found <= perPage && (found > 0 || offset === 0);
  return isLast ? { total: offset + found, isExact: true } : matches.total(found > perPage ? offset + found : 0);
}

/** What a cursor belongs to. */
function listOrder({ workspaceId }: Caller, search: RequestSearch, { by, order }: RequestOrder): ListOrder {
  const { filterGroup = null, filters = null, q } = search;
  return { sort: by, order, filters: { workspaceId, filterGroup, filters, q: q || null } };
}
