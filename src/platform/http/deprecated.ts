import {
  applyDecorators,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
  UseInterceptors,
} from '@nestjs/common';
import { ApiExtension } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import type { Observable } from 'rxjs';

/** 2026-11-01: since when routes of the older interface have successors, as RFC 9745 writes it. */
const SINCE = '@1793491200';

/** For a route that should be left in some of its uses only. */
export function markDeprecated(reply: FastifyReply, successor: string): void {
  void reply.header('deprecation', SINCE).header('link', `<${successor}>; rel="successor-version"`);
}

/** Says in the headers of every answer, refusals included, that something newer does the same. */
class DeprecationInterceptor implements NestInterceptor {
  constructor(private readonly successor: string) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    markDeprecated(context.switchToHttp().getResponse<FastifyReply>(), this.successor);
    return next.handle();
  }
}

/** For the routes that clients should leave in time; `successor` is the path of what does the same. They stay as they are. */
export const Deprecated = (successor: string): MethodDecorator & ClassDecorator =>
  applyDecorators(UseInterceptors(new DeprecationInterceptor(successor)), ApiExtension('x-successor', successor));
