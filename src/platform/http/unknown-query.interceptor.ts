import 'reflect-metadata';
import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor, type Type } from '@nestjs/common';
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Observable } from 'rxjs';
import { fieldNames } from './field.js';
import { nearestName } from './unknown-keys.js';
import { isClosed } from './validation.pipe.js';

/** The metadata that parameter decorators store on a handler, by "kind:index". */
type RouteArguments = Record<string, { index: number; data?: unknown }>;
type Controller = ReturnType<ExecutionContext['getClass']>;

const QUERY = /^4:/;
const MOST_REPORTED = 5;
const LONGEST_NAME = 64;

/**
 * Lists the ignored keys of a query in a header of the answer. Most queries refuse them (`@Closed`); lists with more permissive
 * contracts, such as those under `/tables`, must not.
 */
@Injectable()
export class UnknownQueryInterceptor implements NestInterceptor {
  /** By handler, the known keys of its query; null when all keys are read otherwise or refused. */
  private readonly known = new WeakMap<object, readonly string[] | null>();

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const http = context.switchToHttp();
    const query = http.getRequest<FastifyRequest>().query as Record<string, unknown> | undefined;
    const keys = Object.keys(query ?? {});
    if (keys.length > 0) {
      const known = this.knownKeys(context.getClass(), context.getHandler());
      const unknown = known ? keys.filter((key) => !known.includes(key)) : [];
      if (unknown.length > 0) void http.getResponse<FastifyReply>().header('warning', warningOf(unknown, known!));
    }
    return next.handle();
  }

  private knownKeys(controller: Controller, handler: { name: string }): readonly string[] | null {
    if (!this.known.has(handler)) this.known.set(handler, readKnownKeys(controller, handler.name));
    return this.known.get(handler)!;
  }
}

/** The known keys of a handler whose queries are classes or single keys. */
function readKnownKeys(controller: Controller, handler: string): string[] | null {
  const args = (Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, handler) ?? {}) as RouteArguments;
  const types = (Reflect.getMetadata('design:paramtypes', controller.prototype as object, handler) ??
    []) as Type<object>[];
  const queries = Object.entries(args).flatMap(([kind, arg]) => (QUERY.test(kind) ? [arg] : []));
  if (queries.length === 0) return null;
  const names: string[] = [];
  for (const { index, data } of queries) {
    const type = types[index];
    if (typeof data === 'string') names.push(data);
    else if (!type || type === Object || isClosed(type)) return null;
    else names.push(...fieldNames(type));
  }
  return names;
}

function warningOf(unknown: string[], known: readonly string[]): string {
  const named = unknown.slice(0, MOST_REPORTED).map((key) => {
    const nearest = nearestName(key, known);
    return `${encodeURIComponent(key.slice(0, LONGEST_NAME).toWellFormed())}${nearest === null ? '' : ` (did you mean ${nearest}?)`}`;
  });
  const more = unknown.length > MOST_REPORTED ? ', and others' : '';
  return `299 - "Unknown query keys are ignored: ${named.join(', ')}${more}"`;
}
