import { crc32 } from 'node:zlib';

type Json = Record<string, unknown>;

/** The tokens that every vendor reports. */
export const USAGE = { input: 12, output: 5 };

/** One server-sent event. */
export const sse = (data: object | string, name?: string): string =>
  `${name === undefined ? '' : `event: ${name}\n`}data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`;

/** The events of an answer that says a text letter by letter, as the vendor of a path sends them; null for a path without streams. */
export function streamOf(path: string, body: Json, text: string): (string | Uint8Array)[] | null {
  if (path.endsWith('/converse-stream')) return converseStream(text).map(framed);
  if (path.endsWith('/invoke-with-response-stream')) return carriedStream(text).map(framed);
  return eventsOf(path, body, text);
}

/** The same for vendors who send server-sent events. */
export function eventsOf(path: string, body: Json, text: string): string[] | null {
  if (path.endsWith(':streamGenerateContent')) return googleStream(text);
  if (body.stream !== true) return null;
  if (path.endsWith('/chat/completions')) return chatStream(body, text);
  if (path.endsWith('/completions')) return completionStream(body, text);
  if (path.endsWith('/responses')) return responsesStream(body, text);
  if (path.endsWith('/v2/chat')) return cohereStream(text);
  return path.endsWith(':streamRawPredict') ? anthropicStream('claude', text) : null;
}

const OPENAI_USAGE = {
  prompt_tokens: USAGE.input,
  completion_tokens: USAGE.output,
  total_tokens: USAGE.input + USAGE.output,
};
/** Token usage is sent only on request, except by Mistral. */
const asksForUsage = ({ stream_options: options, model }: Json): boolean =>
  (options as { include_usage?: boolean } | undefined)?.include_usage === true || String(model).startsWith('mistral');

export function chatStream(body: Json, text: string, { finish = 'stop' } = {}): string[] {
  const frame = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1_780_000_000, model: body.model };
  const chunk = (delta: object, finish_reason: string | null = null) =>
    sse({ ...frame, choices: [{ index: 0, delta, finish_reason, logprobs: null }] });
  return [
    chunk({ role: 'assistant', content: '', refusal: null }),
    ...[...text].map((content) => chunk({ content })),
    chunk({}, finish),
    ...(asksForUsage(body) ? [sse({ ...frame, choices: [], usage: OPENAI_USAGE })] : []),
    sse('[DONE]'),
  ];
}

function completionStream(body: Json, text: string): string[] {
  const frame = { id: 'c1', object: 'text_completion', model: body.model };
  const chunk = (letter: string, finish_reason: string | null = null) =>
    sse({ ...frame, choices: [{ index: 0, text: letter, finish_reason }] });
  const usage = asksForUsage(body) ? [sse({ ...frame, choices: [], usage: OPENAI_USAGE })] : [];
  return [...[...text].map((letter) => chunk(letter)), chunk('', 'stop'), ...usage, sse('[DONE]')];
}

function responsesStream({ model }: Json, text: string): string[] {
  const part = (said: string) => ({ type: 'output_text', text: said, annotations: [] });
  const item = { type: 'message', id: 'msg_1', status: 'completed', role: 'assistant', content: [part(text)] };
  const frame = { id: 'resp_1', object: 'response', created_at: 1_780_000_000, model };
  const usage = { input_tokens: USAGE.input, output_tokens: USAGE.output, total_tokens: USAGE.input + USAGE.output };
  const at = { item_id: 'msg_1', output_index: 0, content_index: 0 };
  let number = 0;
  const event = (type: string, data: object) => sse({ type, sequence_number: number++, ...data }, type);
  return [
    event('response.created', { response: { ...frame, status: 'in_progress', output: [], usage: null } }),
    event('response.output_item.added', { output_index: 0, item: { ...item, status: 'in_progress', content: [] } }),
    event('response.content_part.added', { ...at, part: part('') }),
    ...[...text].map((delta) => event('response.output_text.delta', { ...at, delta, obfuscation: `x${number}` })),
    event('response.output_text.done', { ...at, text }),
    event('response.content_part.done', { ...at, part: part(text) }),
    event('response.output_item.done', { output_index: 0, item }),
    event('response.completed', { response: { ...frame, status: 'completed', output: [item], usage } }),
  ];
}

/** With the comments and pings that keep a connection open. */
export function anthropicStream(model: unknown, text: string): string[] {
  const event = (type: string, data: object = {}) => sse({ type, ...data }, type);
  const message = { id: 'msg_1', type: 'message', role: 'assistant', model, stop_reason: null, stop_sequence: null };
  return [
    event('message_start', {
      message: { ...message, content: [], usage: { input_tokens: USAGE.input, output_tokens: 1 } },
    }),
    event('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
    event('ping'),
    ': keep-alive\n\n',
    ...[...text].map((letter) =>
      event('content_block_delta', { index: 0, delta: { type: 'text_delta', text: letter } }),
    ),
    event('content_block_stop', { index: 0 }),
    event('message_delta', {
      delta: { stop_reason: 'end_turn', stop_sequence: null },
      usage: { output_tokens: USAGE.output },
    }),
    event('message_stop'),
  ];
}

function googleStream(text: string): string[] {
  const letters = [...text];
  return letters.map((letter, index) =>
    sse({
      candidates: [
        {
          content: { role: 'model', parts: [{ text: letter }] },
          index: 0,
          ...(index === letters.length - 1 && { finishReason: 'STOP' }),
        },
      ],
      usageMetadata: { promptTokenCount: USAGE.input, candidatesTokenCount: USAGE.output },
      modelVersion: 'gemini-x',
    }),
  );
}

const cohereMessage = (message: object) => ({ delta: { message } });
export const cohereEvent = (type: string, more: object = {}): string => sse({ type, ...more }, type);

/** The start of an answer, and its end with the tokens. */
export const cohereStart = cohereEvent('message-start', {
  id: 'c1',
  ...cohereMessage({ role: 'assistant', content: [], tool_plan: '', tool_calls: [], citations: [] }),
});
export function cohereEnd(finish_reason = 'COMPLETE'): string {
  const tokens = { input_tokens: USAGE.input, output_tokens: USAGE.output };
  return cohereEvent('message-end', { delta: { finish_reason, usage: { billed_units: tokens, tokens } } });
}

export function cohereStream(text: string): string[] {
  return [
    cohereStart,
    cohereEvent('content-start', { index: 0, ...cohereMessage({ content: { type: 'text', text: '' } }) }),
    ...[...text].map((letter) =>
      cohereEvent('content-delta', { index: 0, ...cohereMessage({ content: { text: letter } }) }),
    ),
    cohereEvent('content-end', { index: 0 }),
    cohereEnd(),
    sse('[DONE]'),
  ];
}

/** The call of a tool whose arguments come letter by letter. */
export function cohereTool(index: number, id: string, name: string, text: string): string[] {
  const call = (tool_calls: object) => ({ index, ...cohereMessage({ tool_calls }) });
  return [
    cohereEvent('tool-call-start', call({ id, type: 'function', function: { name, arguments: '' } })),
    ...[...text].map((letter) => cohereEvent('tool-call-delta', call({ function: { arguments: letter } }))),
    cohereEvent('tool-call-end', { index }),
  ];
}

/** An event of Converse, to be put into a frame. */
export const converseEvent = (name: string, value: object): string => JSON.stringify({ [name]: value });

export const converseDelta = (contentBlockIndex: number, delta: object): string =>
  converseEvent('contentBlockDelta', { contentBlockIndex, delta, p: 'abcdefgh' });

export const converseStart = converseEvent('messageStart', { role: 'assistant', p: 'abc' });
export function converseEnd(stopReason = 'end_turn'): string[] {
  const usage = { inputTokens: USAGE.input, outputTokens: USAGE.output, totalTokens: USAGE.input + USAGE.output };
  return [
    converseEvent('messageStop', { stopReason, p: 'ab' }),
    converseEvent('metadata', { usage, metrics: { latencyMs: 5 }, p: 'abcd' }),
  ];
}

export function converseStream(text: string): string[] {
  return [
    converseStart,
    ...[...text].map((letter) => converseDelta(0, { text: letter })),
    converseEvent('contentBlockStop', { contentBlockIndex: 0 }),
    ...converseEnd(),
  ];
}

/** The call of a tool whose input comes letter by letter. */
export function converseTool(contentBlockIndex: number, toolUseId: string, name: string, input: string): string[] {
  return [
    converseEvent('contentBlockStart', { contentBlockIndex, start: { toolUse: { toolUseId, name } } }),
    ...[...input].map((letter) => converseDelta(contentBlockIndex, { toolUse: { input: letter } })),
    converseEvent('contentBlockStop', { contentBlockIndex }),
  ];
}

/** The events of Anthropic inside of Bedrock's frames. */
export function carriedStream(text: string): string[] {
  const events = anthropicStream('claude', text).filter((event) => event.startsWith('event: '));
  return events.map((event) => carried(event.slice(event.indexOf('data: ') + 6)));
}

export const carried = (json: string): string =>
  converseEvent('chunk', { bytes: Buffer.from(json.trim()).toString('base64'), p: 'abc' });

/** A frame of AWS around an event given as `{"<name>": <payload>}`. A name that ends with "Exception" makes an exception. */
export function framed(event: string): Uint8Array {
  const [[name, payload] = ['', {}]] = Object.entries(JSON.parse(event) as Record<string, object>);
  const kind = name.endsWith('Exception') ? 'exception' : 'event';
  const headers = { [`:${kind}-type`]: name, ':content-type': 'application/json', ':message-type': kind };
  return frame(headers, JSON.stringify(payload));
}

/** Headers are texts, or bytes of a type and a value as they stand on the wire. */
export function frame(headers: Record<string, string | Uint8Array>, payload: string): Buffer {
  const head = Buffer.concat(
    Object.entries(headers).flatMap(([name, value]) => [Buffer.from([name.length]), Buffer.from(name), onWire(value)]),
  );
  const body = Buffer.from(payload);
  const prelude = numbers(16 + head.length + body.length, head.length);
  const before = Buffer.concat([prelude, numbers(crc32(prelude)), head, body]);
  return Buffer.concat([before, numbers(crc32(before))]);
}

function onWire(value: string | Uint8Array): Uint8Array {
  if (typeof value !== 'string') return value;
  const text = Buffer.from(value);
  return Buffer.concat([Buffer.from([7, text.length >> 8, text.length & 255]), text]);
}

/** Writes 32-bit numbers, big-endian. */
export function numbers(...values: number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4);
  values.forEach((value, index) => bytes.writeUInt32BE(value, index * 4));
  return bytes;
}

/** The bytes, cut at these places. */
export function cut(whole: Uint8Array, places: number[]): Uint8Array[] {
  const ends = [...new Set(places.map((place) => place % (whole.length + 1)))].sort((a, b) => a - b);
  return [...ends, whole.length].map((end, index) => whole.slice(index === 0 ? 0 : ends[index - 1], end));
}
