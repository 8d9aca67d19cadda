import { Controller, Get, Param, Post } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type Caller, CurrentCaller } from '../access/index.js';
import { Throws, Validates } from '../platform/http/throws.js';
import { ClosureResponse, toClosureResponse, toSpanBody, TracePath, TraceResponse } from './traces.dto.js';
import { TraceErrors } from './traces.errors.js';
import { TracesService } from './traces.service.js';

@ApiTags('Traces')
@Controller('api/public/v2/traces')
export class TracesController {
  constructor(private readonly traces: TracesService) {}

  @Get(':trace_id')
  @ApiOperation({ summary: 'Read a whole trace. A span whose parent has not arrived yet is listed all the same.' })
  @ApiOkResponse({ type: TraceResponse })
  @Validates()
  @Throws(TraceErrors.trace_not_found)
  async get(@CurrentCaller() caller: Caller, @Param() path: TracePath): Promise<TraceResponse> {
    const { traceId, spans } = await this.traces.get(caller, path.trace_id);
    return { success: true, trace_id: traceId, spans: spans.map(({ span, source }) => toSpanBody(span, source)) };
  }

  @Post(':trace_id/close')
  @ApiOperation({ summary: 'Close a trace for ever: from now on it refuses spans.' })
  @ApiCreatedResponse({ type: ClosureResponse })
  @Validates()
  @Throws(TraceErrors.trace_not_found, TraceErrors.trace_already_closed)
  async close(@CurrentCaller() caller: Caller, @Param() path: TracePath): Promise<ClosureResponse> {
    return toClosureResponse(caller.workspaceId, await this.traces.close(caller, path.trace_id));
  }
}
