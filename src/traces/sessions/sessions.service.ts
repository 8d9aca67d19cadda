import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Caller } from '../../access/index.js';
import type { AskedTime } from '../../rollups/index.js';
import { CONFIG, type Config } from '../../platform/config/config.js';
import { withinTime } from '../../platform/database/within-time.js';
import { decodeCursor, encodeCursor, type ListOrder } from '../../platform/http/cursor.js';
import { TRACE_HOURS } from '../shared/trace-hours.js';
import { TraceFreshness } from '../search/trace-freshness.js';
import { checkSortValue } from '../search/trace-page.queries.js';
import { TraceErrors } from '../shared/traces.errors.js';
import type { SessionFilter } from './session-rows.js';
import {
  findSession,
  readSessions,
  readTurns,
  type SessionOnPage,
  type SessionPlace,
  type SessionTotals,
  type SessionTurn,
} from './sessions.queries.js';

/** Filters of traces in sessions. */
export interface SessionsAsked extends Pick<SessionFilter, 'userId' | 'origins' | 'environment'> {
  time: Pick<AskedTime, 'from' | 'to'>;
}

export interface PageAsked {
  cursor?: string;
  limit: number;
}

/** `isPartial`: traces that wait for search may be missing. */
interface Read {
  isPartial: boolean;
}

export interface SessionsPage extends Read {
  sessions: SessionOnPage[];
  nextCursor: string | null;
}

export interface TurnsPage extends Read {
  turns: SessionTurn[];
  nextCursor: string | null;
}

@Injectable()
export class SessionsService {
  constructor(
    private readonly db: DataSource,
    private readonly freshness: TraceFreshness,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** Throws cursor_invalid, reading_timeout. */
  list({ workspaceId }: Caller, asked: SessionsAsked, { cursor, limit }: PageAsked): Promise<SessionsPage> {
    return withinTime(this.config, async () => {
      const { time, ...rest } = asked;
      const filter = { workspaceId, ...rest, from: nanoseconds(time.from), to: nanoseconds(time.to) };
      const order: ListOrder = { sort: 'session', order: 'desc', filters: filter };
      const after = placeOf(order, cursor);
      const isFresh = await this.freshness.ofWorkspace(workspaceId);
      const found = await readSessions(this.db.manager, filter, { after, limit: limit + 1 });
      const sessions = found.sessions.slice(0, limit);
      const goesOn = found.sessions.length > limit ? sessions.at(-1)! : found.end;
      return { sessions, nextCursor: cursorAt(order, goesOn), isPartial: !isFresh };
    });
  }

  /** Throws trace_session_not_found, reading_timeout. */
  get({ workspaceId }: Caller, sessionId: string): Promise<SessionTotals & Read> {
    return withinTime(this.config, async () => {
      const isFresh = await this.freshness.ofWorkspace(workspaceId);
      const totals = await findSession(this.db.manager, workspaceId, sessionId);
      if (!totals) throw TraceErrors.trace_session_not_found(sessionId);
      return { ...totals, isPartial: !isFresh };
    });
  }

  /** Throws trace_session_not_found, cursor_invalid, reading_timeout. */
  turns({ workspaceId }: Caller, sessionId: string, { cursor, limit }: PageAsked): Promise<TurnsPage> {
    return withinTime(this.config, async () => {
      const order: ListOrder = { sort: 'turn', order: 'asc', filters: { workspaceId, sessionId } };
      const after = placeOf(order, cursor);
      const isFresh = await this.freshness.ofWorkspace(workspaceId);
      const found = await readTurns(this.db.manager, { workspaceId, sessionId }, { after, limit: limit + 1 });
      if (found.length === 0 && !after) throw TraceErrors.trace_session_not_found(sessionId);
      const turns = found.slice(0, limit);
      const goesOn = found.length > limit ? turns.at(-1)! : null;
      return { turns, nextCursor: cursorAt(order, goesOn), isPartial: !isFresh };
    });
  }
}

const nanoseconds = (microseconds: bigint | null): string | null =>
  microseconds === null ? null : TRACE_HOURS.start.write(microseconds);

function placeOf(list: ListOrder, cursor: string | undefined): SessionPlace | null {
  if (cursor === undefined) return null;
  const [startNs, traceId] = decodeCursor(list, cursor, ['text', 'text']) as [string, string];
  checkSortValue({ by: 'trace_start', order: list.order }, startNs);
  return { start_ns: startNs, trace_id: traceId };
}

const cursorAt = (list: ListOrder, place: SessionPlace | null): string | null =>
  place && encodeCursor(list, [place.start_ns, place.trace_id]);
