import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Span } from '@opentelemetry/api';
import type { Logger } from 'pino';
import {
  AccessErrors,
  type AuthenticatedRequest,
  type Authenticator,
  type Caller,
  takeBodyKey,
  type WrongKeys,
} from './access/index.js';
import { type ConsoleSessions, tokenIn } from './console/index.js';
import type { Config } from './platform/config/config.js';
import { PlatformErrors } from './platform/errors/platform.errors.js';
import { Problem } from './platform/errors/problem.js';
import { routeNotFound } from './platform/errors/problem.filter.js';
import { networkOf } from './platform/http/address.js';
import type { BodyBudget, BodyOwner } from './platform/http/body-budget.js';
import { announcedLength, bodyLimit, bodyTooLarge } from './platform/http/body-parser.js';
import type { RateLimitedRequest } from './platform/http/rate-limit.js';
import { ScimErrors, type ScimTokens } from './scim/index.js';
import type { Metrics } from './platform/telemetry/metrics.js';
import type { Tracing } from './platform/telemetry/tracing.js';
import type { RefusalCounts } from './traces/index.js';

type Request = FastifyRequest & AuthenticatedRequest & RateLimitedRequest;

/** A refused body is read and thrown away for so long, so that a client that is still sending gets to read the answer. */
const LINGER_MS = 5000;
const TOO_SLOW = PlatformErrors.request_too_slow.definition.status;

export interface Admission {
  authenticator: Authenticator;
  wrongKeys: WrongKeys;
  scimTokens: ScimTokens;
  /** Null where there is no console. */
  sessions: ConsoleSessions | null;
  budget: BodyBudget;
  config: Config;
}

/**
 * Finds out who calls before the body is read: a stranger must not be able to make the server receive and parse
 * megabytes, and nobody more of them than fit. Requests without a body are left to the guard.
 */
export function admitRequests(fastify: FastifyInstance, admission: Admission): void {
  const { authenticator, wrongKeys, sessions, budget, config } = admission;
  const identify = async (request: Request, key: string | undefined): Promise<void> => {
    remember(request, await authenticator.authenticate(key, request));
    const isWrong = key !== undefined && !request.caller && !request.keyRefusal;
    if (isWrong && !request.routeOptions.config.public) await wrongKeys.count(request.ip);
  };
  fastify.addHook('onRequest', async (request: Request, reply: FastifyReply) => {
    void reply.header('x-request-id', request.id);
    request.isOperator = authenticator.isOperator(request.headers.authorization);
    const key = keyOf(request) ?? wrongTokenOf(request);
    if (request.routeOptions.config.forProviders) await identifyProvider(request, admission);
    else if (key === undefined && sessions && mayUseSession(request)) await identifySession(request, sessions);
    else await identify(request, key);
    // Whoever has the key in the body is a stranger until that is read.
    if (request.routeOptions.config.acceptsBodyKey && !request.caller) request.bodyLimit = config.bodyLimit;
    if (hasBody(request)) admitBody(request, budget, bodyLimit(request, config));
  });
  fastify.addHook('preValidation', async (request: Request) => {
    if (!request.routeOptions.config.acceptsBodyKey) return;
    // Taken out of the body whoever calls: nothing behind this line may keep it.
    const key = takeBodyKey(request.body);
    if (keyOf(request) !== undefined) return;
    await identify(request, key);
    if (request.caller) budget.transfer(request, ownerOf(request));
  });
  releaseBodies(fastify, budget);
  endUnreadBodies(fastify);
}

/**
 * A body is held in memory until its answer is known, whether or not anybody still waits for that: to a client that has hung
 * up no answer is ever sent. One that does not arrive whole is not answered at all.
 */
function releaseBodies(fastify: FastifyInstance, budget: BodyBudget): void {
  fastify.addHook('onSend', async (request) => budget.release(request));
  fastify.addHook('onRequestAbort', async (request) => budget.release(request));
}

/** What becomes of the connection when a request is answered before its body has arrived. */
function endUnreadBodies(fastify: FastifyInstance): void {
  fastify.addHook('onSend', async ({ raw }, reply) => {
    // Closed at once it would be reset while the client sends, and the answer lost. Whoever is too slow sends hardly anything.
    if (raw.complete === false && reply.statusCode !== TOO_SLOW) void reply.removeHeader('connection');
  });
  fastify.addHook('onResponse', async ({ raw }) => {
    if (raw.complete !== false || raw.destroyed) return;
    raw.on('error', () => undefined).resume();
    const timer = setTimeout(() => raw.socket.destroy(), LINGER_MS).unref();
    for (const event of ['end', 'close']) raw.once(event, () => clearTimeout(timer));
  });
}

/** Routes for identity providers take nothing but a SCIM token. */
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

/** A key that does not count here and now is refused where a missing one would be, so public routes take no notice of it. */
function remember(request: Request, found: Caller | Problem | null): void {
  if (found instanceof Problem) request.keyRefusal = found;
  else request.caller = found ?? undefined;
  if (request.caller) request.rateLimitKey = ownerOf(request).name;
}

/**
 * The cookie of a session comes with whatever a browser is made to send: what changes something needs a header that neither forms
 * nor scripts of other sites can add. Programs that send traces have a key.
 */
function mayUseSession({ method, headers, routeOptions, isOperator }: Request): boolean {
  const { ingests, acceptsBodyKey } = routeOptions.config;
  if (ingests || acceptsBodyKey || isOperator) return false;
  return method === 'GET' || method === 'HEAD' || headers['x-console'] === '1';
}

/** To whose account what a request holds goes. */
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
 * A bearer token that is neither a key nor the admin token, where no key can follow in the body. Paths without a route take no
 * token: a provider that asks for a part of SCIM that is not there guesses nothing.
 */
function wrongTokenOf({ headers, isOperator, is404, routeOptions }: Request): string | undefined {
  if (isOperator || is404 || routeOptions.config.acceptsBodyKey) return undefined;
  return /^Bearer \S/.test(headers.authorization ?? '') ? headers.authorization : undefined;
}

function hasBody({ headers }: Request): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

function admitBody(request: Request, budget: BodyBudget, limit: number): void {
  // It is read by nobody: whoever calls could have us receive as much as they like.
  if (request.is404) throw routeNotFound(request);
  if (!mayBeKnown(request)) throw request.keyRefusal ?? AccessErrors.api_key_invalid();
  // Hung up while the key was looked up: what is held from now on would never be released.
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

/** Counts the refused among the requests that bring traces or calls to a workspace. Strangers count nowhere. */
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

/** A span for each request; it has neither its query nor its headers nor its body. To be called before other hooks, whose statements belong to it. */
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
  // What has read the body was called by the connection, which knows of no span.
  fastify.addHook('preValidation', (request, _reply, done) => tracing.within(spans.get(request) ?? null, done));
}

function endSpan(span: Span | null, { caller }: Request, status: number): void {
  span?.setAttribute('http.response.status_code', status);
  if (caller) span?.setAttribute('tracesheet.workspace_id', caller.workspaceId);
  if (status >= 500) span?.setStatus({ code: 2 });
  span?.end();
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
