import { Body, Controller, Header, HttpCode, Post, Req, Res } from '@nestjs/common';
import {
  ApiBody,
  ApiConsumes,
  ApiExtraModels,
  ApiOkResponse,
  ApiOperation,
  ApiProperty,
  ApiTags,
  getSchemaPath,
} from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Caller, CurrentCaller } from '../../access/index.js';
import { PlatformErrors } from '../../platform/errors/platform.errors.js';
import { BINARY } from '../../platform/http/binary.js';
import { IntegerField } from '../../platform/http/fields.js';
import { RawBody } from '../../platform/http/request.js';
import { Throws, Validates } from '../../platform/http/throws.js';
import { IngestionService } from '../ingestion/ingestion.service.js';
import { encodeResponse } from '../otlp/export-response.js';
import { decodeOrRefuse, formatOf } from '../otlp/otlp-format.js';
import { TraceErrors } from '../traces.errors.js';
import { countDataPoints, decodeLogs } from './decode-logs.js';
import { LogEventsService } from './log-events.service.js';

const WHY = { description: 'Why. Empty when nothing was rejected.' };
/** More reasons than this do not help anybody. */
const REASONS_SHOWN = 5;
const NO_METRICS = 'Metrics are not stored here: send traces and logs.';

class LogsPartialSuccess {
  @IntegerField({ description: 'How many log records were not stored.' })
  rejectedLogRecords: number;

  @ApiProperty(WHY)
  errorMessage: string;
}

class LogsExportResponse {
  @ApiProperty({ type: () => LogsPartialSuccess })
  partialSuccess: LogsPartialSuccess;
}

class MetricsPartialSuccess {
  @IntegerField({ description: 'How many data points were not stored: all.' })
  rejectedDataPoints: number;

  @ApiProperty(WHY)
  errorMessage: string;
}

class MetricsExportResponse {
  @ApiProperty({ type: () => MetricsPartialSuccess })
  partialSuccess: MetricsPartialSuccess;
}

const FORMATS = ['application/json', 'application/x-protobuf'];
const requestOf = (list: string, value: object) => ({
  examples: { empty: { value } },
  schema: {
    type: 'object',
    properties: { [list]: { type: 'array', items: { type: 'object', additionalProperties: true } } },
    additionalProperties: true,
  },
});
const answerOf = (type: typeof LogsExportResponse | typeof MetricsExportResponse) => ({
  description: 'In the format of the request. In protobuf full success is the empty message.',
  content: { 'application/json': { schema: { $ref: getSchemaPath(type) } }, 'application/x-protobuf': BINARY },
});
const REFUSALS = [
  TraceErrors.otlp_unreadable,
  TraceErrors.otlp_media_type_unsupported,
  PlatformErrors.memory_exhausted,
  PlatformErrors.encoding_unreadable,
  PlatformErrors.encoding_unsupported,
  PlatformErrors.body_too_large,
  PlatformErrors.database_unavailable,
];

/** The other signals of OpenTelemetry exporters. What is not kept is answered so that they go on and do not ask again. */
@ApiTags('Ingestion')
@Controller('v1')
@ApiExtraModels(LogsExportResponse, MetricsExportResponse)
export class SignalsController {
  constructor(
    private readonly logs: LogEventsService,
    private readonly ingestion: IngestionService,
  ) {}

  @Post('logs')
  @HttpCode(200)
  @RawBody()
  @ApiOperation({
    summary: 'Send log records with OTLP over HTTP.',
    description:
      'Events that tell what was said in a call of a model (gen_ai.*.message, gen_ai.choice, ' +
      'gen_ai.client.inference.operation.details) become events of their span, whichever comes first. ' +
      'Other records are not stored; the answer counts them as rejected.',
  })
  @ApiConsumes(...FORMATS)
  @ApiBody(requestOf('resourceLogs', { resourceLogs: [] }))
  @ApiOkResponse(answerOf(LogsExportResponse))
  @Validates()
  @Throws(...REFUSALS)
  @Header('cache-control', 'no-store')
  async exportLogs(
    @CurrentCaller() caller: Caller,
    @Req() request: FastifyRequest,
    @Body() body: Buffer | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<LogsExportResponse | Buffer> {
    const format = formatOf(request.headers['content-type']);
    const bytes = body ?? Buffer.alloc(0);
    const { rejected, reasons } = await this.ingestion.whenRoom(bytes.length, () =>
      this.logs.store(
        caller,
        decodeOrRefuse(() => decodeLogs(bytes, format)),
      ),
    );
    const errorMessage = reasons.slice(0, REASONS_SHOWN).join(' ');
    if (format === 'json') return { partialSuccess: { rejectedLogRecords: rejected, errorMessage } };
    void reply.type('application/x-protobuf');
    return encodeResponse({ rejected, errorMessage });
  }

  @Post('metrics')
  @HttpCode(200)
  @RawBody()
  @ApiOperation({
    summary: 'Send metrics with OTLP over HTTP.',
    description:
      'Metrics are not stored. The answer counts all of them as rejected, so that exporters do not ask again.',
  })
  @ApiConsumes(...FORMATS)
  @ApiBody(requestOf('resourceMetrics', { resourceMetrics: [] }))
  @ApiOkResponse(answerOf(MetricsExportResponse))
  @Validates()
  @Throws(...REFUSALS)
  @Header('cache-control', 'no-store')
  exportMetrics(
    @Req() request: FastifyRequest,
    @Body() body: Buffer | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): MetricsExportResponse | Buffer {
    const format = formatOf(request.headers['content-type']);
    const rejected = decodeOrRefuse(() => countDataPoints(body ?? Buffer.alloc(0), format));
    const errorMessage = rejected > 0 ? NO_METRICS : '';
    if (format === 'json') return { partialSuccess: { rejectedDataPoints: rejected, errorMessage } };
    void reply.type('application/x-protobuf');
    return encodeResponse({ rejected, errorMessage });
  }
}
