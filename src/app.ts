import { randomUUID } from 'node:crypto';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { SwaggerModule } from '@nestjs/swagger';
import { DataSource } from 'typeorm';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Authenticator } from './access/index.js';
import { AppModule, type AppOptions } from './app.module.js';
import { buildOpenApi } from './openapi.js';
import { admitRequests, endConnectionsWhenStopping, observeRequests } from './http-hooks.js';
import { BodyBudget } from './platform/http/body-budget.js';
import { sendProblem, toProblem } from './platform/errors/problem.filter.js';
import { registerBodyParser } from './platform/http/body-parser.js';
import { rememberRoutes } from './platform/http/route-table.js';
import { refuseUnreadable } from './platform/http/unreadable-requests.js';
import { sendDocuments, SWAGGER_OPTIONS } from './swagger.js';
import { createLogger, NestLogger } from './platform/telemetry/logger.js';
import { Metrics } from './platform/telemetry/metrics.js';

/**
 * Longest time a request may take to arrive. What stalls holds a part of the memory for bodies; the largest file comes in
 * even at four megabits a second.
 */
const REQUEST_TIMEOUT_MS = 300_000;

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
    routerOptions: { maxParamLength: 2048 },
    requestTimeout: REQUEST_TIMEOUT_MS,
    // Keep-alive connections of exporters would otherwise hold up a shutdown.
    forceCloseConnections: 'idle',
  });
  const app = await NestFactory.create<NestFastifyApplication>(AppModule.with(options), adapter, {
    logger: new NestLogger(logger),
    bodyParser: false,
  });
  const fastify = adapter.getInstance() as unknown as FastifyInstance;
  const budget = app.get(BodyBudget);
  rememberRoutes(fastify);
  registerBodyParser(fastify, config, budget);
  admitRequests(fastify, { authenticator: app.get(Authenticator), budget, config });
  endConnectionsWhenStopping(fastify);
  observeRequests(fastify, app.get(Metrics), logger);
  sendDocuments(fastify, app.get(DataSource));
  SwaggerModule.setup('docs', app, () => buildOpenApi(app), SWAGGER_OPTIONS);
  return app;
}

/** A client's own id is kept when it is short and plain, so that both sides can find a request in their logs. */
function requestId(request: { headers: Record<string, unknown> }): string {
  const given = request.headers['x-request-id'];
  return typeof given === 'string' && /^[\w.-]{1,64}$/.test(given) ? given : randomUUID();
}
