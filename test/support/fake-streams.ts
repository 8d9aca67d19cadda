type Json = Record<string, unknown>;

/** The tokens that every vendor reports. */
export const USAGE = { input: 12, output: 5 };

/** One server-sent event. */
export const sse = (data: object | string, name?: string): string =>
  `${name === undefined ? '' : `event: ${name}\n`}data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`;

/** The events of an answer that says a text letter by letter, as the vendor of a path sends them; null for a path without streams. */
export function streamOf(path: string, body: Json, text: string): string[] | null {
  if (path.endsWith(':streamGenerateContent')) return googleStream(text);
  if (body.stream !== true) return null;
  if (path.endsWith('/chat/completions')) return chatStream(body, text);
  if (path.endsWith('/completions')) return completionStream(body, text);
  if (path.endsWith('/responses')) return responsesStream(body, text);
  return path.endsWith(':streamRawPredict') ? anthropicStream('claude', text) : null;
}

const OPENAI_USAGE = {
  prompt_tokens: USAGE.input,
  completion_tokens: USAGE.output,
  total_tokens: USAGE.input + USAGE.output,
};
/** Only whoever asks for tokens is told of them; Mistral always tells them. */
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

/** The bytes, cut at these places. */
export function cut(whole: Uint8Array, places: number[]): Uint8Array[] {
  const ends = [...new Set(places.map((place) => place % (whole.length + 1)))].sort((a, b) => a - b);
  return [...ends, whole.length].map((end, index) => whole.slice(index === 0 ? 0 : ends[index - 1], end));
}
