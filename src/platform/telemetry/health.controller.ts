import { Controller, Get, Header, HttpStatus, Inject, Res } from '@nestjs/common';
import {
  ApiExcludeEndpoint,
  ApiOkResponse,
  ApiOperation,
  ApiProperty,
  ApiServiceUnavailableResponse,
  ApiTags,
} from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import type { Redis } from 'ioredis';
import { DataSource } from 'typeorm';
import { Public } from '../http/request.js';
import { REDIS } from '../redis.module.js';
import { Metrics } from './metrics.js';

class Liveness {
  @ApiProperty({ example: 'up' })
  status: 'up';
}

class Readiness {
  @ApiProperty({ enum: ['up', 'down'] })
  status: 'up' | 'down';

  @ApiProperty({ enum: ['up', 'down'] })
  database: 'up' | 'down';

  @ApiProperty({ enum: ['up', 'down'], description: 'While Redis is down computed cells wait; nothing else does.' })
  redis: 'up' | 'down';
}

@ApiTags('Operation of the server')
@Controller()
export class HealthController {
  constructor(
    private readonly db: DataSource,
    private readonly metrics: Metrics,
    @Inject(REDIS) private readonly redis: Redis,
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
    return { status: database, database, redis: this.redis.status === 'ready' ? 'up' : 'down' };
  }

  @Get('metrics')
  @Public()
  @ApiExcludeEndpoint()
  @Header('content-type', 'text/plain; version=0.0.4; charset=utf-8')
  prometheus(): Promise<string> {
    return this.metrics.registry.metrics();
  }
}
