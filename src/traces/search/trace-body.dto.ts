import { ApiProperty } from '@nestjs/swagger';
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
import { isoFromNanoseconds } from '../../platform/time.js';
import type { Workflow } from './span-findings.js';
import { STATUS_NAMES } from './span-facets.js';
import { KIND_NAMES } from './spans-to-search.queries.js';
import type { TraceDetails } from './trace-details.queries.js';

const STATUSES = ['OK', 'ERROR', 'UNSET'];

class TracePrompt {
  @IntegerField()
  id: number;

  @TextField({ nullable: true })
  name: string | null;

  @IntegerField({ nullable: true })
  version: number | null;
}

class TraceWorkflow {
  @TextField()
  id: string;

  @TextField({ nullable: true })
  name: string | null;

  @TextField({ nullable: true })
  version: string | null;
}

class RootSpan {
  @IntegerField()
  id: number;

  @TextField()
  span_id: string;

  @TextField()
  name: string;

  @TextField({ example: 'LLM_SESSION' })
  span_type: string;

  @TextField({ example: 'SpanKind.SERVER' })
  kind: string;

  @TextField({ example: 'StatusCode.OK' })
  status: string;

  @DateTimeField()
  start_time: string;

  @DateTimeField({ nullable: true })
  end_time: string | null;

  @NumberField({ nullable: true })
  duration_ms: number | null;

  @IntegerField({ nullable: true })
  request_log_id: number | null;
}

/** The summary of a trace. */
export class TraceBody {
  @TextField()
  trace_id: string;

  @TextField({ description: 'The name of the root, which is the earliest span whose parent is not in the trace.' })
  name: string;

  @EnumField(STATUSES, { description: 'ERROR if any span failed, else OK if the root says so, else UNSET.' })
  status: string;

  @DateTimeField()
  start_time: string;

  @DateTimeField({ nullable: true, description: 'The end of the span that ended last; null while no span has ended.' })
  end_time: string | null;

  @NumberField({ nullable: true })
  duration_ms: number | null;

  @IntegerField()
  span_count: number;

  @IntegerField({
    nullable: true,
    description: 'How many spans the longest path from the root has; null until the trace has been indexed.',
  })
  depth: number | null;

  @NumberField({ description: 'US dollars. Only calls that have a price count; see `unpriced_request_count`.' })
  total_cost_usd: number;

  @IntegerField({
    nullable: true,
    description:
      'How many calls have no price, because the price of the model or the number of tokens is not known. They are missing from the total. null for traces that are older than this field.',
  })
  unpriced_request_count: number | null;

  @IntegerField()
  input_tokens: number;

  @IntegerField()
  output_tokens: number;

  @IntegerField()
  total_tokens: number;

  @ListField('string')
  models_used: string[];

  @ListField('string')
  tool_names: string[];

  @ApiProperty({ type: () => [TracePrompt], description: 'Versions of prompts that spans name.' })
  prompts: TracePrompt[];

  @ApiProperty({ type: () => [TraceWorkflow] })
  workflows: TraceWorkflow[];

  @TextField({ nullable: true })
  user_id: string | null;

  @ListField('string')
  tags: string[];

  @JsonObjectField({
    values: { type: 'string' },
    description: 'The metadata of all spans. When spans have different values for a key, the earliest span counts.',
  })
  metadata: Record<string, string>;

  @BooleanField({ description: 'A closed trace takes no more spans.' })
  is_closed: boolean;

  @ApiProperty({ type: () => RootSpan, nullable: true })
  root_span: RootSpan | null;

  @TextField({ nullable: true, description: 'The first 500 characters of the first input of a span.' })
  first_input: string | null;

  @TextField({ nullable: true, description: 'The first 500 characters of the output of the span that ended last.' })
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
    tags: trace.tags ?? [],
    metadata: trace.metadata ?? {},
    is_closed: trace.closed_at !== null,
    root_span: rootOf(trace),
    first_input: trace.first_input,
    last_output: trace.last_output,
  };
}

export function timesOf(startNs: string, endNs: string | null) {
  const start_time = isoFromNanoseconds(startNs);
  if (endNs === null) return { start_time, end_time: null, duration_ms: null };
  const duration = Number(BigInt(endNs) - BigInt(startNs)) / 1e6;
  return { start_time, end_time: isoFromNanoseconds(endNs), duration_ms: Math.max(0, duration) };
}

/** A version each; a prompt that is named without one stands alone. */
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
