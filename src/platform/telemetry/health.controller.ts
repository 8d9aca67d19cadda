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
  @ApiProperty({ description: 'Always `up`: a process that is down does not answer.', example: 'up' })
  status: 'up';

  @ApiProperty({ example: VERSION, description: 'The version of the server process.' })
  version: string;
}

class Readiness {
  @ApiProperty({
    enum: ['up', 'down'],
    description: '`down` while the database does not answer; the response then has the status 503.',
  })
  status: 'up' | 'down';

  @ApiProperty({ enum: ['up', 'down'], description: 'Whether the database answers.' })
  database: 'up' | 'down';

  @ApiProperty({
    enum: ['up', 'down'],
    description:
      '`down` while the database accepts no writes, for example because its disk is full. Reads still work, so `status` stays `up`.',
  })
  storage: 'up' | 'down';

  @ApiProperty({
    enum: ['up', 'down'],
    description: '`down` while no queue moves: computing cells waits, everything else works.',
  })
  redis: 'up' | 'down';

  @ApiProperty({
    type: 'integer',
    nullable: true,
    example: 1,
    description:
      'Processes that take work from the queues. With 0 cells, imports and exports wait until a worker is started. `null` when it is not known, as with a Redis Cluster.',
  })
  workers: number | null;
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
  @ApiOperation({
    summary: 'Check that the process answers.',
    description:
      'For liveness probes: restart the process if it does not answer. Requires no API key and does not check the database.',
  })
  @Public()
  @ApiOkResponse({ type: Liveness })
  live(): Liveness {
    return this.health.live();
  }

  @Get('health/ready')
  @ApiOperation({
    summary: 'Check that the process can serve requests.',
    description:
      'For readiness probes: 503 while the database does not answer, so that no requests are routed to this process. Requires no API key.',
  })
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
