import { ApiProperty } from '@nestjs/swagger';
import {
  DateTimeField,
  EnumField,
  IntegerField,
  JsonObjectField,
  NumberField,
  TextField,
  UuidField,
} from '../platform/http/fields.js';
import type { JsonObject } from '../platform/json.js';
import { isoFromNanoseconds } from '../platform/time.js';
import { timesOf, TraceBody } from './search/trace-body.dto.js';
import type { StoredEvent } from './ingestion/spans.queries.js';
import { SPAN_KINDS, SPAN_STATUSES, type SpanLink } from './span.js';
import type { BareSpan, SpanWithSource } from './trace-spans.queries.js';
import type { Closure } from './traces.service.js';

const KIND_NAMES = Object.fromEntries(Object.entries(SPAN_KINDS).map(([name, code]) => [code, `SpanKind.${name}`]));
const STATUS_NAMES = Object.fromEntries(
  Object.entries(SPAN_STATUSES).map(([name, code]) => [code, `StatusCode.${name}`]),
);

export class TracePath {
  @TextField({ query: true, minLength: 1, maxLength: 1024 })
  trace_id: string;
}

export class SpanPath extends TracePath {
  @TextField({ query: true, minLength: 1, maxLength: 1024 })
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

class SpanStatusBody {
  @TextField({ example: 'StatusCode.OK' })
  status_code: string;

  @TextField({ nullable: true })
  description: string | null;
}

class SpanEventBody {
  @TextField()
  name: string;

  @DateTimeField()
  timestamp: string;

  @JsonObjectField()
  attributes: JsonObject;
}

class SpanContextBody {
  @TextField()
  trace_id: string;

  @TextField()
  span_id: string;

  @TextField()
  trace_state: string;
}

class SpanLinkBody {
  @ApiProperty({ type: () => SpanContextBody })
  context: SpanContextBody;

  @JsonObjectField()
  attributes: JsonObject;
}

class ResourceBody {
  @JsonObjectField()
  attributes: JsonObject;

  @TextField()
  schema_url: string;
}

class ScopeBody {
  @TextField()
  name: string;

  @TextField()
  version: string;

  @JsonObjectField()
  attributes: JsonObject;
}

export class SpanBody {
  @IntegerField()
  id: number;

  @TextField()
  trace_id: string;

  @TextField()
  span_id: string;

  @TextField({ nullable: true })
  parent_id: string | null;

  @TextField()
  name: string;

  @TextField({ example: 'SpanKind.CLIENT' })
  kind: string;

  @DateTimeField()
  start_time: string;

  @DateTimeField({ nullable: true, description: 'null while the span is running.' })
  end_time: string | null;

  @NumberField({ nullable: true })
  duration_ms: number | null;

  @ApiProperty({ type: () => SpanStatusBody })
  status: SpanStatusBody;

  @JsonObjectField()
  attributes: JsonObject;

  @ApiProperty({ type: () => [SpanEventBody] })
  events: SpanEventBody[];

  @ApiProperty({ type: () => [SpanLinkBody] })
  links: SpanLinkBody[];

  @ApiProperty({ type: () => ResourceBody })
  resource: ResourceBody;

  @ApiProperty({ type: () => ScopeBody })
  scope: ScopeBody;

  @TextField()
  trace_state: string;

  @IntegerField({ nullable: true, description: 'The request log this span became, if it is a model call.' })
  request_log_id: number | null;

  @TextField({ example: 'LLM_CALL' })
  span_type: string;

  @TextField({ nullable: true })
  provider: string | null;

  @TextField({ nullable: true })
  model: string | null;

  @IntegerField({ nullable: true })
  input_tokens: number | null;

  @IntegerField({ nullable: true })
  output_tokens: number | null;

  @NumberField({
    nullable: true,
    description: 'What the call or embedding cost in US dollars; null when no price is known.',
  })
  cost: number | null;

  @IntegerField({ nullable: true, description: 'The prompt of the registry that the span names.' })
  prompt_id: number | null;

  @IntegerField({ nullable: true })
  prompt_version_number: number | null;

  @ApiProperty({ description: 'Characters that cannot be stored (NUL, lone surrogates) were replaced by U+FFFD.' })
  sanitized: boolean;
}

/** A span in the skeleton of its trace. */
export class BareSpanBody {
  @IntegerField()
  id: number;

  @TextField()
  span_id: string;

  @TextField({ nullable: true })
  parent_id: string | null;

  @TextField()
  name: string;

  @TextField({ example: 'SpanKind.CLIENT' })
  kind: string;

  @TextField({ example: 'LLM_CALL' })
  span_type: string;

  @DateTimeField()
  start_time: string;

  @DateTimeField({ nullable: true, description: 'null while the span is running.' })
  end_time: string | null;

  @NumberField({ nullable: true })
  duration_ms: number | null;

  @TextField({ example: 'StatusCode.OK' })
  status_code: string;

  @IntegerField({ nullable: true })
  request_log_id: number | null;

  @TextField({ nullable: true })
  model: string | null;

  @IntegerField({ nullable: true })
  input_tokens: number | null;

  @IntegerField({ nullable: true })
  output_tokens: number | null;

  @NumberField({
    nullable: true,
    description: 'What the call or embedding cost in US dollars; null when no price is known.',
  })
  cost: number | null;
}

class TraceHead {
  @ApiProperty({ example: true })
  success: true;

  @TextField()
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

export class SpanResponse {
  @ApiProperty({ example: true })
  success: true;

  @ApiProperty({ type: () => SpanBody })
  span: SpanBody;
}

class ClosureBody {
  @UuidField()
  id: string;

  @IntegerField()
  workspace_id: number;

  @TextField()
  trace_id: string;

  @TextField({ example: 'closed' })
  status: string;

  @DateTimeField()
  created_at: string;

  @DateTimeField()
  updated_at: string;
}

export class ClosureResponse {
  @ApiProperty({ example: true })
  success: true;

  @ApiProperty({ type: () => ClosureBody })
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

/** A span as JSON text. Its attributes are passed on as they are stored. */
export function spanText(traceId: string, { span, source }: SpanWithSource): string {
  const { resource, scope } = source;
  const others: Omit<SpanBody, keyof CommonBody | 'attributes'> = {
    trace_id: traceId,
    status: { status_code: STATUS_NAMES[span.status]!, description: span.status_message },
    events: (span.events ?? []).map(toEventBody),
    links: (span.links ?? []).map(toLinkBody),
    resource: { attributes: resource.attributes, schema_url: resource.schemaUrl },
    scope,
    trace_state: span.trace_state,
    provider: span.provider,
    prompt_id: span.prompt_id,
    prompt_version_number: span.prompt_version_number,
    sanitized: span.sanitized,
  };
  return `{${membersOf(toCommonBody(span))},${membersOf(others)},"attributes":${span.attributes}}`;
}

/** A span of a skeleton as JSON text. */
export function bareSpanText(span: BareSpan): string {
  const others: Omit<BareSpanBody, keyof CommonBody> = { status_code: STATUS_NAMES[span.status]! };
  return `{${membersOf(toCommonBody(span))},${membersOf(others)}}`;
}

/** As text, they are put together in a fraction of the time that spreading them into one object takes. */
const membersOf = (object: object): string => JSON.stringify(object).slice(1, -1);

/** What a span shows in either view. */
type CommonBody = ReturnType<typeof toCommonBody>;

function toCommonBody(span: BareSpan) {
  const { start_time, end_time, duration_ms } = timesOf(span.start_ns, span.end_ns);
  return {
    id: Number(span.id),
    span_id: span.span_id,
    parent_id: span.parent_id,
    name: span.name,
    kind: KIND_NAMES[span.kind]!,
    span_type: span.span_type,
    start_time,
    end_time,
    duration_ms,
    request_log_id: span.request_log_id === null ? null : Number(span.request_log_id),
    model: span.model,
    input_tokens: span.input_tokens,
    output_tokens: span.output_tokens,
    cost: span.cost,
  };
}

function toEventBody({ name, time_ns, attributes }: StoredEvent): SpanEventBody {
  return { name, timestamp: isoFromNanoseconds(time_ns), attributes };
}

function toLinkBody({ traceId, spanId, traceState, attributes }: SpanLink): SpanLinkBody {
  return { context: { trace_id: traceId, span_id: spanId, trace_state: traceState }, attributes };
}
