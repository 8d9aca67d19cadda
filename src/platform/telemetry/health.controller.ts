import { createHash, timingSafeEqual } from 'node:crypto';
import { Controller, Get, Header, HttpStatus, Inject, Req, Res } from '@nestjs/common';
import {
  ApiExcludeEndpoint,
  ApiOkResponse,
  ApiOperation,
  ApiProperty,
  ApiServiceUnavailableResponse,
  ApiTags,
} from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { DataSource } from 'typeorm';
import { CONFIG, type Config } from '../config/config.js';
import { PlatformErrors } from '../errors/platform.errors.js';
import { isLoopback } from '../http/address.js';
import { Public } from '../http/request.js';
import { QueueHealth } from '../queue/queue-health.js';
import { Metrics } from './metrics.js';

const FORWARDING = ['forwarded', 'x-forwarded-for', 'x-real-ip'];

class Liveness {
  @ApiProperty({ example: 'up' })
  status: 'up';
}

class Readiness {
  @ApiProperty({ enum: ['up', 'down'] })
  status: 'up' | 'down';

  @ApiProperty({ enum: ['up', 'down'] })
  database: 'up' | 'down';

  @ApiProperty({
    enum: ['up', 'down'],
    description: 'Down when no queue moves: computed cells wait then, and nothing else does.',
  })
  redis: 'up' | 'down';
}

@ApiTags('Operation of the server')
@Controller()
export class HealthController {
  constructor(
    private readonly db: DataSource,
    private readonly metrics: Metrics,
    private readonly queues: QueueHealth,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  @Get('health/live')
  @ApiOperation({ summary: 'Check that the process answers.' })
  @Public()
  @ApiOkResponse({ type: Liveness })
  live(): Liveness {
    return { status: 'up' };
  }

  @Get('health/ready')
  @ApiOperation({ summary: 'Check that the process can serve requests: its database answers.' })
  @Public()
  @ApiOkResponse({ type: Readiness })
  @ApiServiceUnavailableResponse({ type: Readiness })
  async ready(@Res({ passthrough: true }) reply: FastifyReply): Promise<Readiness> {
    const database = await this.db.query('SELECT 1').then(
      () => 'up' as const,
      () => 'down' as const,
    );
    if (database === 'down') void reply.status(HttpStatus.SERVICE_UNAVAILABLE);
    return { status: database, database, redis: await this.queues.read() };
  }

  @Get('metrics')
  @Public()
  @ApiExcludeEndpoint()
  @Header('content-type', 'text/plain; version=0.0.4; charset=utf-8')
  prometheus(@Req() request: FastifyRequest): Promise<string> {
    if (!isLocal(request) && !this.hasToken(request)) throw PlatformErrors.metrics_closed();
    return this.metrics.registry.metrics();
  }

  /** Compares in constant time. */
  private hasToken({ headers }: FastifyRequest): boolean {
    const { metricsToken } = this.config;
    if (!metricsToken) return false;
    return timingSafeEqual(sha256(headers.authorization ?? ''), sha256(`Bearer ${metricsToken}`));
  }
}

/** A program of this machine. A reverse proxy on it says for whom it asks. */
function isLocal({ socket, headers }: FastifyRequest): boolean {
  return FORWARDING.every((name) => headers[name] === undefined) && isLoopback(socket.remoteAddress ?? '');
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
