import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException, Logger } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isConnectionFailure, isRetryable, isStorageFailure } from '../errors/failures.js';
import { methodsAt } from './route-table.js';
import { shapeOf } from '../errors/error-shapes.js';
import { PlatformErrors } from '../errors/platform.errors.js';
import { Problem, ValidationProblem } from '../errors/problem.js';

/** Format of the errors of a route family; set with `@ErrorShape()`. */
export type ErrorShapeName = 'standard' | 'brief';

/** Turns every exception into one of the error formats of the API. */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  private readonly log = new Logger('Errors');

  catch(exception: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const reply = http.getResponse<FastifyReply>();
    const problem = toProblem(exception, request);
    if (problem.status >= 500) this.report(exception, request, problem);
    if (reply.sent) return;
    this.send(reply, request, problem);
  }

  protected send(reply: FastifyReply, request: FastifyRequest, problem: Problem): void {
    sendProblem(reply, request, problem);
  }

  private report(exception: unknown, request: FastifyRequest, problem: Problem): void {
    const where = `${request.method} ${request.routeOptions?.url ?? ''} ${request.id}`;
    const cause = exception instanceof Error ? exception : new Error(String(exception));
    // A service that is unavailable is no fault of the code: its stack would only hide other faults.
    if (problem.status === 503) this.log.warn(`${where}: ${problem.code}: ${cause.message}`);
    else this.log.error(`${where}: ${cause.stack}`);
  }
}

export function sendProblem(reply: FastifyReply, request: FastifyRequest, thrown: Problem): void {
  const problem = request.routeOptions?.config.invalidIs400 ? without422(thrown) : thrown;
  request.refusedWith = problem.code;
  const { status, type, body } = shapeOf(request.url)?.(problem) ?? {
    status: problem.status,
    type: 'application/json',
    body: wireBody(problem, request),
  };
  void reply
    .status(status)
    .headers({ ...problem.extra.headers })
    .type(`${type}; charset=utf-8`)
    .send(JSON.stringify(body));
}

function wireBody(problem: Problem, request: FastifyRequest): object {
  if (problem.extra.body) return problem.extra.body;
  const shape: ErrorShapeName = request.routeOptions?.config.errorShape ?? 'standard';
  return shape === 'brief' ? { success: false, message: problem.message } : standardBody(problem);
}

export function standardBody({ message, code }: Problem): object {
  return { success: false, message, error: code };
}

/** Some route families have no 422: it becomes a 400. */
function without422(problem: Problem): Problem {
  if (!(problem instanceof ValidationProblem)) return problem;
  const faults = problem.details.map(({ loc, msg }) => `${loc.join('.')}: ${msg}`);
  return PlatformErrors.validation_error(faults.join('; '));
}

/** The Problem of any exception. Unknown ones become an internal error that hides its cause. */
export function toProblem(exception: unknown, request: FastifyRequest): Problem {
  if (exception instanceof Problem) return exception;
  if (isCutOff(request)) return PlatformErrors.request_unreadable();
  if (isConnectionFailure(exception)) return PlatformErrors.database_unavailable();
  if (isStorageFailure(exception)) return PlatformErrors.storage_unavailable();
  if (isRetryable(exception)) return PlatformErrors.database_contended();
  return fromFramework(exception, request) ?? PlatformErrors.internal_error(request.id);
}

/**
 * True when the client disconnected in the middle of its body. That connection failed, not one of ours, and nobody
 * reads the answer.
 */
function isCutOff({ raw }: FastifyRequest): boolean {
  return raw.destroyed && raw.complete === false;
}

const FASTIFY_REFUSALS: Record<string, (request: FastifyRequest) => Problem> = {
  FST_ERR_CTP_BODY_TOO_LARGE: (request) => PlatformErrors.body_too_large(request.routeOptions.bodyLimit),
  FST_ERR_CTP_INVALID_MEDIA_TYPE: (request) =>
    PlatformErrors.media_type_unsupported(request.headers['content-type'] ?? ''),
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: () => PlatformErrors.json_unreadable(),
  FST_ERR_BAD_URL: () => PlatformErrors.url_unreadable(),
  FST_ERR_MAX_PARAM_LENGTH: () => PlatformErrors.url_unreadable(),
};

/** Errors of Fastify and Nest: body too large, wrong media type, no such route. */
function fromFramework(exception: unknown, request: FastifyRequest): Problem | null {
  const cause = exception instanceof HttpException ? exception.cause : exception;
  if (cause instanceof Problem) return cause;
  const code = String((cause as { code?: unknown } | null)?.code);
  const known = FASTIFY_REFUSALS[code]?.(request);
  if (known) return known;
  if (!(exception instanceof HttpException)) return null;
  const status = exception.getStatus();
  if (status === 404) return routeNotFound(request);
  if (status >= 500) return null;
  return new Problem(status, `http_${status}`, exception.message);
}

/** Names the methods of a path when only the method is wrong. */
export function routeNotFound({ method, url, server }: FastifyRequest): Problem {
  const path = url.split('?')[0]!;
  const methods = methodsAt(server, path);
  // The method has a route, but none for this id.
  if (methods.length === 0 || methods.includes(method)) return PlatformErrors.route_not_found(`${method} ${path}`);
  const { status, code, message } = PlatformErrors.method_not_allowed(method, path, methods.join(', '));
  return new Problem(status, code, message, { headers: { allow: methods.join(', ') } });
}
