import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { anthropicStream, streamOf, USAGE } from './fake-streams.js';

type Json = Record<string, unknown>;

/** A call as it arrived. */
export interface AskedCall {
  path: string;
  headers: IncomingHttpHeaders;
  body: Json;
  /** Text of the last message. */
  text: string;
}

/** Reply of the model to a call: a text, or a failure. */
export type VendorReply =
  | { text: string }
  | { status: number; message: string; headers?: Record<string, string>; error?: Json }
  | { raw: string; headers?: Record<string, string> }
  | EventsReply
  | 'hang'
  /** The connection breaks in the middle of the answer. */
  | 'break';

/** Server-sent events or frames, cut as they are given; then the connection ends, waits or breaks. */
interface EventsReply {
  events: (string | Uint8Array)[];
  after?: 'end' | 'hang' | 'break';
}

export interface AskedTool {
  id: string;
  name: string;
  /** JSON. */
  arguments: string;
}

/** An answer that asks for tools, as that of `/chat/completions`. */
export function asks(...calls: AskedTool[]): VendorReply {
  const tool_calls = calls.map(({ id, ...called }) => ({ id, type: 'function', function: called }));
  const message = { role: 'assistant', content: null, refusal: null, tool_calls };
  const choices = [{ index: 0, message, finish_reason: 'tool_calls', logprobs: null }];
  const usage = { prompt_tokens: USAGE.input, completion_tokens: USAGE.output, total_tokens: 17 };
  return {
    raw: JSON.stringify({ id: 'c', object: 'chat.completion', created: 1, model: 'gpt-4.1-mini', choices, usage }),
  };
}

export { USAGE } from './fake-streams.js';

/** Local servers of several vendors, each with the wire format of the real one. They count and keep their requests. */
export class FakeVendors {
  reply: (asked: AskedCall) => VendorReply = ({ text }) => ({ text: `You said: ${text}` });
  /** Milliseconds until an answer. */
  delayMs = 0;
  readonly calls: AskedCall[] = [];
  open = 0;
  mostOpen = 0;
  /** Calls whose caller did not wait for the answer. */
  hungUp = 0;
  private held: Promise<void> | null = null;

  private constructor(private readonly server: Server) {}

  static async start(): Promise<FakeVendors> {
    const server = createServer((request, response) => {
      // Callers may disconnect in the middle of the request.
      vendors.serve(request, response).catch(() => response.destroy());
    });
    // A pause of the test must not end connections that the server under test is about to use again.
    server.keepAliveTimeout = 60_000;
    const vendors = new FakeVendors(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return vendors;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  reset(): void {
    this.reply = ({ text }) => ({ text: `You said: ${text}` });
    this.delayMs = 0;
    this.calls.length = 0;
    this.mostOpen = 0;
    this.hungUp = 0;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let text = '';
    for await (const piece of request) text += String(piece);
    const path = request.url!.split('?')[0]!;
    const body = request.headers['content-type']?.includes('json') ? (JSON.parse(text) as Json) : { form: text };
    const asked = { path: request.url!, headers: request.headers, body, text: lastText(body) };
    this.calls.push(asked);
    this.mostOpen = Math.max(this.mostOpen, ++this.open);
    response.on('close', () => {
      this.open--;
      if (!response.writableFinished) this.hungUp++;
    });
    if (this.delayMs > 0) await new Promise((resolve) => setTimeout(resolve, this.delayMs));
    if (!response.destroyed) this.answer(path, asked, response);
  }

  /** Holds all answers until the returned function is called. */
  hold(): () => void {
    let release: () => void = () => undefined;
    this.held = new Promise<void>((resolve) => (release = resolve));
    return () => {
      this.held = null;
      release();
    };
  }

  private answer(path: string, asked: AskedCall, response: ServerResponse): void {
    if (this.held) return void this.held.then(() => this.answer(path, asked, response));
    const reply = this.reply(asked);
    if (reply === 'hang') return;
    if (reply === 'break') {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': 10_000 });
      response.write('{"choices": [');
      setTimeout(() => response.destroy(), 10);
      return;
    }
    if ('status' in reply) {
      const error = { type: 'error', message: reply.message, ...reply.error };
      response.writeHead(reply.status, { 'content-type': 'application/json', ...reply.headers });
      response.end(JSON.stringify({ error, message: reply.message }));
      return;
    }
    if ('raw' in reply) {
      response.writeHead(200, { 'content-type': 'application/json', ...reply.headers }).end(reply.raw);
      return;
    }
    if ('events' in reply) return sendEvents(path, reply, response);
    say(path, asked.body, reply.text, response);
  }
}

const FRAMED = /\/(?:converse-stream|invoke-with-response-stream)$/;

function sendEvents(path: string, { events, after = 'end' }: EventsReply, response: ServerResponse): void {
  const type = FRAMED.test(path) ? 'application/vnd.amazon.eventstream' : 'text/event-stream';
  response.writeHead(200, { 'content-type': type });
  for (const event of events) response.write(event);
  if (after === 'end') response.end();
  // Data written before must arrive first.
  else if (after === 'break') setTimeout(() => response.destroy(), 10);
}

/** Last text in the request of a vendor, in any format. */
function lastText(body: Json): string {
  const said = body.messages ?? body.contents ?? body.input ?? body.prompt ?? body.texts ?? body.requests ?? '';
  const texts: string[] = [];
  JSON.stringify(said, (key, value: unknown) => {
    const isText = ['text', 'content', 'input', ''].includes(key) || /^\d+$/.test(key);
    if (typeof value === 'string' && isText) texts.push(value);
    return value;
  });
  return texts.at(-1) ?? '';
}

function say(path: string, body: Json, text: string, response: ServerResponse): void {
  const events = path.endsWith('/v1/messages') ? anthropicStream(body.model, text) : streamOf(path, body, text);
  if (events) return sendEvents(path, { events }, response);
  const json = (value: object) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value));
  if (path.endsWith('/embeddings')) return void json(openAiEmbeddings(body));
  if (path.endsWith(':batchEmbedContents')) {
    return void json({
      embeddings: (body.requests as Json[]).map((request) => ({ values: vectorOf(lastText({ contents: request })) })),
    });
  }
  if (path.endsWith('/v2/embed')) {
    return void json({ id: 'e1', embeddings: { float: (body.texts as string[]).map(vectorOf) }, meta: {} });
  }
  if (path.endsWith('/chat/completions')) return void json(chatCompletion(body, text));
  if (path.endsWith('/completions')) {
    const usage = { prompt_tokens: USAGE.input, completion_tokens: USAGE.output };
    return void json({ id: 'c1', object: 'text_completion', model: body.model, choices: [{ index: 0, text }], usage });
  }
  if (path.endsWith('/responses')) return void json(openAiResponse(body, text));
  if (path.endsWith('/invoke') || path.endsWith(':rawPredict')) return void json(anthropicMessage('claude', text));
  if (path.endsWith('/converse')) return void json(converseAnswer(text));
  if (path.endsWith(':generateContent')) return void json(googleAnswer(text));
  if (path.endsWith('/v2/chat')) return void json(cohereAnswer(text));
  if (path.endsWith('/token')) return void json({ access_token: 'granted', expires_in: 3600 });
  response
    .writeHead(404, { 'content-type': 'application/json' })
    .end(JSON.stringify({ message: `Nothing at ${path}` }));
}

function chatCompletion({ model }: Json, content: string): object {
  const message = { role: 'assistant', content, refusal: null };
  const choices = [{ index: 0, message, finish_reason: 'stop', logprobs: null }];
  const usage = {
    prompt_tokens: USAGE.input,
    completion_tokens: USAGE.output,
    total_tokens: USAGE.input + USAGE.output,
  };
  return { id: 'chatcmpl-1', object: 'chat.completion', created: 1_780_000_000, model, choices, usage };
}

function openAiResponse({ model }: Json, text: string): object {
  const content = [{ type: 'output_text', text, annotations: [] }];
  const output = [{ type: 'message', id: 'msg_1', status: 'completed', role: 'assistant', content }];
  const usage = { input_tokens: USAGE.input, output_tokens: USAGE.output, total_tokens: USAGE.input + USAGE.output };
  return { id: 'resp_1', object: 'response', created_at: 1_780_000_000, status: 'completed', model, output, usage };
}

/** The same text has the same vector; texts without a letter in common are at a right angle. */
function vectorOf(text: string): number[] {
  const vector = Array.from({ length: 26 }, () => 0);
  for (const letter of text.toLowerCase()) {
    const at = letter.charCodeAt(0) - 97;
    if (at >= 0 && at < 26) vector[at]!++;
  }
  return vector;
}

function openAiEmbeddings({ model, input }: Json): object {
  const texts = Array.isArray(input) ? (input as string[]) : [String(input)];
  const data = texts.map((text, index) => ({ object: 'embedding', index, embedding: vectorOf(text) }));
  return { object: 'list', data, model, usage: { prompt_tokens: USAGE.input, total_tokens: USAGE.input } };
}

function anthropicMessage(model: unknown, text: string): Json {
  return {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model,
    content: [{ type: 'text', text }],
    stop_reason: 'end_turn',
    stop_sequence: null,
    usage: { input_tokens: USAGE.input, output_tokens: USAGE.output },
  };
}

function converseAnswer(text: string): object {
  const output = { message: { role: 'assistant', content: [{ text }] } };
  const usage = { inputTokens: USAGE.input, outputTokens: USAGE.output, totalTokens: USAGE.input + USAGE.output };
  return { output, stopReason: 'end_turn', usage, metrics: { latencyMs: 5 } };
}

function googleAnswer(text: string): object {
  const candidates = [{ content: { role: 'model', parts: [{ text }] }, finishReason: 'STOP', index: 0 }];
  return {
    candidates,
    usageMetadata: { promptTokenCount: USAGE.input, candidatesTokenCount: USAGE.output },
    modelVersion: 'gemini-x',
  };
}

function cohereAnswer(text: string): object {
  const message = { role: 'assistant', content: [{ type: 'text', text }] };
  const tokens = { input_tokens: USAGE.input, output_tokens: USAGE.output };
  return { id: 'c1', finish_reason: 'COMPLETE', message, usage: { billed_units: tokens, tokens } };
}
