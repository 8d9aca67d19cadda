import { randomBytes } from 'node:crypto';
import type { Answer, Client } from './client.js';

export type JsonSpan = Record<string, unknown>;

export const traceId = (): string => randomBytes(16).toString('hex');
export const spanId = (): string => randomBytes(8).toString('hex');

/** A span as OTLP/JSON, valid unless these fields make it otherwise. */
export function span(fields: JsonSpan = {}): JsonSpan {
  return {
    traceId: traceId(),
    spanId: spanId(),
    name: 'step',
    startTimeUnixNano: '1780000000000000000',
    endTimeUnixNano: '1780000001000000000',
    ...fields,
  };
}

export interface Call {
  model?: string;
  provider?: string;
  input?: string;
  output?: string;
  inputTokens?: number;
  outputTokens?: number;
  /** Further attributes. */
  more?: Record<string, string>;
}

/** A span that is a call of a model, in the GenAI convention. */
export function llmSpan(call: Call = {}, fields: JsonSpan = {}): JsonSpan {
  const { model = 'gpt-4o-mini', provider = 'openai', input = 'Hi', output = 'Hello', more = {} } = call;
  const { inputTokens = 3, outputTokens = 2 } = call;
  const texts: Record<string, string> = {
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': provider,
    'gen_ai.request.model': model,
    'gen_ai.input.messages': said('user', input),
    'gen_ai.output.messages': said('assistant', output),
    ...more,
  };
  const attributes = [
    ...Object.entries(texts).map(([key, value]) => text(key, value)),
    { key: 'gen_ai.usage.input_tokens', value: { intValue: inputTokens } },
    { key: 'gen_ai.usage.output_tokens', value: { intValue: outputTokens } },
  ];
  return span({ name: `chat ${model}`, kind: 3, attributes, ...fields });
}

export const text = (key: string, stringValue: string) => ({ key, value: { stringValue } });
const said = (role: string, content: string) => JSON.stringify([{ role, parts: [{ type: 'text', content }] }]);

export function envelope(spans: unknown[], resource: Record<string, string> = {}): object {
  const attributes = Object.entries(resource).map(([key, value]) => text(key, value));
  return { resourceSpans: [{ ...(attributes.length > 0 && { resource: { attributes } }), scopeSpans: [{ spans }] }] };
}

export const JSON_TYPE = { 'content-type': 'application/json' };

/** The answer to a request of which every span was stored. */
export const FULL_SUCCESS = { partialSuccess: { rejectedSpans: 0, errorMessage: '' } };

/** Times of a span, `seconds` after the time that spans of the tests start at. */
export const at = (seconds: number) => ({
  startTimeUnixNano: `${1_780_000_000 + seconds}000000000`,
  endTimeUnixNano: `${1_780_000_001 + seconds}500000000`,
});

/** Sends spans as OTLP/JSON. */
export function send(client: Client, spans: unknown[], query = ''): Promise<Answer> {
  return client.with(JSON_TYPE).request('POST', `/v1/traces${query}`, JSON.stringify(envelope(spans)));
}

/** The same, from a resource with these attributes. */
export function sendFrom(client: Client, resource: Record<string, string>, spans: unknown[]): Promise<Answer> {
  return client.with(JSON_TYPE).request('POST', '/v1/traces', JSON.stringify(envelope(spans, resource)));
}

export interface TraceSpan {
  id: number;
  span_id: string;
  parent_id: string | null;
  name: string;
  end_time: string | null;
  attributes: Record<string, unknown>;
  request_log_id: number | null;
  prompt_id: number | null;
  prompt_version_number: number | null;
  input_tokens: number | null;
  output_tokens: number | null;
  cost: number | null;
  sanitized: boolean;
}

export async function readSpans(client: Client, id: unknown): Promise<TraceSpan[]> {
  const trace = (await client.get(`/api/public/v2/traces/${String(id)}`)) as { spans: TraceSpan[] };
  return trace.spans;
}

/** Stores one call; gives the id of its request log. */
export async function logCall(client: Client, call: Call = {}, fields: JsonSpan = {}): Promise<number> {
  const sent = llmSpan(call, fields);
  await send(client, [sent]);
  const spans = await readSpans(client, sent.traceId);
  return spans.find((candidate) => candidate.span_id === sent.spanId)!.request_log_id!;
}
