import { randomBytes } from 'node:crypto';
import {
  type TestAttributes,
  type TestRequest,
  type TestSpan,
  toJson,
  toProtobuf,
} from '../../src/traces/otlp/proto-writer.fixture.js';

export type Format = 'json' | 'protobuf';

const SPANS_PER_TRACE = 10;
/** Spans of a trace that are calls of a model and so become request logs as well. */
const CALLS_PER_TRACE = 4;
const MODELS = [
  ['openai', 'gpt-4o-mini'],
  ['openai', 'gpt-4o'],
  ['anthropic', 'claude-3-5-sonnet-20241022'],
] as const;
const SENTENCES = [
  'The parcel left the warehouse on Monday and should reach you within three working days.',
  'Please check the serial number on the back of the device before you send it in.',
  'Refunds are paid to the card that was used for the order, usually within a week.',
  'I looked into the account and found two open invoices from the spring quarter.',
  'Nothing in the documents says that the warranty covers damage by water.',
  'Could you tell me which of the two addresses is the right one?',
  'The update changes how the “quiet hours” are calculated for night shifts.',
];

let clockMs = Date.UTC(2026, 0, 5);
let counter = 0;

/** `count` requests of `spans` new spans each: traces of ten spans, 25 attributes a span, about 3 KB a span in JSON. */
export function otlpBodies(format: Format, count: number, spans: number): Buffer[] {
  const write = format === 'json' ? (body: TestRequest) => toJson(body) : toProtobuf;
  return Array.from({ length: count }, () => write(request(spans)));
}

function request(count: number): TestRequest {
  const spans: TestSpan[] = [];
  for (let index = 0; index < count; index++) {
    const position = index % SPANS_PER_TRACE;
    const root = position === 0 ? null : spans[index - position]!;
    spans.push(span(root, position));
  }
  return {
    resource: texts({
      'service.name': 'support-assistant',
      'service.version': '1.4.2',
      'deployment.environment.name': 'production',
      'telemetry.sdk.language': 'python',
      'telemetry.sdk.name': 'opentelemetry',
      'host.name': 'ip-10-0-3-17',
    }),
    schemaUrl: '',
    scope: { name: 'support-assistant', version: '1.4.2', attributes: [] },
    spans,
  };
}

function span(root: TestSpan | null, position: number): TestSpan {
  const startMs = (clockMs += 5);
  const isCall = position > 0 && position <= CALLS_PER_TRACE;
  return {
    traceId: root?.traceId ?? randomBytes(16).toString('hex'),
    spanId: randomBytes(8).toString('hex'),
    parentId: root?.spanId ?? '',
    traceState: '',
    name: isCall ? 'chat' : root ? 'execute_tool search_orders' : 'invoke_agent support',
    kind: isCall ? 3 : 1,
    startNs: BigInt(startMs) * 1_000_000n,
    endNs: BigInt(startMs + 800 + (counter % 900)) * 1_000_000n,
    statusCode: counter % 33 === 0 ? 2 : 1,
    statusMessage: '',
    attributes: [...who(), ...(isCall ? call() : step(root !== null))],
    events: [],
    links: [],
  };
}

/** Six attributes that every span has. */
function who(): TestAttributes {
  counter++;
  return texts({
    'user.id': `user-${counter % 5000}`,
    'session.id': `session-${counter % 20_000}`,
    'gen_ai.conversation.id': `conversation-${counter % 20_000}`,
    'deployment.region': 'eu-central-1',
    'app.release': '2026.1.3',
    'app.feature': counter % 2 ? 'orders' : 'returns',
  });
}

/** Nineteen attributes of a model call. */
function call(): TestAttributes {
  const [provider, model] = MODELS[counter % MODELS.length]!;
  const input = 200 + (counter % 3000);
  const output = 50 + (counter % 700);
  return [
    ...texts({
      'gen_ai.operation.name': 'chat',
      'gen_ai.system': provider,
      'gen_ai.provider.name': provider,
      'gen_ai.request.model': model,
      'gen_ai.response.model': model,
      'gen_ai.response.id': `chatcmpl-${randomBytes(12).toString('hex')}`,
      'gen_ai.output.type': 'text',
      'server.address': 'api.example.com',
      'gen_ai.input.messages': JSON.stringify([
        { role: 'system', parts: [{ type: 'text', content: prose(420) }] },
        { role: 'user', parts: [{ type: 'text', content: prose(480) }] },
      ]),
      'gen_ai.output.messages': JSON.stringify([
        { role: 'assistant', parts: [{ type: 'text', content: prose(520) }], finish_reason: 'stop' },
      ]),
    }),
    ['server.port', { int: 443n }],
    ['gen_ai.request.temperature', { double: 0.7 }],
    ['gen_ai.request.max_tokens', { int: 1024n }],
    ['gen_ai.request.top_p', { double: 1 }],
    ['gen_ai.request.frequency_penalty', { double: 0 }],
    ['gen_ai.request.presence_penalty', { double: 0 }],
    ['gen_ai.response.finish_reasons', { list: [{ string: 'stop' }] }],
    ['gen_ai.usage.input_tokens', { int: BigInt(input) }],
    ['gen_ai.usage.output_tokens', { int: BigInt(output) }],
  ];
}

/** Nineteen attributes of a tool call or of the agent itself. */
function step(isTool: boolean): TestAttributes {
  return [
    ...texts({
      'gen_ai.operation.name': isTool ? 'execute_tool' : 'invoke_agent',
      'gen_ai.agent.name': 'support',
      'gen_ai.agent.id': 'agent-7',
      'gen_ai.tool.name': 'search_orders',
      'gen_ai.tool.call.id': `call_${randomBytes(12).toString('hex')}`,
      'gen_ai.tool.type': 'function',
      'gen_ai.tool.call.arguments': JSON.stringify({ query: prose(300), limit: 20 }),
      'gen_ai.tool.call.result': JSON.stringify({ hits: [prose(450), prose(450)] }),
      'code.function.name': 'support.tools.search_orders',
      'code.file.path': '/srv/app/support/tools.py',
      'thread.name': 'worker-3',
      'http.request.method': 'POST',
      'url.full': 'http://orders.internal/search?scope=all',
      'server.address': 'orders.internal',
    }),
    ['code.line.number', { int: BigInt(counter % 400) }],
    ['thread.id', { int: 140_213n }],
    ['http.response.status_code', { int: 200n }],
    ['server.port', { int: 8080n }],
    ['cache.hit', { bool: counter % 3 === 0 }],
  ];
}

function prose(length: number): string {
  let text = '';
  while (text.length < length) text += `${SENTENCES[(counter + text.length) % SENTENCES.length]} `;
  return `${counter} ${text}`.slice(0, length);
}

function texts(values: Record<string, string>): TestAttributes {
  return Object.entries(values).map(([key, string]) => [key, { string }]);
}
