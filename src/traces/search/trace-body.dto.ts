import { ApiProperty } from '@nestjs/swagger';
import { EnvironmentField, OriginField } from '../../llm/records/origin-fields.js';
import type { Origin } from '../../llm/records/origin.js';
import { InputTokensField, OutputTokensField, TotalTokensField } from '../../platform/http/common-fields.js';
import {
  BooleanField,
  DateTimeField,
  EnumField,
  IntegerField,
  JsonObjectField,
  ListField,
  NumberField,
  TextField,
} from '../../platform/http/fields.js';
import { timesOf } from '../shared/times.js';
import type { Workflow } from './span-findings.js';
import { STATUS_NAMES } from './span-facets.js';
import { KIND_NAMES } from './spans-to-search.queries.js';
import type { TraceDetails } from './trace-details.queries.js';
import {
  LastOutputField,
  SpanEndField,
  SpanIdField,
  SpanLogField,
  SpanNameField,
  SpanStartField,
} from '../shared/span-fields.js';

export const STATUSES = ['OK', 'ERROR', 'UNSET'];

class TracePrompt {
  @IntegerField({ description: 'The id of the prompt in the registry.' })
  id: number;

  @TextField({ nullable: true, description: 'The name that the prompt has now; null when it was deleted.' })
  name: string | null;

  @IntegerField({ nullable: true, description: 'The number of the version; null when no span names one.' })
  version: number | null;
}

class TraceWorkflow {
  @TextField({ description: 'The id of the workflow, as its span names it.' })
  id: string;

  @TextField({ nullable: true, description: 'The name of the workflow; null when no span says it.' })
  name: string | null;

  @TextField({ nullable: true, description: 'The version of the workflow; null when no span says it.' })
  version: string | null;
}

class RootSpan {
  @IntegerField({ description: 'The number of the span on this server.' })
  id: number;

  @SpanIdField()
  span_id: string;

  @SpanNameField()
  name: string;

  @TextField({
    description: 'The type of the span, such as `LLM_SESSION`, `LLM_CALL` or `TOOL`.',
    example: 'LLM_SESSION',
  })
  span_type: string;

  @TextField({ description: 'The kind of the span in OpenTelemetry.', example: 'SpanKind.SERVER' })
  kind: string;

  @TextField({ description: 'The status of the span in OpenTelemetry.', example: 'StatusCode.OK' })
  status: string;

  @SpanStartField()
  start_time: string;

  @SpanEndField()
  end_time: string | null;

  @NumberField({ nullable: true, description: 'The time from start to end in milliseconds; null while it is running.' })
  duration_ms: number | null;

  @SpanLogField()
  request_log_id: number | null;
}

/** A score of a trace. */
export class TraceScoreItem {
  @TextField({ description: 'The name of the score.', example: 'tone' })
  name: string;

  @IntegerField({ description: 'The score, 0 to 100.' })
  score: number;
}

/** The summary of a trace. */
export class TraceBody {
  @TextField({ description: 'The id of the trace, as senders gave it.' })
  trace_id: string;

  @TextField({ description: 'The name of the root span: the earliest span whose parent is not in the trace.' })
  name: string;

  @EnumField(STATUSES, {
    description: '`ERROR` if any span failed, otherwise `OK` if the root span is OK, otherwise `UNSET`.',
  })
  status: string;

  @DateTimeField({ description: 'The start of the span that began first.' })
  start_time: string;

  @DateTimeField({ nullable: true, description: 'The end of the span that ended last; null while no span has ended.' })
  end_time: string | null;

  @NumberField({
    nullable: true,
    description: 'The time from `start_time` to `end_time` in milliseconds; null while no span has ended.',
  })
  duration_ms: number | null;

  @IntegerField({ description: 'How many spans the trace has.' })
  span_count: number;

  @IntegerField({
    nullable: true,
    description: 'The number of spans on the longest path from the root; null until the trace has been indexed.',
  })
  depth: number | null;

  @NumberField({
    description: 'The cost of model calls in US dollars, as far as it is known; see `unpriced_request_count`.',
  })
  total_cost_usd: number;

  @IntegerField({
    nullable: true,
    description:
      'The number of calls without a price, because the price of the model or a token count is not known. null for traces older than this field.',
  })
  unpriced_request_count: number | null;

  @InputTokensField()
  input_tokens: number;

  @OutputTokensField()
  output_tokens: number;

  @TotalTokensField()
  total_tokens: number;

  @ListField('string', { description: 'The models that were called.' })
  models_used: string[];

  @ListField('string', { description: 'The tools that spans of the trace name.' })
  tool_names: string[];

  @ApiProperty({ type: () => [TracePrompt], description: 'The prompts that spans of the trace name, by version.' })
  prompts: TracePrompt[];

  @ApiProperty({ type: () => [TraceWorkflow], description: 'The workflows that spans of the trace belong to.' })
  workflows: TraceWorkflow[];

  @TextField({ nullable: true, description: 'The user: the `user_id` of `metadata`; null when no span names one.' })
  user_id: string | null;

  @TextField({
    nullable: true,
    description:
      'The session: the `conversation_id` of `metadata`, or else its `session_id`, the first 1,000 characters. Null when no span names one, and for a trace that was stored by a server without sessions until the trace changes.',
  })
  session_id: string | null;

  @OriginField('the trace')
  origin: Origin;

  @EnvironmentField('The deployment environment that resources of its spans name')
  environment: string | null;

  @ListField('string', { description: 'The tags of all spans, each once.' })
  tags: string[];

  @JsonObjectField({
    values: { type: 'string' },
    description:
      'The metadata of all spans. If spans have different values for a key, the value of the earliest span counts.',
  })
  metadata: Record<string, string>;

  @ApiProperty({ type: () => [TraceScoreItem], description: 'Scores that columns of sheets have published, by name.' })
  scores: TraceScoreItem[];

  @BooleanField({ description: 'Whether the trace is closed. A closed trace rejects further spans.' })
  is_closed: boolean;

  @ApiProperty({
    type: () => RootSpan,
    nullable: true,
    description: 'The root: the earliest span whose parent is not in the trace; null while it is not known.',
  })
  root_span: RootSpan | null;

  @TextField({
    nullable: true,
    description: 'The first 500 characters of the earliest input of a span; null if no span has one.',
  })
  first_input: string | null;

  @LastOutputField()
  last_output: string | null;
}

export function toTraceBody(trace: TraceDetails, promptNames: Map<number, string>): TraceBody {
  return {
    trace_id: trace.trace_id,
    name: trace.name ?? trace.root_name ?? '',
    status: trace.status ?? (trace.error_count > 0 ? 'ERROR' : 'UNSET'),
    ...timesOf(trace.start_ns, trace.end_ns),
    span_count: trace.span_count,
    depth: trace.depth,
    total_cost_usd: Number(trace.cost),
    unpriced_request_count: trace.unpriced_count,
    input_tokens: Number(trace.input_tokens),
    output_tokens: Number(trace.output_tokens),
    total_tokens: Number(trace.input_tokens) + Number(trace.output_tokens),
    models_used: trace.models_used ?? [],
    tool_names: trace.tool_names ?? [],
    prompts: promptsOf(trace, promptNames),
    workflows: (trace.workflows ?? []).map(({ id, name, version }: Workflow) => ({ id, name, version })),
    user_id: trace.user_id,
    session_id: trace.session_id,
    origin: trace.origin,
    environment: trace.environment,
    tags: trace.tags ?? [],
    metadata: trace.metadata ?? {},
    scores: trace.scores,
    is_closed: trace.closed_at !== null,
    root_span: rootOf(trace),
    first_input: trace.first_input,
    last_output: trace.last_output,
  };
}

/** One entry per version; a prompt without any version has one entry. */
function promptsOf(
  { prompt_ids: ids, prompt_versions: versions }: TraceDetails,
  names: Map<number, string>,
): TracePrompt[] {
  const pairs = (versions ?? []).map((text) => text.split(':').map(Number) as [number, number]);
  const versioned = new Set(pairs.map(([id]) => id));
  const bare = (ids ?? []).filter((id) => !versioned.has(id)).map((id): [number, number | null] => [id, null]);
  return [...pairs, ...bare]
    .sort(([a, first], [b, second]) => a - b || (first ?? 0) - (second ?? 0))
    .map(([id, version]) => ({ id, name: names.get(id) ?? null, version }));
}

function rootOf(trace: TraceDetails): RootSpan | null {
  if (trace.root_id === null) return null;
  return {
    id: Number(trace.root_id),
    span_id: trace.root_span_id!,
    name: trace.root_span_name!,
    span_type: trace.root_span_type!,
    kind: `SpanKind.${KIND_NAMES[trace.root_kind!]}`,
    status: `StatusCode.${STATUS_NAMES[trace.root_status!]}`,
    ...timesOf(trace.root_start_ns!, trace.root_end_ns),
    request_log_id: trace.root_request_log_id === null ? null : Number(trace.root_request_log_id),
  };
}
