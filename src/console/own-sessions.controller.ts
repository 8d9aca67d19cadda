import { Controller, Delete, Get, Param, Req } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { type Caller, CurrentCaller } from '../access/index.js';
import { Throws } from '../platform/http/throws.js';
import { ConsoleErrors } from './console.errors.js';
import { SignedOutResponse } from './console-session.dto.js';
import { ConsoleSessions } from './console-sessions.service.js';
import { OwnSessionPath, OwnSessionsResponse, SessionsEndedResponse, toSessionBody } from './own-sessions.dto.js';
import { tokenIn } from './session-cookie.js';

@ApiTags('Console')
@Controller('console/sessions')
export class OwnSessionsController {
  constructor(private readonly sessions: ConsoleSessions) {}

  @Get()
  @ApiOperation({
    summary: 'List your own sessions.',
    description: 'The latest used first. A user sees those in all workspaces, a key its own.',
  })
  @ApiOkResponse({ type: OwnSessionsResponse })
  async list(@CurrentCaller() caller: Caller, @Req() request: FastifyRequest): Promise<OwnSessionsResponse> {
    const current = await this.sessions.find(tokenIn(request));
    const sessions = await this.sessions.list(caller);
    return { success: true, sessions: sessions.map((each) => toSessionBody(each, current)) };
  }

  @Delete()
  @ApiOperation({ summary: 'End all your other sessions.', description: 'The session of this request continues.' })
  @ApiOkResponse({ type: SessionsEndedResponse })
  async endOthers(@CurrentCaller() caller: Caller, @Req() request: FastifyRequest): Promise<SessionsEndedResponse> {
    return { success: true, ended_count: await this.sessions.endOthers(caller, tokenIn(request)) };
  }

  @Delete(':console_session_id')
  @ApiOperation({
    summary: 'End one of your sessions.',
    description: 'It is refused from the next request on, and open connections end within seconds.',
  })
  @ApiOkResponse({ type: SignedOutResponse })
  @Throws(ConsoleErrors.session_not_found)
  async endOne(
    @CurrentCaller() caller: Caller,
    @Param() { console_session_id: id }: OwnSessionPath,
  ): Promise<SignedOutResponse> {
    if (!(await this.sessions.endOne(caller, id))) throw ConsoleErrors.session_not_found(id);
    return { success: true };
  }
}
