import { Body, Controller, Delete, Get, Inject, Post, Req, Res } from '@nestjs/common';
import { ApiBody, ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AcceptsBodyKey } from '../platform/http/body-key.js';
import { AccessErrors, type Caller, CurrentCaller } from '../access/index.js';
import { CONFIG, type Config } from '../platform/config/config.js';
import { RateLimit, type RateLimitedRequest } from '../platform/http/rate-limit.js';
import { SingleSignOn } from '../single-sign-on/index.js';
import { SessionResponse, SignedOutOfConsoleResponse, SignInRequest } from './console-session.dto.js';
import { ConsoleSessions } from './console-sessions.service.js';
import { originOf } from './own-address.js';
import { browserOf, SessionAnswers } from './session-answers.js';
import { noCookie, tokenIn } from './session-cookie.js';

@ApiTags('Console')
@Controller('console/session')
export class ConsoleSessionController {
  constructor(
    private readonly sessions: ConsoleSessions,
    private readonly answers: SessionAnswers,
    private readonly singleSignOn: SingleSignOn,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  @Post()
  @ApiOperation({
    summary: 'Sign in to the console: exchange an API key for a cookie.',
    description:
      'The cookie `ts_session` cannot be read by scripts. It stands for the key in every request without one, but never where traces ' +
      'or calls are sent, and for anything but GET and HEAD only with the header `x-console: 1`. It is over after 12 hours without ' +
      'use (CONSOLE_SESSION_IDLE_MINUTES), after 7 days (CONSOLE_SESSION_MINUTES), and when the key is revoked. Over HTTPS its name is `__Host-ts_session`.',
  })
  @AcceptsBodyKey()
  @RateLimit({ name: 'console.sign-in', perMinute: 'signInsPerMinute', noun: 'attempts to sign in', per: 'address' })
  @ApiBody({ type: SignInRequest, required: false })
  @ApiCreatedResponse({ type: SessionResponse })
  async signIn(
    @CurrentCaller() caller: Caller,
    @Body() _body: SignInRequest,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SessionResponse> {
    const { workspaceId, keyId, requestId } = caller;
    // Only keys have sessions: the operator's token is not for browsers.
    if (keyId === null) throw AccessErrors.api_key_invalid();
    const started = await this.sessions.start({ workspaceId, keyId, requestId }, browserOf(request));
    return this.answers.begin(started, request, reply);
  }

  @Get()
  @ApiOperation({
    summary: 'Read the session of the console.',
    description:
      'With a session cookie it describes the key behind the session, otherwise the key of the request. 401 means that there is no valid session: sign in with `POST /console/session`.',
  })
  @ApiOkResponse({ type: SessionResponse })
  async get(
    @CurrentCaller() caller: Caller,
    @Req() request: FastifyRequest & RateLimitedRequest,
  ): Promise<SessionResponse> {
    const session = request.isConsole ? await this.sessions.find(tokenIn(request)) : null;
    return this.answers.describe(caller, session?.expiresAt ?? null);
  }

  @Delete()
  @ApiOperation({
    summary: 'Sign out of the console.',
    description:
      'The session ends at once, and the cookie is removed from the browser. Other sessions of the same key continue. Without a session nothing happens.',
  })
  @ApiOkResponse({ type: SignedOutOfConsoleResponse })
  async signOut(
    @CurrentCaller() caller: Caller,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SignedOutOfConsoleResponse> {
    const origin = await this.sessions.originOf(tokenIn(request));
    await this.sessions.end(caller, tokenIn(request));
    void reply.header('set-cookie', noCookie(request));
    const returnTo = `${originOf(request, this.config)}/console/`;
    const url = origin && (await this.singleSignOn.logoutUrl(origin, returnTo));
    return { success: true, ...(url !== null && { logout_url: url }) };
  }
}
