// Turns what other servers and files say about a call of a model into a span with a request log, as `POST /spans-bulk` takes it.
import { createHash } from 'node:crypto';

/** The first of these fields that says something. */
const first = (row, ...names) =>
  names.map((name) => row[name]).find((value) => value !== undefined && value !== null && value !== '');
const digest = (text, length) => createHash('sha256').update(text).digest('hex').slice(0, length);
const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);

/** CSV, Parquet and some exports have JSON as text. */
function parsed(value) {
  if (typeof value !== 'string' || !/^\s*[{[]/.test(value)) return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

/** Nanoseconds since the epoch, from ISO 8601, seconds, milliseconds, microseconds or nanoseconds; null for anything else. */
export function toNanoseconds(time) {
  if (time instanceof Date) return BigInt(time.getTime()) * 1_000_000n;
  const text = String(time ?? '');
  if (/^\d+(\.\d+)?$/.test(text)) {
    const scale = [1e9, 1e6, 1e3, 1][[1e11, 1e14, 1e17, Infinity].findIndex((limit) => Number(text) < limit)];
    return text.includes('.') ? BigInt(Math.round(Number(text) * scale)) : BigInt(text) * BigInt(scale);
  }
  const [, seconds, fraction = '', zone = 'Z'] = /^(.*:\d\d)(?:\.(\d+))?(Z|[+-]\d\d:?\d\d)?$/.exec(text.trim()) ?? [];
  const start = Date.parse(`${seconds?.replace(' ', 'T')}${zone}`);
  return Number.isNaN(start) ? null : BigInt(start) * 1_000_000n + BigInt(fraction.padEnd(9, '0').slice(0, 9));
}

const toIso = (time) => new Date(Number(time / 1_000_000n)).toISOString();

function toMessage(message, role) {
  if (!isObject(message)) return { role, content: [{ type: 'text', text: String(message) }] };
  const { content } = message;
  const parts = typeof content === 'string' ? [{ type: 'text', text: content }] : (content ?? []);
  return { ...message, role: message.role ?? role, content: parts };
}

/** Converts content to a chat: a text, messages, an answer of a vendor, or any JSON. */
function toChat(given, role) {
  const said = parsed(given) ?? '';
  if (said.type === 'chat' || said.type === 'completion') return said;
  const messages = messagesIn(said) ?? (said === '' ? [] : [isObject(said) && 'content' in said ? said : textOf(said)]);
  return { type: 'chat', messages: messages.map((message) => toMessage(message, role)) };
}

const textOf = (value) => (typeof value === 'string' ? value : JSON.stringify(value));

function messagesIn(said) {
  const messages = said.messages ?? said.choices?.map(({ message, text }) => message ?? text);
  return [said, messages].find(Array.isArray);
}

const toTexts = (given) =>
  Object.fromEntries(
    Object.entries(isObject(parsed(given)) ? parsed(given) : {}).map(([key, value]) => [
      key,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]),
  );
const count = (value) => (Number(value) >= 0 ? Math.round(Number(value)) : 0);

/** Outcome of a call, in the words of the server. */
function toStatus(row) {
  const error = first(row, 'error_message', 'error', 'status_message');
  const said = String(first(row, 'status', 'level') ?? (row.error ? 'error' : ''));
  if (!/error|fail/i.test(said)) return { status: 'SUCCESS' };
  return { status: 'ERROR', error_type: 'UNKNOWN_ERROR', error_message: textOf(error ?? 'It failed.').slice(0, 1024) };
}

/** The body of `POST /log-request` for a row of a file; throws an Error that says what is missing. */
function toCall(row, start, end) {
  const usage = parsed(first(row, 'usage', 'usage_details')) ?? {};
  const tokens = (...names) => count(first(row, ...names) ?? first(usage, ...names));
  const model = first(row, 'model', 'engine', 'model_name');
  if (!model) throw new Error('it has no model');
  const [tags, parameters] = [parsed(row.tags), parsed(first(row, 'parameters', 'modelParameters'))];
  const price = Number(first(row, 'price', 'cost', 'total_cost', 'calculatedTotalCost', 'cost_usd'));
  return {
    provider: String(first(row, 'provider', 'provider_type') ?? 'unknown'),
    model: String(model),
    input: toChat(first(row, 'input', 'messages', 'inputs', 'prompt', 'request', 'request_body', 'input_text'), 'user'),
    output: toChat(
      first(row, 'output', 'response', 'outputs', 'completion', 'response_body', 'output_text'),
      'assistant',
    ),
    request_start_time: toIso(start),
    request_end_time: toIso(end),
    input_tokens: tokens('input_tokens', 'prompt_tokens', 'promptTokens', 'input'),
    output_tokens: tokens('output_tokens', 'completion_tokens', 'completionTokens', 'output'),
    price: price > 0 ? price : 0,
    tags: Array.isArray(tags) ? tags.map(String) : [],
    metadata: toTexts(row.metadata),
    parameters: isObject(parameters) ? parameters : {},
    function_name: textOf(row.function_name ?? ''),
    ...toStatus(row),
  };
}

/** A span that holds this log. Without a trace of its own the log gets one of a single span, by which it is known again. */
export function toLogSpan(row, origin) {
  const start = toNanoseconds(
    first(row, 'request_start_time', 'start_time', 'startTime', 'start', 'timestamp', 'created_at'),
  );
  if (start === null) throw new Error('it has no start time');
  const latency = BigInt(Math.round(Number(first(row, 'latency_ms', 'duration_ms') ?? 0) * 1e6) || 0);
  const end = toNanoseconds(first(row, 'request_end_time', 'end_time', 'endTime', 'end')) ?? start + latency;
  const call = row.log_request ?? toCall(row, start, end);
  const id = first(row, 'request_id', 'id', 'run_id') ?? JSON.stringify([call, String(start)]);
  const known = `${origin} ${id}`;
  return {
    name: String(first(row, 'name', 'function_name') ?? call.model),
    context: {
      trace_id: row.trace_id || digest(`trace ${known}`, 32),
      span_id: row.span_id || digest(`span ${known}`, 16),
      trace_state: '',
    },
    kind: 'SpanKind.CLIENT',
    parent_id: null,
    start_time: start,
    end_time: end < start ? start : end,
    status: { status_code: call.status === 'ERROR' ? 'StatusCode.ERROR' : 'StatusCode.OK', description: null },
    attributes: { node_type: 'LLM_CALL', moved_from: origin },
    resource: { attributes: {}, schema_url: '' },
    log_request: call,
  };
}

/** The log of a server that speaks the same API, as its detail shows it. The answer stands behind the messages of the question. */
export function toLogRequest(detail, versionsOf) {
  const { prompt_template: template, metadata } = detail.prompt_blueprint;
  const { messages = [], content = [], input_variables: _, ...rest } = template;
  const at = messages.findLastIndex(({ role }) => role !== 'assistant') + 1;
  const isChat = template.type !== 'completion';
  const isKnown = detail.prompt_name && (versionsOf.get(detail.prompt_name) ?? 0) >= detail.prompt_version_number;
  const kept = [
    'provider',
    'model',
    'api_type',
    'function_name',
    'request_start_time',
    'request_end_time',
    'input_tokens',
    'output_tokens',
    'price',
    'tags',
    'metadata',
    'status',
    'error_type',
    'error_message',
    'prompt_input_variables',
  ];
  return {
    ...Object.fromEntries(kept.filter((key) => detail[key] !== undefined).map((key) => [key, detail[key]])),
    input: isChat
      ? { ...rest, messages: messages.slice(0, at) }
      : { type: 'completion', content: content.slice(0, -1) },
    output: isChat
      ? { type: 'chat', messages: messages.slice(at) }
      : { type: 'completion', content: content.slice(-1) },
    parameters: metadata?.model?.parameters ?? {},
    ...(isKnown && { prompt_name: detail.prompt_name, prompt_version_number: detail.prompt_version_number }),
  };
}
