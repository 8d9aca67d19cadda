import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Caller } from '../../access/index.js';
import { CONFIG, type Config } from '../../platform/config/config.js';
import type { Total } from '../../platform/http/total.js';
import { withinTime } from '../../platform/database/within-time.js';
import { decodeCursor, encodeCursor, type ListOrder } from '../../platform/http/cursor.js';
import { readPromptNames } from '../../prompts/index.js';
import type { TextQuery } from '../../words/index.js';
import { type LogMatches, openLogs } from './log-matches.js';
import { type LogPreview, previewOf } from './previews.js';
import { readPieces } from './previews.queries.js';
import { parseLogQuery, type RequestLogQuery, understandLogQuery } from './request-conditions.js';
import { cursorShapes, cursorValues, type RequestLogRow, type RequestOrder } from './search-page.queries.js';

/** Selects logs and their order. By default newest first. */
export interface RequestSearch extends RequestLogQuery {
  sort: RequestOrder | null;
  includePromptName: boolean;
  includePreview: boolean;
}

export interface FoundLogs {
  rows: RequestLogRow[];
  /** Names by prompt id; null when they were not requested. */
  promptNames: Map<number, string> | null;
  /** Previews by the id of the log; null when they were not requested. */
  previews: Map<string, LogPreview> | null;
  /**
   * True when the time limit was reached before the page was full, or when too many logs wait for the index to read all
   * of them.
   */
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
      const { matches, text } = await this.match(caller, search);
      const { rows, isPartial, isCutShort, ...total } = await matches.readPage(order, { offset, size: perPage });
      return { ...(await this.withMore(caller, search, { rows, text })), ...total, isPartial: isPartial || isCutShort };
    });
  }

  /** The logs after a cursor; without one, the first ones. Throws cursor_invalid, and the same as `searchPage`. */
  searchAfter(
    caller: Caller,
    search: RequestSearch,
    { cursor, limit }: { cursor: string | null; limit: number },
  ): Promise<FoundLogs & { nextCursor: string | null }> {
    return withinTime(this.config, async () => {
      const order = search.sort ?? NEWEST_FIRST;
      const list = listOrder(caller, search, order);
      const after = cursor === null ? null : decodeCursor(list, cursor, cursorShapes(order.by));
      const { matches, text } = await this.match(caller, search);
      const found = await matches.read(order, { offset: 0, after, limit: limit + 1 });
      const rows = found.rows.slice(0, limit);
      const isPartial = found.isPartial || found.isCutShort;
      const nextCursor =
        found.rows.length > limit || found.isCutShort ? encodeCursor(list, cursorValues(rows.at(-1)!)) : null;
      return { ...(await this.withMore(caller, search, { rows, text })), nextCursor, isPartial };
    });
  }

  /** `text`: the free text with its known words. */
  private async match(
    { workspaceId }: Caller,
    search: RequestSearch,
  ): Promise<{ matches: LogMatches; text: TextQuery | null }> {
    const db = this.db.manager;
    const understood = await understandLogQuery(db, workspaceId, { parsed: parseLogQuery(search), which: 'newest' });
    const matches = await openLogs(db, workspaceId, understood, this.config.statementTimeoutMs);
    return { matches, text: understood.text };
  }

  /** Optional data of a search: one statement each for the whole page. */
  private async withMore(
    { workspaceId }: Caller,
    { includePromptName, includePreview }: RequestSearch,
    { rows, text }: { rows: RequestLogRow[]; text: TextQuery | null },
  ): Promise<Omit<FoundLogs, 'isPartial'>> {
    const db = this.db.manager;
    const promptIds = rows.map((row) => row.prompt_id);
    const promptNames = includePromptName ? await readPromptNames(db, workspaceId, promptIds) : null;
    if (!includePreview) return { rows, promptNames, previews: null };
    const pieces = await readPieces(db, workspaceId, { ids: rows.map(({ id }) => id), query: text });
    const previews = new Map(Array.from(pieces, ([id, each]) => [id, previewOf(each, text)]));
    return { rows, promptNames, previews };
  }
}

/** The list to which a cursor belongs. */
function listOrder({ workspaceId }: Caller, search: RequestSearch, { by, order }: RequestOrder): ListOrder {
  const { filterGroup = null, filters = null, q } = search;
  return { sort: by, order, filters: { workspaceId, filterGroup, filters, q: q || null } };
}
