import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Span } from '@opentelemetry/api';
import type { Logger } from 'pino';
import {
  AccessErrors,
  type AuthenticatedRequest,
  type Authenticator,
  type Caller,
  type WrongKeys,
} from './access/index.js';
import { takeBodyKey } from './platform/http/body-key.js';
import { type ConsoleSessions, tokenIn } from './console/index.js';
import type { Config } from './platform/config/config.js';
import { PlatformErrors } from './platform/errors/platform.errors.js';
import { Problem } from './platform/errors/problem.js';
import { routeNotFound } from './platform/http/problem.filter.js';
import { networkOf } from './platform/http/address.js';
import type { BodyBudget, BodyOwner } from './platform/http/body-budget.js';
import { announcedLength, bodyLimit, bodyTooLarge } from './platform/http/body-parser.js';
import type { RateLimitedRequest } from './platform/http/rate-limit.js';
import { ScimErrors, type ScimTokens } from './scim/index.js';
import type { Metrics } from './platform/telemetry/metrics.js';
import type { Tracing } from './platform/telemetry/tracing.js';
import type { RefusalCounts } from './traces/index.js';

type Request = FastifyRequest & AuthenticatedRequest & RateLimitedRequest;

/** Time for which a refused body is still read and dropped, so a client that is still sending can read the response. */
const LINGER_MS = 5000;
const TOO_SLOW = PlatformErrors.request_too_slow.definition.status;

export interface Admission {
  authenticator: Authenticator;
  wrongKeys: WrongKeys;
  scimTokens: ScimTokens;
  /** Null without a console. */
  sessions: ConsoleSessions | null;
  budget: BodyBudget;
  config: Config;
}

/**
 * Identifies the caller before the body is read: strangers must not be able to make the server receive and parse
 * megabytes, and known callers not more than their budget. Requests without a body are left to the guard.
 */
export function admitRequests(fastify: FastifyInstance, admission: Admission): void {
  const { authenticator, wrongKeys, sessions, budget, config } = admission;
  const identify = async (request: Request, key: string | undefined): Promise<void> => {
    remember(request, await authenticator.authenticate(key, request));
    const isWrong = key !== undefined && !request.caller && !request.keyRefusal;
    if (isWrong) await wrongKeys.count(request.ip);
  };
  const identifyCaller = async (request: Request): Promise<void> => {
    const key = keyOf(request) ?? wrongTokenOf(request);
    if (request.routeOptions.config.forProviders) await identifyProvider(request, admission);
    else if (key === undefined && sessions && mayUseSession(request)) await identifySession(request, sessions);
    else await identify(request, key);
  };
  fastify.addHook('onRequest', async (request: Request, reply: FastifyReply) => {
    void reply.header('x-request-id', request.id);
    request.isOperator = authenticator.isOperator(request.headers.authorization);
    if (!request.routeOptions.config.public) await identifyCaller(request);
    // A caller with the key in the body is unknown until the body has been read, so the default limit applies.
    if (request.routeOptions.config.acceptsBodyKey && !request.caller) request.bodyLimit = config.bodyLimit;
    if (hasBody(request)) admitBody(request, budget, bodyLimit(request, config));
  });
  fastify.addHook('preValidation', async (request: Request) => {
    if (!request.routeOptions.config.acceptsBodyKey) return;
    // Removed from the body for all callers, because no later code may store it.
    const key = takeBodyKey(request.body);
    if (keyOf(request) !== undefined) return;
    await identify(request, key);
    if (request.caller) budget.transfer(request, ownerOf(request));
  });
  releaseBodies(fastify, budget);
  endUnreadBodies(fastify);
}

/**
 * Releases the budget of a body when its response is known, even if the client has hung up and no response is sent. Also
 * releases bodies that do not arrive completely, which get no response.
 */
function releaseBodies(fastify: FastifyInstance, budget: BodyBudget): void {
  fastify.addHook('onSend', async (request) => budget.release(request));
  fastify.addHook('onRequestAbort', async (request) => budget.release(request));
}

/** Ends connections of requests that are answered before their body has arrived. */
function endUnreadBodies(fastify: FastifyInstance): void {
  fastify.addHook('onSend', async ({ raw }, reply) => {
    // Closing it at once would reset it while the client sends, and lose the response. Clients that are too slow send too little for that.
    if (raw.complete === false && reply.statusCode !== TOO_SLOW) void reply.removeHeader('connection');
  });
  fastify.addHook('onResponse', async ({ raw }) => {
    if (raw.complete !== false || raw.destroyed) return;
    raw.on('error', () => undefined).resume();
    const timer = setTimeout(() => raw.socket.destroy(), LINGER_MS).unref();
    for (const event of ['end', 'close']) raw.once(event, () => clearTimeout(timer));
  });
}

/** Routes for identity providers accept only a SCIM token. */
async function identifyProvider(request: Request, { scimTokens, wrongKeys }: Admission): Promise<void> {
  const { authorization } = request.headers;
  const id = await scimTokens.authenticate(authorization);
  if (id === null) {
    if (authorization !== undefined) await wrongKeys.count(request.ip);
    throw ScimErrors.scim_token_invalid();
  }
  request.scimTokenId = id;
}

async function identifySession(request: Request, sessions: ConsoleSessions): Promise<void> {
  remember(request, await sessions.authenticate(tokenIn(request), request));
  if (request.caller) request.isConsole = true;
}

/** Stores the caller, or why the key is invalid. An invalid key is refused like a missing one. */
function remember(request: Request, found: Caller | Problem | null): void {
  if (found instanceof Problem) request.keyRefusal = found;
  else request.caller = found ?? undefined;
  if (request.caller) request.rateLimitKey = ownerOf(request).name;
}

/**
 * Guards against cross-site requests, with which browsers send the cookie, too: requests that change data need a header that
 * forms and scripts of other sites cannot add. Programs that send traces need a key.
 */
function mayUseSession({ method, headers, routeOptions, isOperator }: Request): boolean {
  const { ingests, acceptsBodyKey } = routeOptions.config;
  if (ingests || acceptsBodyKey || isOperator) return false;
  return method === 'GET' || method === 'HEAD' || headers['x-console'] === '1';
}

/** The owner of the memory that a request holds. */
function ownerOf({ caller, scimTokenId, isOperator, ip }: Request): BodyOwner {
  if (caller) return { name: `key:${caller.keyId}`, isStranger: false };
  if (scimTokenId !== undefined) return { name: `scim:${scimTokenId}`, isStranger: false };
  return { name: `address:${networkOf(ip)}`, isStranger: !isOperator };
}

/** The key in the headers, valid or not. Some clients send it as a bearer token. */
function keyOf({ headers }: Request): string | undefined {
  const bearer = /^Bearer (pl_\S+)$/.exec(headers.authorization ?? '')?.[1];
  const key = headers['x-api-key'] ?? bearer;
  return key === undefined ? undefined : String(key);
}

/**
 * A bearer token that is neither a key nor the admin token, if no key can follow in the body. Tokens on paths without a route
 * do not count as guesses: a provider may ask for a part of SCIM that does not exist.
 */
function wrongTokenOf({ headers, isOperator, is404, routeOptions }: Request): string | undefined {
  if (isOperator || is404 || routeOptions.config.acceptsBodyKey) return undefined;
  return /^Bearer \S/.test(headers.authorization ?? '') ? headers.authorization : undefined;
}

function hasBody({ headers }: Request): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

function admitBody(request: Request, budget: BodyBudget, limit: number): void {
  // No route reads the body, so its size would have no limit.
  if (request.is404) throw routeNotFound(request);
  if (!mayBeKnown(request)) throw request.keyRefusal ?? AccessErrors.api_key_invalid();
  // The client hung up during the lookup of the key. The budget would never be released.
  if (request.raw.destroyed) throw PlatformErrors.request_unreadable();
  const length = announcedLength(request);
  if (length > limit) throw bodyTooLarge(request, limit);
  request.bodyOwner = ownerOf(request);
  const refusal = budget.refusal(request.bodyOwner, length);
  if (refusal) throw refusal;
}

function mayBeKnown(request: Request): boolean {
  const { config } = request.routeOptions;
  if (config.public || request.caller || request.scimTokenId !== undefined || request.isOperator) return true;
  return config.acceptsBodyKey === true && keyOf(request) === undefined;
}

/** Spans of closed traces are counted one by one; the rest of their request was stored. */
const COUNTED_BY_SPAN = 'trace_closed';

/** Counts refused requests with traces or calls, by workspace. Unknown callers are not counted. */
export function countRefusals(fastify: FastifyInstance, refusals: RefusalCounts): void {
  fastify.addHook('onSend', (request: Request, _reply, _payload, done) => {
    const { caller, refusedWith: reason, routeOptions } = request;
    if (reason !== undefined && reason !== COUNTED_BY_SPAN && caller && routeOptions.config.ingests) {
      refusals.add(caller.workspaceId, { what: 'request', reason });
    }
    done();
  });
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

/**
 * Makes a span for each request, without its query, headers and body. Must be called before the other hooks, whose statements belong
 * to the span.
 */
export function traceRequests(fastify: FastifyInstance, tracing: Tracing): void {
  if (!tracing.isOn) return;
  const spans = new WeakMap<FastifyRequest, Span | null>();
  fastify.addHook('onRequest', (request: Request, reply, done) => {
    const { method, headers, routeOptions } = request;
    const route = routeOptions.url ?? 'unknown';
    const attributes = { 'http.request.method': method, 'http.route': route, 'tracesheet.request_id': request.id };
    const span = tracing.beginRequest(`${method} ${route}`, headers, attributes);
    spans.set(request, span);
    reply.raw.once('close', () => endSpan(span, request, reply.statusCode));
    tracing.within(span, done);
  });
  // The connection calls the body parser outside of the span, so it is entered again.
  fastify.addHook('preValidation', (request, _reply, done) => tracing.within(spans.get(request) ?? null, done));
}

function endSpan(span: Span | null, { caller }: Request, status: number): void {
  span?.setAttribute('http.response.status_code', status);
  if (caller) span?.setAttribute('tracesheet.workspace_id', caller.workspaceId);
  if (status >= 500) span?.setStatus({ code: 2 });
  span?.end();
}

/** Ends the connection of every request that is answered while the server stops. Open connections would delay the stop. */
export function endConnectionsWhenStopping(fastify: FastifyInstance): void {
  let stopping = false;
  fastify.addHook('preClose', async () => {
    stopping = true;
  });
  fastify.addHook('onSend', async (_request, reply) => {
    if (stopping) void reply.header('connection', 'close');
  });
}
