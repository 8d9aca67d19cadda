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

/** 2026-11-01, the deprecation date of the older interface, in the format of RFC 9745. */
const SINCE = '@1793491200';

/** Marks a single answer as deprecated, for routes that are deprecated in some uses only. */
export function markDeprecated(reply: FastifyReply, successor: string): void {
  void reply.header('deprecation', SINCE).header('link', `<${successor}>; rel="successor-version"`);
}

/** Adds deprecation headers to every answer, errors included. */
class DeprecationInterceptor implements NestInterceptor {
  constructor(private readonly successor: string) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    markDeprecated(context.switchToHttp().getResponse<FastifyReply>(), this.successor);
    return next.handle();
  }
}

/** Deprecates a route; `successor` is the path of its replacement. The route keeps working. */
export const Deprecated = (successor: string): MethodDecorator & ClassDecorator =>
  applyDecorators(UseInterceptors(new DeprecationInterceptor(successor)), ApiExtension('x-successor', successor));
