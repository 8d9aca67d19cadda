import { Body, Controller, Post, Req, Res } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiProperty, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Caller, CurrentCaller } from '../../access/index.js';
import { Stores } from '../../storage/index.js';
import { IntegerField } from '../../platform/http/fields.js';
import { IngestionService } from '../ingestion/ingestion.service.js';
import { encodeResponse } from '../otlp/export-response.js';
import { OtlpEndpoint, REASONS_SHOWN } from '../otlp/otlp-endpoint.js';
import { decodeOrRefuse, formatOf } from '../otlp/otlp-format.js';
import { countDataPoints, decodeLogs } from './decode-logs.js';
import { LogEventsService } from './log-events.service.js';

const WHY = { description: 'The reasons for rejections. Empty if nothing was rejected.' };
const NO_METRICS = 'Metrics are not stored here: send traces and logs.';

class LogsPartialSuccess {
  @IntegerField({ description: 'The number of log records that were not stored.' })
  rejectedLogRecords: number;

  @ApiProperty(WHY)
  errorMessage: string;
}

class LogsExportResponse {
  @ApiProperty({ type: () => LogsPartialSuccess, description: 'How much of the request was not stored.' })
  partialSuccess: LogsPartialSuccess;
}

class MetricsPartialSuccess {
  @IntegerField({ description: 'The number of data points that were not stored: all of them.' })
  rejectedDataPoints: number;

  @ApiProperty(WHY)
  errorMessage: string;
}

class MetricsExportResponse {
  @ApiProperty({ type: () => MetricsPartialSuccess, description: 'How much of the request was not stored.' })
  partialSuccess: MetricsPartialSuccess;
}

/** In the JSON of protobuf null stands for a field that is not set. */
const requestOf = (list: string, description: string, value: object) => {
  const items = { type: 'object', additionalProperties: true };
  return {
    examples: { empty: { value } },
    schema: {
      type: 'object',
      properties: { [list]: { anyOf: [{ type: 'array', items }, { type: 'null' }], description } },
      additionalProperties: true,
    },
  };
};

/**
 * The other signals of OpenTelemetry exporters. Data that is not stored is answered in a way that exporters continue
 * without retries.
 */
@ApiTags('Ingestion')
@Controller('v1')
export class SignalsController {
  constructor(
    private readonly logs: LogEventsService,
    private readonly ingestion: IngestionService,
  ) {}

  @Post('logs')
  @Stores()
  @ApiOperation({
    summary: 'Send log records with OTLP over HTTP.',
    description:
      'Events with the content of a call of a model (gen_ai.*.message, gen_ai.choice, ' +
      'gen_ai.client.inference.operation.details) become events of their span, whichever comes first. ' +
      'Other records are not stored; the answer counts them as rejected.',
  })
  @ApiBody(
    requestOf('resourceLogs', 'Log records by resource and scope, as in an `ExportLogsServiceRequest`.', {
      resourceLogs: [],
    }),
  )
  @OtlpEndpoint(LogsExportResponse)
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
  @ApiOperation({
    summary: 'Send metrics with OTLP over HTTP.',
    description:
      'Metrics are not stored. The answer counts all of them as rejected, so that exporters do not ask again.',
  })
  @ApiBody(
    requestOf('resourceMetrics', 'Metrics by resource and scope, as in an `ExportMetricsServiceRequest`.', {
      resourceMetrics: [],
    }),
  )
  @OtlpEndpoint(MetricsExportResponse)
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
