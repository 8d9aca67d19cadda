import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AdministrationErrors, MeService, toMeResponse } from '../administration/index.js';
import type { AuthenticatedRequest, Caller } from '../access/index.js';
import { Problem } from '../platform/errors/problem.js';
import type { SessionResponse } from './console-session.dto.js';
import { type Browser, ConsoleSessions, type StartedSession } from './console-sessions.service.js';
import { sessionCookie, tokenIn } from './session-cookie.js';

type Request = FastifyRequest & AuthenticatedRequest;

export function browserOf(request: FastifyRequest): Browser {
  return { address: request.ip, userAgent: request.headers['user-agent'], token: tokenIn(request) };
}

/** Answers with which sessions begin. */
@Injectable()
export class SessionAnswers {
  constructor(
    private readonly me: MeService,
    private readonly sessions: ConsoleSessions,
  ) {}

  /** Sets the cookie of a new session and says whose it is. */
  async begin(started: StartedSession, request: Request, reply: FastifyReply): Promise<SessionResponse> {
    const caller = await this.sessions.authenticate(started.token, request);
    // It was revoked in the same moment.
    if (caller === null || caller instanceof Problem) throw AdministrationErrors.sign_in_failed();
    void reply.header('set-cookie', sessionCookie(started, request));
    return this.describe(caller, started.expiresAt);
  }

  async describe(caller: Caller, expiresAt: Date | null): Promise<SessionResponse> {
    const me = await this.me.get(caller);
    const workspaces = await this.me.workspacesOf(caller);
    return {
      ...toMeResponse(me),
      workspaces: workspaces.map(({ id, name }) => ({ id, name })),
      expires_at: expiresAt?.toISOString() ?? null,
    };
  }
}
