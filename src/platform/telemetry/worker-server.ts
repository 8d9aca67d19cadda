import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { Inject, Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { CONFIG, type Config } from '../config/config.js';
import { PlatformErrors } from '../errors/platform.errors.js';
import { listenFailure } from '../listen-failure.js';
import type { Problem } from '../errors/problem.js';
import { Health } from './health.js';
import { mayReadMetrics } from './metrics-access.js';
import { MetricsReader } from './metrics-reader.js';

interface Answer {
  status: number;
  type: string;
  text: string;
}

const json = (status: number, body: object): Answer => ({
  status,
  type: 'application/json; charset=utf-8',
  text: JSON.stringify(body),
});

const refusal = ({ status, code, message }: Problem): Answer => json(status, { success: false, message, error: code });

/**
 * Listens on WORKER_PORT, where one is set. Requests are answered with 503 until a WorkerServer serves them.
 * @throws StartError when the port is taken
 */
export async function openWorkerPort({ workerPort: port, host, headersTimeLimitMs }: Config): Promise<Server | null> {
  if (port === 0) return null;
  const server = createServer((_, response) => response.writeHead(503).end());
  server.requestTimeout = headersTimeLimitMs;
  server.headersTimeout = headersTimeLimitMs;
  server.listen(port, host);
  await once(server, 'listening').catch((error: NodeJS.ErrnoException) => {
    throw listenFailure(error, { host, port, choosePort: (other) => `WORKER_PORT=${other}` });
  });
  return server;
}

/** Serves health and metrics of a worker on WORKER_PORT, and nothing else. */
@Injectable()
export class WorkerServer implements OnApplicationShutdown {
  private readonly log = new Logger('WorkerServer');
  private server: Server | null = null;

  constructor(
    private readonly health: Health,
    private readonly metrics: MetricsReader,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  serve(server: Server): void {
    server.removeAllListeners('request');
    server.on('request', (request: IncomingMessage, response: ServerResponse) => void this.handle(request, response));
    this.server = server;
  }

  async onApplicationShutdown(): Promise<void> {
    this.server?.closeAllConnections();
    await new Promise<void>((resolve) => (this.server ? this.server.close(() => resolve()) : resolve()));
  }

  private async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { status, type, text } = await this.answer(request).catch((error: unknown) => {
      this.log.error(`${request.url} failed: ${String(error)}`);
      return refusal(PlatformErrors.internal_error(String(request.url)));
    });
    response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' }).end(text);
  }

  private async answer(request: IncomingMessage): Promise<Answer> {
    const path = request.method === 'GET' ? request.url?.split('?', 1)[0] : undefined;
    if (path === '/health/live') return json(200, this.health.live());
    if (path === '/health/ready') {
      const readiness = await this.health.ready();
      return json(readiness.status === 'up' ? 200 : 503, readiness);
    }
    if (path !== '/metrics') return refusal(PlatformErrors.route_not_found(`${request.method} ${request.url}`));
    if (!mayReadMetrics(request, this.config)) return refusal(PlatformErrors.metrics_closed());
    return { status: 200, type: 'text/plain; version=0.0.4; charset=utf-8', text: await this.metrics.read() };
  }
}
