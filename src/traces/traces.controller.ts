import { Controller, Get, Param, Query, type StreamableFile, type Type } from '@nestjs/common';
import {
  ApiCreatedResponse,
  ApiExtraModels,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
  getSchemaPath,
} from '@nestjs/swagger';
import { type Caller, CurrentCaller } from '../access/index.js';
import { IdempotentPost } from '../platform/http/idempotency/idempotent-post.js';
import { inSlices, jsonWithPieces, listed, streamJson } from '../platform/http/json-stream.js';
import { Throws } from '../platform/http/throws.js';
import { SpanResponse, spanDetailText } from './details/span-detail.dto.js';
import { toTraceBody } from './search/trace-body.dto.js';
import {
  ClosureResponse,
  ReadTraceQuery,
  SpanPath,
  toClosureResponse,
  TracePath,
  TraceResponse,
  TraceSkeletonResponse,
} from './traces.dto.js';
import { bareSpanText, spanText } from './shared/span-body.dto.js';
import { TraceErrors } from './shared/traces.errors.js';
import type { BareSpan } from './shared/trace-spans.queries.js';
import { TracesService } from './traces.service.js';

@ApiTags('Traces')
@Controller('api/public/v2/traces')
export class TracesController {
  constructor(private readonly traces: TracesService) {}

  @Get(':trace_id')
  @ApiOperation({
    summary: 'Read a trace with all its spans.',
    description:
      'All spans are in one response, including those whose parent has not arrived yet; `view=skeleton` leaves out what is long. 404 `trace_not_found`: this workspace has no span of the trace.',
  })
  @ApiExtraModels(TraceResponse, TraceSkeletonResponse)
  @ApiOkResponse({ schema: { anyOf: [TraceResponse, TraceSkeletonResponse].map(toReference) } })
  @Throws(TraceErrors.trace_not_found)
  async get(
    @CurrentCaller() caller: Caller,
    @Param() path: TracePath,
    @Query() { view = 'full' }: ReadTraceQuery,
  ): Promise<StreamableFile> {
    const reading = await this.traces.get(caller, path.trace_id);
    const spans =
      view === 'full'
        ? this.traces.readSpans(caller, reading, (span) => spanText(reading.traceId, span))
        : bareTexts(this.traces.readBareSpans(caller, reading));
    const trace = toTraceBody(reading.traces[0]!, reading.promptNames);
    return streamJson(jsonWithPieces({ success: true, trace_id: reading.traceId, trace }, 'spans', listed(spans)));
  }

  @Get(':trace_id/spans/:span_id')
  @ApiOperation({
    summary: 'Read a span.',
    description:
      'With all attributes, events and links, which skeletons of traces leave out, and with input, output and documents as the conventions of its sender name them. The ids are those of the sender, not the integer `id`.',
  })
  @ApiOkResponse({ type: SpanResponse })
  @Throws(TraceErrors.trace_not_found, TraceErrors.span_not_found)
  async getSpan(@CurrentCaller() caller: Caller, @Param() path: SpanPath): Promise<StreamableFile> {
    const found = await this.traces.findSpan(caller, path);
    return streamJson(oneSpan(this.traces.readSpans(caller, found, (span) => spanDetailText(found.traceId, span))));
  }

  @IdempotentPost(':trace_id/close')
  @ApiOperation({
    summary: 'Seal a trace permanently, so that it rejects further spans.',
    description:
      'This cannot be undone. `/v1/traces` rejects later spans with 409, `/spans-bulk` lists them in `rejected_span_ids`. 409 `trace_already_closed`: the trace is closed already.',
  })
  @ApiCreatedResponse({ type: ClosureResponse })
  @Throws(TraceErrors.trace_not_found, TraceErrors.trace_already_closed)
  async close(@CurrentCaller() caller: Caller, @Param() path: TracePath): Promise<ClosureResponse> {
    return toClosureResponse(caller.workspaceId, await this.traces.close(caller, path.trace_id));
  }
}

function toReference(model: Type): { $ref: string } {
  return { $ref: getSchemaPath(model) };
}

/** A payload may be of many megabytes, so it is sent in pieces. */
async function* oneSpan(groups: AsyncIterable<string[]>): AsyncGenerator<string> {
  yield '{"success":true,"span":';
  for await (const [span] of groups) yield* inSlices(span ?? 'null');
  yield '}';
}

async function* bareTexts(pieces: AsyncIterable<BareSpan[]>): AsyncGenerator<string[]> {
  for await (const spans of pieces) yield spans.map(bareSpanText);
}
