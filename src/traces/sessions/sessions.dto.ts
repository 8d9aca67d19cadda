import { ApiProperty } from '@nestjs/swagger';
import { toAskedTime } from '../../rollups/index.js';
import { OriginChoiceField, originsOf } from '../../llm/records/origin-fields.js';
import {
  InputTokensField,
  OutputTokensField,
  SuccessField,
  TotalTokensField,
} from '../../platform/http/common-fields.js';
import {
  BooleanField,
  DateTimeField,
  EnumField,
  IntegerField,
  ListField,
  NumberField,
  TextField,
} from '../../platform/http/fields.js';
import { CursorField, CursorQuery, LimitField, listEnvelope, ListEnvelope } from '../../platform/http/list.js';
import { MomentField } from '../../platform/filters/moment-field.js';
import { Closed } from '../../platform/http/validation.pipe.js';
import { isoFromNanoseconds } from '../../platform/time.js';
import { STATUSES } from '../search/trace-body.dto.js';
import { LastOutputField } from '../shared/span-fields.js';
import { timesOf } from '../shared/times.js';
import { MOST_COUNTED } from './session-rows.js';
import type { SessionOnPage, SessionTotals, SessionTurn } from './sessions.queries.js';
import type { PageAsked, SessionsAsked, SessionsPage, TurnsPage } from './sessions.service.js';

@Closed()
export class ListSessionsQuery extends CursorQuery {
  @LimitField(20)
  limit?: number;

  @TextField({
    optional: true,
    query: true,
    minLength: 1,
    maxLength: 2000,
    description: 'Only traces of this user count.',
    example: 'ada',
  })
  user_id?: string;

  @OriginChoiceField('traces')
  origin?: string;

  @TextField({
    optional: true,
    query: true,
    minLength: 1,
    maxLength: 200,
    description: 'Only traces of this deployment environment count.',
  })
  environment?: string;

  @MomentField('Only traces that began at this time or later count.')
  start_time?: string;

  @MomentField('Only traces that began before this time count. A date alone includes the whole day.')
  end_time?: string;
}

export class SessionPath {
  @TextField({
    query: true,
    minLength: 1,
    maxLength: 1000,
    description: 'The `session_id` of a trace. Any text, percent-encoded.',
  })
  session_id: string;
}

@Closed()
export class ListTurnsQuery {
  @CursorField()
  cursor?: string;

  @IntegerField({ optional: true, query: true, min: 1, max: 1000, default: 100, description: 'Turns per page.' })
  limit?: number;
}

const CostField = () => NumberField({ description: 'The cost of model calls in US dollars, as far as it is known.' });

class TotalsBody {
  @DateTimeField({ description: 'The start of the first trace.' })
  first_time: string;

  @DateTimeField({ description: 'The start of the newest trace.' })
  last_time: string;

  @DateTimeField({ nullable: true, description: 'The end of the trace that ended last; null while none has ended.' })
  end_time: string | null;

  @IntegerField({ description: 'The number of traces.' })
  trace_count: number;

  @IntegerField({ description: 'The number of traces in which a span failed.' })
  error_count: number;

  @InputTokensField()
  input_tokens: number;

  @OutputTokensField()
  output_tokens: number;

  @TotalTokensField()
  total_tokens: number;

  @CostField()
  total_cost_usd: number;

  @IntegerField({ description: 'The number of calls without a known price.' })
  unpriced_request_count: number;

  @ListField('string', { description: 'Users of the traces, the alphabetically first five.' })
  user_ids: string[];

  @BooleanField({
    description: `True when the session has ${MOST_COUNTED} traces or more: times, counts and sums are then those of its newest ${MOST_COUNTED}.`,
  })
  is_capped: boolean;
}

export class TraceSessionBody extends TotalsBody {
  @TextField({ description: 'The id of the session, as senders gave it.', example: 'chat-1001' })
  session_id: string;

  @TextField({
    nullable: true,
    description: 'The first 200 characters of the input of the newest trace; null when it has none.',
  })
  last_input: string | null;
}

const PARTIAL = 'True when so many traces have just changed that some are not read yet: ask again in a moment.';

export class TraceSessionsResponse extends ListEnvelope {
  @ApiProperty({ type: () => [TraceSessionBody], description: 'The sessions of the page, the newest first.' })
  data: TraceSessionBody[];

  @BooleanField({ description: PARTIAL })
  partial: boolean;
}

class TraceSessionTotalsBody extends TotalsBody {
  @TextField({ description: 'The id of the session, as senders gave it.', example: 'chat-1001' })
  session_id: string;
}

export class TraceSessionResponse {
  @SuccessField()
  success: true;

  @ApiProperty({ type: () => TraceSessionTotalsBody, description: 'The session.' })
  session: TraceSessionTotalsBody;

  @BooleanField({ description: PARTIAL })
  partial: boolean;
}

export class SessionTurnBody {
  @TextField({ description: 'The id of the trace.' })
  trace_id: string;

  @TextField({ description: 'The name of the root span.' })
  name: string;

  @EnumField(STATUSES, { description: 'The status of the trace.' })
  status: string;

  @TextField({
    nullable: true,
    description:
      'The first 500 characters of what the earliest failed span with a message says; null when there is none.',
  })
  error_message: string | null;

  @DateTimeField({ description: 'The start of the trace.' })
  start_time: string;

  @DateTimeField({ nullable: true, description: 'The end of the trace; null while no span has ended.' })
  end_time: string | null;

  @NumberField({ nullable: true, description: 'The duration in milliseconds; null while no span has ended.' })
  duration_ms: number | null;

  @TextField({ nullable: true, description: 'The first 500 characters of the earliest input; null if there is none.' })
  first_input: string | null;

  @LastOutputField()
  last_output: string | null;

  @ListField('string', { description: 'The models that were called.' })
  models_used: string[];

  @ListField('string', { description: 'The tools that were called.' })
  tool_names: string[];

  @TextField({ nullable: true, description: 'The user; null when no span names one.' })
  user_id: string | null;

  @IntegerField({ description: 'How many spans the trace has.' })
  span_count: number;

  @TotalTokensField()
  total_tokens: number;

  @CostField()
  total_cost_usd: number;

  @IntegerField({ nullable: true, description: 'The number of calls without a known price; null if it is not known.' })
  unpriced_request_count: number | null;
}

export class SessionTurnsResponse extends ListEnvelope {
  @ApiProperty({ type: () => [SessionTurnBody], description: 'The traces of the session in the order of their start.' })
  data: SessionTurnBody[];

  @BooleanField({ description: PARTIAL })
  partial: boolean;
}

export function toSessionsAsked(query: ListSessionsQuery): SessionsAsked {
  const { user_id: userId = null, origin, environment = null } = query;
  return { userId, origins: originsOf(origin), environment, time: toAskedTime(query, 'query') };
}

export function toSessionsResponse(
  query: ListSessionsQuery,
  { limit }: PageAsked,
  { sessions, nextCursor, isPartial }: SessionsPage,
): TraceSessionsResponse {
  const { cursor: _cursor, limit: _limit, ...filters } = query;
  const envelope = listEnvelope({ count: sessions.length, limit, nextCursor, filters });
  return { ...envelope, data: sessions.map(toSessionBody), partial: isPartial };
}

const toSessionBody = (session: SessionOnPage): TraceSessionBody => ({
  session_id: session.session_id,
  ...toTotalsBody(session),
  last_input: session.last_input,
});

export function toSessionResponse(
  sessionId: string,
  totals: SessionTotals & { isPartial: boolean },
): TraceSessionResponse {
  const session = { session_id: sessionId, ...toTotalsBody(totals) };
  return { success: true, session, partial: totals.isPartial };
}

function toTotalsBody(totals: SessionTotals): TotalsBody {
  const [input, output] = [Number(totals.input_tokens), Number(totals.output_tokens)];
  return {
    first_time: isoFromNanoseconds(totals.first_ns),
    last_time: isoFromNanoseconds(totals.last_ns),
    end_time: totals.end_ns === null ? null : isoFromNanoseconds(totals.end_ns),
    trace_count: totals.trace_count,
    error_count: totals.error_count,
    input_tokens: input,
    output_tokens: output,
    total_tokens: input + output,
    total_cost_usd: Number(totals.cost),
    unpriced_request_count: totals.unpriced_count,
    user_ids: totals.user_ids,
    is_capped: totals.trace_count >= MOST_COUNTED,
  };
}

export function toTurnsResponse(limit: number, { turns, nextCursor, isPartial }: TurnsPage): SessionTurnsResponse {
  const envelope = listEnvelope({ count: turns.length, limit, nextCursor });
  return { ...envelope, data: turns.map(toTurnBody), partial: isPartial };
}

const toTurnBody = (turn: SessionTurn): SessionTurnBody => ({
  trace_id: turn.trace_id,
  name: turn.name,
  status: turn.status,
  error_message: turn.error_message,
  ...timesOf(turn.start_ns, turn.end_ns),
  first_input: turn.first_input,
  last_output: turn.last_output,
  models_used: turn.models_used,
  tool_names: turn.tool_names,
  user_id: turn.user_id,
  span_count: turn.span_count,
  total_tokens: Number(turn.input_tokens) + Number(turn.output_tokens),
  total_cost_usd: Number(turn.cost),
  unpriced_request_count: turn.unpriced_count,
});
