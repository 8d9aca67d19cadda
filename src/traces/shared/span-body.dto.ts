import { ApiProperty } from '@nestjs/swagger';
import { DateTimeField, IntegerField, JsonObjectField, TextField } from '../../platform/http/fields.js';
import type { JsonObject } from '../../platform/json.js';
import { isoFromNanoseconds } from '../../platform/time.js';
import type { StoredEvent } from '../ingestion/spans.queries.js';
import { SPAN_KINDS, SPAN_STATUSES, type SpanLink } from '../../trace-conventions/index.js';
import { timesOf } from './times.js';
import type { BareSpan, SpanWithSource } from './trace-spans.queries.js';
import {
  ParentIdField,
  SpanCostField,
  SpanDurationField,
  SpanEndField,
  SpanIdField,
  SpanInputTokensField,
  SpanKindField,
  SpanLogField,
  SpanModelField,
  SpanNameField,
  SpanNumberField,
  SpanOutputTokensField,
  SpanStartField,
  SpanStatusField,
  SpanTypeField,
} from './span-fields.js';

const KIND_NAMES = Object.fromEntries(Object.entries(SPAN_KINDS).map(([name, code]) => [code, `SpanKind.${name}`]));
const STATUS_NAMES = Object.fromEntries(
  Object.entries(SPAN_STATUSES).map(([name, code]) => [code, `StatusCode.${name}`]),
);

class SpanStatusBody {
  @SpanStatusField()
  status_code: string;

  @TextField({
    nullable: true,
    description: 'The status message, usually that of an error; null if there is none.',
  })
  description: string | null;
}

class SpanEventBody {
  @TextField({ description: 'The name of the event, such as `exception`.' })
  name: string;

  @DateTimeField({ description: 'When it happened.' })
  timestamp: string;

  @JsonObjectField({ description: 'The attributes of the event.' })
  attributes: JsonObject;
}

class SpanContextBody {
  @TextField({ description: 'The trace that the link leads to.' })
  trace_id: string;

  @TextField({ description: 'The span that the link leads to.' })
  span_id: string;

  @TextField({ description: 'The W3C `tracestate` of that span; empty when there is none.' })
  trace_state: string;
}

class SpanLinkBody {
  @ApiProperty({
    type: () => SpanContextBody,
    description: 'The span that the link leads to, which may be in another trace.',
  })
  context: SpanContextBody;

  @JsonObjectField({ description: 'The attributes of the link.' })
  attributes: JsonObject;
}

class ResourceBody {
  @JsonObjectField({ description: 'The attributes of the resource, such as `service.name`.' })
  attributes: JsonObject;

  @TextField({ description: 'The schema of the attributes; empty when the sender named none.' })
  schema_url: string;
}

class ScopeBody {
  @TextField({ description: 'The instrumentation that made the span; empty when the sender named none.' })
  name: string;

  @TextField({ description: 'The version of the instrumentation; empty when the sender named none.' })
  version: string;

  @JsonObjectField({ description: 'The attributes of the instrumentation.' })
  attributes: JsonObject;
}

export class SpanBody {
  @SpanNumberField()
  id: number;

  @TextField({ description: 'The trace that the span is part of.' })
  trace_id: string;

  @SpanIdField()
  span_id: string;

  @ParentIdField()
  parent_id: string | null;

  @SpanNameField()
  name: string;

  @SpanKindField()
  kind: string;

  @SpanStartField()
  start_time: string;

  @SpanEndField()
  end_time: string | null;

  @SpanDurationField()
  duration_ms: number | null;

  @ApiProperty({ type: () => SpanStatusBody, description: 'Whether the span succeeded.' })
  status: SpanStatusBody;

  @JsonObjectField({ description: 'The attributes of the span, by name.' })
  attributes: JsonObject;

  @ApiProperty({
    type: () => [SpanEventBody],
    description: 'The events of the span, in the order they were sent.',
  })
  events: SpanEventBody[];

  @ApiProperty({ type: () => [SpanLinkBody], description: 'Spans that this one is connected with besides its parent.' })
  links: SpanLinkBody[];

  @ApiProperty({ type: () => ResourceBody, description: 'The resource that sent the span, such as a service.' })
  resource: ResourceBody;

  @ApiProperty({ type: () => ScopeBody, description: 'The instrumentation that made the span.' })
  scope: ScopeBody;

  @TextField({ description: 'The W3C `tracestate`; empty when there is none.' })
  trace_state: string;

  @IntegerField({ nullable: true, description: 'The request log of the span; null if it is not a model call.' })
  request_log_id: number | null;

  @SpanTypeField()
  span_type: string;

  @TextField({ nullable: true, description: 'The provider of the model that the span names; null when it names none.' })
  provider: string | null;

  @SpanModelField()
  model: string | null;

  @SpanInputTokensField()
  input_tokens: number | null;

  @SpanOutputTokensField()
  output_tokens: number | null;

  @SpanCostField()
  cost: number | null;

  @IntegerField({
    nullable: true,
    description: 'The prompt of the registry that the span names; null if it names none.',
  })
  prompt_id: number | null;

  @IntegerField({
    nullable: true,
    description: 'The version of the prompt that the span names; null when it names none.',
  })
  prompt_version_number: number | null;

  @ApiProperty({
    description: 'True if characters that cannot be stored (NUL, lone surrogates) were replaced with U+FFFD.',
  })
  sanitized: boolean;
}

/** A span in the skeleton of its trace. */
export class BareSpanBody {
  @SpanNumberField()
  id: number;

  @SpanIdField()
  span_id: string;

  @ParentIdField()
  parent_id: string | null;

  @SpanNameField()
  name: string;

  @SpanKindField()
  kind: string;

  @SpanTypeField()
  span_type: string;

  @SpanStartField()
  start_time: string;

  @SpanEndField()
  end_time: string | null;

  @SpanDurationField()
  duration_ms: number | null;

  @SpanStatusField()
  status_code: string;

  @SpanLogField()
  request_log_id: number | null;

  @SpanModelField()
  model: string | null;

  @SpanInputTokensField()
  input_tokens: number | null;

  @SpanOutputTokensField()
  output_tokens: number | null;

  @SpanCostField()
  cost: number | null;
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

/** The members of an object as JSON text. Joining texts is several times faster than spreading objects. */
const membersOf = (object: object): string => JSON.stringify(object).slice(1, -1);

/** Fields of a span in both views. */
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
