import { ApiProperty } from '@nestjs/swagger';
import { SuccessField, WorkspaceIdField } from '../platform/http/common-fields.js';
import { DateTimeField, EnumField, TextField, UuidField } from '../platform/http/fields.js';
import { TraceBody } from './search/trace-body.dto.js';
import { BareSpanBody, SpanBody } from './shared/span-body.dto.js';
import type { Closure } from './traces.service.js';

export class TracePath {
  @TextField({
    query: true,
    minLength: 1,
    maxLength: 1024,
    description: 'The id of the trace, as senders gave it. OTLP ids are 32 lower-case hexadecimal digits.',
  })
  trace_id: string;
}

export class SpanPath extends TracePath {
  @TextField({
    query: true,
    minLength: 1,
    maxLength: 1024,
    description: 'The id of the span, as senders gave it. OTLP ids are 16 lower-case hexadecimal digits.',
  })
  span_id: string;
}

export const TRACE_VIEWS = ['full', 'skeleton'] as const;

export class ReadTraceQuery {
  @EnumField(TRACE_VIEWS, {
    optional: true,
    query: true,
    default: 'full',
    description: '`skeleton` leaves out attributes, events, links, resource and scope, which can be long.',
  })
  view?: (typeof TRACE_VIEWS)[number];
}

class TraceHead {
  @SuccessField()
  success: true;

  @TextField({ description: 'The id of the trace, as senders gave it.' })
  trace_id: string;

  @ApiProperty({
    type: () => TraceBody,
    description:
      'The summary of the trace. When the trace has more than 4,000 spans, the summary may be half a minute old.',
  })
  trace: TraceBody;
}

export class TraceSkeletonResponse extends TraceHead {
  @ApiProperty({ type: () => [BareSpanBody], description: 'All spans, ordered by their start time.' })
  spans: BareSpanBody[];
}

export class TraceResponse extends TraceHead {
  @ApiProperty({ type: () => [SpanBody], description: 'All spans, ordered by their start time.' })
  spans: SpanBody[];
}

class ClosureBody {
  @UuidField({ description: 'The id of the closure.' })
  id: string;

  @WorkspaceIdField()
  workspace_id: number;

  @TextField({ description: 'The trace that is closed.' })
  trace_id: string;

  @TextField({ description: 'Always `closed`.', example: 'closed' })
  status: string;

  @DateTimeField({ description: 'When the trace was closed.' })
  created_at: string;

  @DateTimeField({ description: 'The same as `created_at`: a closure never changes.' })
  updated_at: string;
}

export class ClosureResponse {
  @SuccessField()
  success: true;

  @ApiProperty({ type: () => ClosureBody, description: 'The closure of the trace.' })
  closure: ClosureBody;
}

export function toClosureResponse(workspaceId: number, { id, traceId, closedAt }: Closure): ClosureResponse {
  const at = closedAt.toISOString();
  const closure = {
    id,
    workspace_id: workspaceId,
    trace_id: traceId,
    status: 'closed',
    created_at: at,
    updated_at: at,
  };
  return { success: true, closure };
}
