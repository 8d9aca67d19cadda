import { Catch } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Problem } from '../platform/errors/problem.js';
import { ProblemFilter } from '../platform/http/problem.filter.js';

/** For routes that people open in a browser: a failure leads to a page that says in plain words what happened. */
@Catch()
export class SignInProblemFilter extends ProblemFilter {
  protected override send(reply: FastifyReply, request: FastifyRequest, { code }: Problem): void {
    request.refusedWith = code;
    void reply.redirect(`/console/sign-in-failed?code=${encodeURIComponent(code)}`, 302);
  }
}
