import type { Client } from './client.js';
import { spanId, traceId } from './otlp.js';

type Fields = Record<string, unknown>;

export const START = 1_780_000_000_000_000_123n;

/** A span of `/spans-bulk`, valid unless these fields make it otherwise. */
export function bulkSpan(fields: Fields = {}, context: Fields = {}): Fields & { context: Fields } {
  return {
    name: 'step',
    context: { trace_id: traceId(), span_id: spanId(), trace_state: '', ...context },
    kind: 'SpanKind.INTERNAL',
    parent_id: null,
    start_time: '@start',
    end_time: '@end',
    status: { status_code: 'StatusCode.OK', description: null },
    attributes: {},
    events: [],
    links: [],
    resource: { attributes: { 'service.name': 'tests' }, schema_url: '' },
    ...fields,
  };
}

/** A call as `/log-request` takes it, without its times. */
export function loggedCall(fields: Fields = {}): Fields {
  const said = (role: string, text: string) => ({ role, content: [{ type: 'text', text }] });
  return {
    provider: 'openai',
    model: 'gpt-4o-mini',
    input: { type: 'chat', messages: [said('user', 'Where is my parcel?')] },
    output: { type: 'chat', messages: [said('assistant', 'On its way.')] },
    input_tokens: 1_000_000,
    output_tokens: 0,
    ...fields,
  };
}

/** The body as text: nanoseconds do not fit a JavaScript number. */
export function bulkBody(spans: unknown[], closeAfter?: boolean): string {
  return JSON.stringify({ spans, close_after: closeAfter })
    .replaceAll('"@start"', String(START))
    .replaceAll('"@end"', String(START + 1_500_000_000n));
}

export interface BulkAnswer {
  spans: { id: number; name: string; span_id: string }[];
  request_logs: { id: number; span_id: string }[] | null;
  rejected_span_ids?: string[];
  rejected_trace_ids?: string[];
  rejection_reason?: string;
}

export function sendBulk(client: Client, spans: unknown[], closeAfter?: boolean) {
  const json = client.with({ 'content-type': 'application/json' });
  return json.request('POST', '/spans-bulk', bulkBody(spans, closeAfter));
}

/** Sends spans that must be accepted. */
export async function storeBulk(client: Client, spans: unknown[], closeAfter?: boolean): Promise<BulkAnswer> {
  const { status, body } = await sendBulk(client, spans, closeAfter);
  if (status !== 201) throw new Error(`POST /spans-bulk answered ${status}: ${JSON.stringify(body)}`);
  return body as BulkAnswer;
}
