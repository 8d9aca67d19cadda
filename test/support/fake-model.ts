import http from 'node:http';
import type { AddressInfo } from 'node:net';

/** Next answer of the model. */
export type FakeAnswer =
  { text: string } | { call: { id: string; name: string; arguments: object } } | { status: number; message: string };

/** Usage in the format of a provider: cached tokens are part of the prompt, reasoning tokens part of the completion. */
export const FAKE_USAGE = {
  prompt_tokens: 1000,
  completion_tokens: 50,
  total_tokens: 1050,
  prompt_tokens_details: { cached_tokens: 200 },
  completion_tokens_details: { reasoning_tokens: 10 },
};

interface ChatRequest {
  model: string;
  stream?: boolean;
}

/** Fake model that speaks the chat completions protocol of OpenAI, whole or streamed, and returns the given answer. */
export class FakeModel {
  answer: FakeAnswer = { text: 'Hello' };

  private constructor(private readonly server: http.Server) {}

  static async start(): Promise<FakeModel> {
    const server = http.createServer();
    const model = new FakeModel(server);
    server.on('request', (request, response) => void model.handle(request, response));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return model;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/v1`;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async handle(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    const asked = JSON.parse(Buffer.concat(pieces).toString()) as ChatRequest;
    const { answer } = this;
    if ('status' in answer) {
      const error = { message: answer.message, type: 'requests', code: 'rate_limit_exceeded' };
      response.writeHead(answer.status, { 'content-type': 'application/json' }).end(JSON.stringify({ error }));
    } else if (asked.stream) {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (const chunk of chunksOf(asked, answer)) response.write(`data: ${JSON.stringify(chunk)}\n\n`);
      response.end('data: [DONE]\n\n');
    } else {
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(completionOf(asked, answer)));
    }
  }
}

type Said = Exclude<FakeAnswer, { status: number }>;

const frame = ({ model }: ChatRequest) => ({ id: 'chatcmpl-1', created: 1_780_000_000, model });

function completionOf(asked: ChatRequest, answer: Said): object {
  const message = { role: 'assistant', refusal: null, ...contentOf(answer) };
  const choices = [{ index: 0, message, finish_reason: reasonOf(answer), logprobs: null }];
  return { ...frame(asked), object: 'chat.completion', choices, usage: FAKE_USAGE };
}

function chunksOf(asked: ChatRequest, answer: Said): object[] {
  const chunk = (delta: object, finish_reason: string | null = null) => ({
    ...frame(asked),
    object: 'chat.completion.chunk',
    choices: [{ index: 0, delta, finish_reason }],
  });
  const usage = { ...frame(asked), object: 'chat.completion.chunk', choices: [], usage: FAKE_USAGE };
  return [
    chunk({ role: 'assistant', content: '' }),
    ...deltasOf(answer).map((delta) => chunk(delta)),
    chunk({}, reasonOf(answer)),
    usage,
  ];
}

function contentOf(answer: Said): object {
  if ('text' in answer) return { content: answer.text };
  const { id, name, arguments: given } = answer.call;
  return {
    content: null,
    tool_calls: [{ id, type: 'function', function: { name, arguments: JSON.stringify(given) } }],
  };
}

/** Text letter by letter, the arguments of a call in two pieces. */
function deltasOf(answer: Said): object[] {
  if ('text' in answer) return [...answer.text].map((content) => ({ content }));
  const { id, name, arguments: given } = answer.call;
  const text = JSON.stringify(given);
  const part = (fields: object) => ({ tool_calls: [{ index: 0, ...fields }] });
  return [
    part({ id, type: 'function', function: { name, arguments: '' } }),
    part({ function: { arguments: text.slice(0, 5) } }),
    part({ function: { arguments: text.slice(5) } }),
  ];
}

function reasonOf(answer: Said): string {
  return 'text' in answer ? 'stop' : 'tool_calls';
}
