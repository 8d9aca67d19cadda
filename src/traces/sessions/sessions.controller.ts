import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type Caller, CurrentCaller } from '../../access/index.js';
import { PlatformErrors } from '../../platform/errors/platform.errors.js';
import { EndsWithClient } from '../../platform/http/ends-with-client.js';
import { Throws } from '../../platform/http/throws.js';
import { TraceErrors } from '../shared/traces.errors.js';
import {
  ListSessionsQuery,
  ListTurnsQuery,
  SessionPath,
  TraceSessionResponse,
  TraceSessionsResponse,
  toSessionResponse,
  toSessionsAsked,
  toSessionsResponse,
  toTurnsResponse,
  SessionTurnsResponse,
} from './sessions.dto.js';
import { SessionsService } from './sessions.service.js';

@ApiTags('Sessions and users')
@Controller('api/public/v2/sessions')
export class SessionsController {
  constructor(private readonly sessions: SessionsService) {}

  @EndsWithClient()
  @Get()
  @ApiOperation({
    summary: 'List sessions, those with the newest trace first.',
    description:
      'A session is all traces with the same `session_id`. Filters select traces: a session is listed when one of its traces matches, and its ' +
      'times, counts and sums are those of the traces that match. A page can have fewer sessions than `limit`, even none, while `has_more` ' +
      'is true: a request looks at 10,000 traces at most.',
  })
  @ApiOkResponse({ type: TraceSessionsResponse })
  @Throws(PlatformErrors.cursor_invalid, PlatformErrors.reading_timeout)
  async list(@CurrentCaller() caller: Caller, @Query() query: ListSessionsQuery): Promise<TraceSessionsResponse> {
    const { cursor, limit = 20 } = query;
    const page = { cursor, limit };
    return toSessionsResponse(query, page, await this.sessions.list(caller, toSessionsAsked(query), page));
  }

  @EndsWithClient()
  @Get(':session_id')
  @ApiOperation({
    summary: 'Read the totals of a session.',
    description: '404 `trace_session_not_found`: no trace of this workspace has the session.',
  })
  @ApiOkResponse({ type: TraceSessionResponse })
  @Throws(TraceErrors.trace_session_not_found, PlatformErrors.reading_timeout)
  async get(@CurrentCaller() caller: Caller, @Param() path: SessionPath): Promise<TraceSessionResponse> {
    return toSessionResponse(path.session_id, await this.sessions.get(caller, path.session_id));
  }

  @EndsWithClient()
  @Get(':session_id/turns')
  @ApiOperation({
    summary: 'List the traces of a session in the order of their start.',
    description: 'The fields for reading a conversation; `GET /api/public/v2/traces/{trace_id}` has everything else.',
  })
  @ApiOkResponse({ type: SessionTurnsResponse })
  @Throws(TraceErrors.trace_session_not_found, PlatformErrors.cursor_invalid, PlatformErrors.reading_timeout)
  async turns(
    @CurrentCaller() caller: Caller,
    @Param() path: SessionPath,
    @Query() { cursor, limit = 100 }: ListTurnsQuery,
  ): Promise<SessionTurnsResponse> {
    return toTurnsResponse(limit, await this.sessions.turns(caller, path.session_id, { cursor, limit }));
  }
}
