import { ApiProperty } from '@nestjs/swagger';
import { SuccessField } from '../../platform/http/common-fields.js';
import { EnumField, IntegerField, ListField, TextField } from '../../platform/http/fields.js';
import type { BulkResult } from './bulk.service.js';
import { SpanIdField, SpanNameField, SpanNumberField } from '../shared/span-fields.js';

class AcceptedSpan {
  @SpanNumberField()
  id: number;

  @SpanNameField()
  name: string;

  @SpanIdField()
  span_id: string;
}

class CreatedRequestLog {
  @IntegerField({ description: 'The id of the request log.' })
  id: number;

  @TextField({ description: 'The span that carried the call.' })
  span_id: string;
}

export class BulkSpansResponse {
  @SuccessField()
  success: true;

  @ApiProperty({ type: () => [AcceptedSpan], description: 'The spans that were stored, in the order of the request.' })
  spans: AcceptedSpan[];

  @ApiProperty({
    type: () => [CreatedRequestLog],
    nullable: true,
    description: 'The request logs of spans with a `log_request`; null if there are none.',
  })
  request_logs: CreatedRequestLog[] | null;

  @ListField('string', { optional: true, description: 'The spans that were rejected. Only if there are any.' })
  rejected_span_ids?: string[];

  @ListField('string', {
    optional: true,
    description: 'The traces of the rejected spans, each once. Only if there are any.',
  })
  rejected_trace_ids?: string[];

  @EnumField(['trace_closed'], {
    optional: true,
    description: 'Why spans were rejected: their trace is closed. Only if there are any.',
  })
  rejection_reason?: 'trace_closed';
}

export function toBulkResponse({ accepted, rejected }: BulkResult): BulkSpansResponse {
  const logs = accepted.filter(({ wroteLog }) => wroteLog);
  return {
    success: true,
    spans: accepted.map(({ span, ids }) => ({ id: ids.id, name: span.name, span_id: span.spanId })),
    request_logs:
      logs.length > 0 ? logs.map(({ span, ids }) => ({ id: ids.requestLogId!, span_id: span.spanId })) : null,
    ...(rejected.length > 0 && {
      rejected_span_ids: rejected.map((span) => span.spanId),
      rejected_trace_ids: [...new Set(rejected.map((span) => span.traceId))],
      rejection_reason: 'trace_closed',
    }),
  };
}

export const BULK_EXAMPLE = {
  spans: [
    {
      name: 'answer',
      context: { trace_id: '4bf92f3577b34da6a3ce929d0e0e4736', span_id: '00f067aa0ba902b7', trace_state: '' },
      kind: 'SpanKind.CLIENT',
      parent_id: null,
      start_time: 1780000000000000000,
      end_time: 1780000001000000000,
      status: { status_code: 'StatusCode.OK', description: null },
      attributes: { 'app.feature': 'returns' },
      events: [],
      links: [],
      resource: { attributes: { 'service.name': 'support' }, schema_url: '' },
      log_request: {
        provider: 'openai',
        model: 'gpt-4o-mini',
        input: { type: 'chat', messages: [{ role: 'user', content: [{ type: 'text', text: 'Where is my parcel?' }] }] },
        output: {
          type: 'chat',
          messages: [{ role: 'assistant', content: [{ type: 'text', text: 'On its way.' }] }],
        },
        input_tokens: 12,
        output_tokens: 4,
        tags: ['demo'],
      },
    },
  ],
  close_after: false,
};
