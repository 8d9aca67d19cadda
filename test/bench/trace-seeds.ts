import { type JsonSpan, spanId, text, traceId } from '../support/otlp.js';
import { prose, random } from './search-prose.js';

/** Traces and their copies are spread over so many days up to now. */
export const DAYS = 90;
/** Every so many spans of a trace the root calls another agent, which the spans after it belong to. */
const PER_AGENT = 5;
const MS = 1_000_000n;

const MODELS = [
  ['openai', 'gpt-4o-mini'],
  ['openai', 'gpt-4o'],
  ['anthropic', 'claude-3-5-sonnet-20241022'],
  ['google', 'gemini-1.5-pro'],
  ['mistral', 'mistral-large-latest'],
] as const;
const VERBS = ['search', 'read', 'update', 'cancel', 'refund', 'list', 'check', 'export'];
const NOUNS = ['orders', 'invoices', 'tickets', 'customers', 'parcels'];
const TOOLS = VERBS.flatMap((verb) => NOUNS.map((noun) => `${verb}_${noun}`));
const REGIONS = ['eu-central-1', 'eu-west-1', 'us-east-1', 'us-west-2', 'ap-south-1'];

/** Facts about a span that was sent. Searches use them to have results. */
export interface SeedSpan {
  traceId: string;
  spanId: string;
  parentId: string | null;
  operation: 'agent' | 'chat' | 'tool';
  startMs: number;
  durationMs: number;
  failed: boolean;
  user: string;
  region: string;
  /** Empty unless it is a tool. */
  tool: string;
  /** Empty unless it is a chat. */
  provider: string;
  model: string;
  input: string;
  output: string;
}

/** The first is used most. */
const skewed = <T>(list: readonly T[]): T => list[Math.floor(random() ** 2 * list.length)]!;
const between = (low: number, high: number) => low + Math.floor(random() * (high - low + 1));
/** Most are short and few are very long. */
const milliseconds = (shortest: number) => Math.round(shortest * Math.exp(random() * 4));

/** A trace of so many spans, somewhere in the last 90 days: agents, their chats and their tools, by start. */
export function seedTrace(spans: number, { fails = false } = {}): SeedSpan[] {
  const common = { traceId: traceId(), user: `user-${between(0, 999)}`, region: skewed(REGIONS) };
  let startMs = Date.now() - Math.floor(random() * DAYS * 86_400_000);
  const seeds: SeedSpan[] = [];
  for (let position = 0; position < spans; position++) {
    const agent = position % PER_AGENT === 0 ? seeds[0] : seeds[position - (position % PER_AGENT)];
    const seed = seedSpan(position);
    // The first tool of a trace that fails does for certain.
    const failed = fails && seed.operation === 'tool' && (position === 1 || random() < 0.1);
    seeds.push({ ...common, ...seed, parentId: agent?.spanId ?? null, startMs, failed });
    startMs += between(5, 500);
  }
  return seeds;
}

function seedSpan(position: number): Omit<SeedSpan, 'traceId' | 'user' | 'region' | 'parentId' | 'startMs' | 'failed'> {
  const operation = position % PER_AGENT === 0 ? 'agent' : position % 2 === 0 ? 'chat' : 'tool';
  const [provider, model] = operation === 'chat' ? skewed(MODELS) : ['', ''];
  const length = operation === 'chat' ? 400 : 150;
  return {
    spanId: spanId(),
    operation,
    durationMs: milliseconds(operation === 'tool' ? 20 : 200),
    tool: operation === 'tool' ? skewed(TOOLS) : '',
    provider,
    model,
    input: prose(length),
    output: prose(length),
  };
}

/** The span as it is sent. */
export function toOtlp(seed: SeedSpan): JsonSpan {
  const startNs = BigInt(seed.startMs) * MS;
  return {
    traceId: seed.traceId,
    spanId: seed.spanId,
    ...(seed.parentId !== null && { parentSpanId: seed.parentId }),
    name: nameOf(seed),
    kind: seed.operation === 'agent' ? 1 : 3,
    startTimeUnixNano: String(startNs),
    endTimeUnixNano: String(startNs + BigInt(seed.durationMs) * MS),
    status: seed.failed ? { code: 2, message: 'The service did not answer in time.' } : { code: 1 },
    attributes: [
      ...Object.entries({ ...commonTexts(seed), ...ownTexts(seed) }).map(([key, value]) => text(key, value)),
      ...numbersOf(seed),
    ],
  };
}

function nameOf({ operation, model, tool }: SeedSpan): string {
  return { agent: 'invoke_agent support', chat: `chat ${model}`, tool: `execute_tool ${tool}` }[operation];
}

/** The one value that no other trace has. Copies have one of their own, made in the same way. */
export const SESSION = 'session-';

function commonTexts({ traceId: id, user, region, operation }: SeedSpan): Record<string, string> {
  return {
    'gen_ai.operation.name': { agent: 'invoke_agent', chat: 'chat', tool: 'execute_tool' }[operation],
    'session.id': `${SESSION}${id}`,
    'user.id': user,
    'deployment.region': region,
    'app.release': '2026.1.3',
    'app.feature': operation === 'agent' ? 'planning' : 'answering',
    'thread.name': 'worker-3',
  };
}

function ownTexts({ operation, provider, model, tool, input, output }: SeedSpan): Record<string, string> {
  const said = (role: string, content: string) => JSON.stringify([{ role, parts: [{ type: 'text', content }] }]);
  const ofModel = {
    'gen_ai.input.messages': said('user', input),
    'gen_ai.output.messages': said('assistant', output),
  };
  if (operation === 'agent') return { 'gen_ai.agent.name': 'support', ...ofModel };
  if (operation === 'chat') return { 'gen_ai.provider.name': provider, 'gen_ai.request.model': model, ...ofModel };
  return {
    'gen_ai.tool.name': tool,
    'gen_ai.tool.type': 'function',
    'gen_ai.tool.call.arguments': JSON.stringify({ query: input, limit: 20 }),
    'gen_ai.tool.call.result': JSON.stringify({ hits: [output] }),
  };
}

function numbersOf({ operation, failed }: SeedSpan): object[] {
  const number = (key: string, intValue: number) => ({ key, value: { intValue } });
  if (operation === 'agent') return [];
  if (operation === 'tool') return [number('http.response.status_code', failed ? 504 : 200)];
  return [
    number('gen_ai.usage.input_tokens', between(200, 3000)),
    number('gen_ai.usage.output_tokens', between(50, 750)),
  ];
}
