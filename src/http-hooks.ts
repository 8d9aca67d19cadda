import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { AccessErrors, type AuthenticatedRequest, type Authenticator, takeBodyKey } from './access/index.js';
import type { Config } from './platform/config/config.js';
import { PlatformErrors } from './platform/errors/platform.errors.js';
import { routeNotFound } from './platform/errors/problem.filter.js';
import type { BodyBudget } from './platform/http/body-budget.js';
import { bodyLimit } from './platform/http/body-parser.js';
import type { RateLimitedRequest } from './platform/http/rate-limit.js';
import type { Metrics } from './platform/telemetry/metrics.js';

type Request = FastifyRequest & AuthenticatedRequest & RateLimitedRequest;

/** Assumed for a body that does not announce its length, until it is there. */
const UNKNOWN_LENGTH = 1024 * 1024;

/**
 * Finds out who calls before the body is read: a stranger must not be able to make the server receive and parse
 * megabytes, and nobody more of them than fit. Requests without a body are left to the guard.
 */
export function admitRequests(
  fastify: FastifyInstance,
  { authenticator, budget, config }: { authenticator: Authenticator; budget: BodyBudget; config: Config },
): void {
  fastify.addHook('onRequest', async (request: Request, reply: FastifyReply) => {
    void reply.header('x-request-id', request.id);
    await identify(request, keyOf(request), authenticator);
    // Whoever has the key in the body is a stranger until that is read.
    if (request.routeOptions.config.acceptsBodyKey && !request.caller) request.bodyLimit = config.bodyLimit;
    request.isOperator = authenticator.isOperator(request.headers.authorization);
    if (hasBody(request)) admitBody(request, budget, bodyLimit(request, config));
  });
  fastify.addHook('preValidation', async (request: Request) => {
    if (!request.routeOptions.config.acceptsBodyKey) return;
    // Taken out of the body whoever calls: nothing behind this line may keep it.
    const key = takeBodyKey(request.body);
    if (keyOf(request) === undefined) await identify(request, key, authenticator);
  });
  releaseBodies(fastify, budget);
}

/**
 * A body is held in memory until its answer is known, whether or not anybody still waits for that: to a client that has hung
 * up no answer is ever sent. One that does not arrive whole is not answered at all.
 */
function releaseBodies(fastify: FastifyInstance, budget: BodyBudget): void {
  fastify.addHook('onSend', async (request) => budget.release(request));
  fastify.addHook('onRequestAbort', async (request) => budget.release(request));
}

async function identify(request: Request, key: string | undefined, authenticator: Authenticator): Promise<void> {
  request.caller = (await authenticator.authenticate(key, request.id)) ?? undefined;
  if (request.caller) request.rateLimitKey = `key:${request.caller.keyId}`;
}

/** The key in the headers, valid or not. Some clients send it as a bearer token. */
function keyOf({ headers }: Request): string | undefined {
  const bearer = /^Bearer (pl_\S+)$/.exec(headers.authorization ?? '')?.[1];
  const key = headers['x-api-key'] ?? bearer;
  return key === undefined ? undefined : String(key);
}

function hasBody({ headers }: Request): boolean {
  return headers['transfer-encoding'] !== undefined || announcedLength(headers) > 0;
}

function announcedLength(headers: Request['headers']): number {
  return Number(headers['content-length'] ?? 0);
}

function admitBody(request: Request, budget: BodyBudget, limit: number): void {
  // It is read by nobody: whoever calls could have us receive as much as they like.
  if (request.is404) throw routeNotFound(request);
  if (!mayBeKnown(request)) throw AccessErrors.api_key_invalid();
  // Hung up while the key was looked up: what is reserved now would never be released.
  if (request.raw.destroyed) throw PlatformErrors.request_unreadable();
  const length = announcedLength(request.headers);
  if (length > limit) throw PlatformErrors.body_too_large(limit);
  if (!budget.reserve(request, length || UNKNOWN_LENGTH)) throw PlatformErrors.memory_exhausted();
}

function mayBeKnown(request: Request): boolean {
  const { config } = request.routeOptions;
  if (config.public || request.caller || request.isOperator) return true;
  return config.acceptsBodyKey === true && keyOf(request) === undefined;
}

/** One log line and one measurement per request, without its query, headers or body. */
export function observeRequests(fastify: FastifyInstance, metrics: Metrics, logger: Logger): void {
  fastify.addHook('onResponse', async (request: Request, reply: FastifyReply) => {
    const route = request.routeOptions.url ?? 'unknown';
    const { method, id, caller } = request;
    const status = reply.statusCode;
    metrics.httpDuration.observe({ method, route, status }, reply.elapsedTime / 1000);
    const ms = Math.round(reply.elapsedTime * 10) / 10;
    const { workspaceId, keyId } = caller ?? {};
    logger.info({ requestId: id, method, route, status, ms, workspaceId, keyId }, 'request');
  });
}

/** Ends the connection of every request that is answered while the server stops: kept alive, it would hold that up. */
export function endConnectionsWhenStopping(fastify: FastifyInstance): void {
  let stopping = false;
  fastify.addHook('preClose', async () => {
    stopping = true;
  });
  fastify.addHook('onSend', async (_request, reply) => {
    if (stopping) void reply.header('connection', 'close');
  });
}
