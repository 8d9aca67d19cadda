import { randomUUID } from 'node:crypto';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { SwaggerModule } from '@nestjs/swagger';
import { DataSource } from 'typeorm';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Authenticator, WrongKeys } from './access/index.js';
import { AppModule, type AppOptions } from './app.module.js';
import { ConsoleSessions, serveConsole } from './console/index.js';
import { buildOpenApi } from './openapi.js';
import {
  admitRequests,
  countRefusals,
  endConnectionsWhenStopping,
  observeRequests,
  traceRequests,
} from './http-hooks.js';
import { LiveGateway } from './live/index.js';
import { ScimTokens } from './scim/index.js';
import { limitConnections } from './platform/http/connection-limit.js';
import { BodyBudget } from './platform/http/body-budget.js';
import { sendProblem, toProblem } from './platform/http/problem.filter.js';
import { registerBodyParser } from './platform/http/body-parser.js';
import { compressAnswers } from './platform/http/compression.js';
import { rememberRoutes } from './platform/http/route-table.js';
import { sendSecurityHeaders } from './platform/http/security-headers.js';
import { refuseUnreadable } from './platform/http/unreadable-requests.js';
import { sendDocuments, SWAGGER_OPTIONS } from './swagger.js';
import { createLogger, NestLogger } from './platform/telemetry/logger.js';
import { Metrics } from './platform/telemetry/metrics.js';
import { Tracing } from './platform/telemetry/tracing.js';
import { RefusalCounts } from './traces/index.js';

/** Where Swagger UI is. */
const DOCS = 'docs';
/** Interval of checks for connections whose headers do not arrive. */
const CHECK_CONNECTIONS_MS = 2000;

/** Builds the HTTP application. Call `listen` or, in tests, use its `inject`. */
export async function createApp(options: AppOptions): Promise<NestFastifyApplication> {
  const { config } = options;
  const logger = createLogger(config.logLevel);
  const adapter = new FastifyAdapter({
    bodyLimit: config.ingestBodyLimit,
    genReqId: requestId,
    // A URL that cannot be decoded never reaches a route, nor the exception filter.
    frameworkErrors: (error: Error, request: FastifyRequest, reply: FastifyReply) =>
      sendProblem(reply, request, toProblem(error, request)),
    clientErrorHandler: refuseUnreadable,
    routerOptions: { maxParamLength: 8192 },
    trustProxy: config.trustedProxies || false,
    // The body has separate limits. This one is for bodies that are never read.
    requestTimeout: config.headersTimeLimitMs + config.bodyTimeLimitMs,
    http: {
      headersTimeout: config.headersTimeLimitMs,
      connectionsCheckingInterval: Math.min(CHECK_CONNECTIONS_MS, config.headersTimeLimitMs),
    },
    // Keep-alive connections of exporters would otherwise hold up a shutdown.
    forceCloseConnections: 'idle',
  });
  const app = await NestFactory.create<NestFastifyApplication>(AppModule.with(options), adapter, {
    logger: new NestLogger(logger),
    bodyParser: false,
  });
  const fastify = adapter.getInstance<FastifyInstance>();
  sendSecurityHeaders(fastify, { docs: `/${DOCS}`, console: '/console' });
  rememberRoutes(fastify);
  traceRequests(fastify, app.get(Tracing));
  registerBodyParser(fastify, config, app.get(BodyBudget));
  admitRequests(fastify, {
    authenticator: app.get(Authenticator),
    wrongKeys: app.get(WrongKeys),
    scimTokens: app.get(ScimTokens),
    sessions: config.console ? app.get(ConsoleSessions) : null,
    budget: app.get(BodyBudget),
    config,
  });
  limitConnections(fastify.server, config.connectionsPerAddress);
  app.get(LiveGateway).attach(fastify.server);
  endConnectionsWhenStopping(fastify);
  countRefusals(fastify, app.get(RefusalCounts));
  observeRequests(fastify, app.get(Metrics), logger);
  sendDocuments(fastify, app.get(DataSource));
  compressAnswers(fastify);
  if (config.console) serveConsole(fastify);
  SwaggerModule.setup(DOCS, app, () => buildOpenApi(app), SWAGGER_OPTIONS);
  return app;
}

/** A client's own id is kept when it is short and plain, so that both sides can find a request in their logs. */
function requestId(request: { headers: Record<string, unknown> }): string {
  const given = request.headers['x-request-id'];
  return typeof given === 'string' && /^[\w.-]{1,64}$/.test(given) ? given : randomUUID();
}
