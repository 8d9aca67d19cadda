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
import { CONFIG, type Config } from '../config/config.js';
import { PlatformErrors } from '../errors/platform.errors.js';
import { Public } from '../http/request.js';
import { VERSION } from '../version.js';
import { Health } from './health.js';
import { mayReadMetrics } from './metrics-access.js';
import { MetricsReader } from './metrics-reader.js';

class Liveness {
  @ApiProperty({ example: 'up' })
  status: 'up';

  @ApiProperty({ example: VERSION, description: 'Version of the process that answers.' })
  version: string;
}

class Readiness {
  @ApiProperty({ enum: ['up', 'down'] })
  status: 'up' | 'down';

  @ApiProperty({ enum: ['up', 'down'] })
  database: 'up' | 'down';

  @ApiProperty({
    enum: ['up', 'down'],
    description:
      'Down while the database takes no writes, for example because its disk is full. Reading goes on, so the status stays up.',
  })
  storage: 'up' | 'down';

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
    private readonly health: Health,
    private readonly metrics: MetricsReader,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  @Get('health/live')
  @ApiOperation({ summary: 'Check that the process answers.' })
  @Public()
  @ApiOkResponse({ type: Liveness })
  live(): Liveness {
    return this.health.live();
  }

  @Get('health/ready')
  @ApiOperation({ summary: 'Check that the process can serve requests: its database answers.' })
  @Public()
  @ApiOkResponse({ type: Readiness })
  @ApiServiceUnavailableResponse({ type: Readiness })
  async ready(@Res({ passthrough: true }) reply: FastifyReply): Promise<Readiness> {
    const readiness = await this.health.ready();
    if (readiness.status === 'down') void reply.status(HttpStatus.SERVICE_UNAVAILABLE);
    return readiness;
  }

  @Get('metrics')
  @Public()
  @ApiExcludeEndpoint()
  @Header('content-type', 'text/plain; version=0.0.4; charset=utf-8')
  prometheus(@Req() request: FastifyRequest): Promise<string> {
    if (!mayReadMetrics(request, this.config)) throw PlatformErrors.metrics_closed();
    return this.metrics.read();
  }
}
