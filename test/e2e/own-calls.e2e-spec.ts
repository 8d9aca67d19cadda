import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { toLoggedCall } from '../../src/llm/records/logged-call.js';
import { OwnSpans } from '../../src/traces/index.js';
import { tries } from '../support/depth.js';
import { JSON_TYPE, span, spanId, text, traceId } from '../support/otlp.js';
import { logsOfTrace } from '../support/request-logs.js';
import { TestApp } from '../support/test-app.js';

let app: TestApp;
beforeAll(async () => {
  app = await TestApp.start();
});
afterAll(() => app.stop());

const START = Date.parse('2026-05-28T20:26:40Z');

const said = fc.oneof(fc.constantFrom('Hi', '木', 'a\nb', '{"a": 1}', ' spaced '), fc.string({ minLength: 1 }));
const calls = fc.record({
  model: fc.constantFrom('gpt-4o-mini', 'gpt-4.1', 'nobody-knows'),
  question: fc.array(said, { minLength: 1, maxLength: 3 }),
  answer: said,
  temperature: fc.option(fc.constantFrom(0, 0.5, 1)),
  tokens: fc.tuple(fc.nat(5000), fc.nat(5000)),
  durationMs: fc.nat(5000),
});
type Call = typeof calls extends fc.Arbitrary<infer T> ? T : never;

const turn = (role: string, said: string) => ({ role, content: [{ type: 'text', text: said }] });

/** Builds the call as the server records it. */
const ownCall = ({ model, question, answer, temperature, tokens: [input, output] }: Call) =>
  toLoggedCall({
    provider: 'openai',
    model,
    api_type: 'chat-completions',
    input: { type: 'chat', messages: question.map((each) => turn('user', each)) },
    output: { type: 'chat', messages: [turn('assistant', answer)] },
    request_start_time: START,
    request_end_time: START,
    parameters: temperature === null ? {} : { temperature },
    input_tokens: input,
    output_tokens: output,
    price: 0,
    function_name: 'chat',
  } as unknown as Parameters<typeof toLoggedCall>[0]).call;

/** Builds the span that an instrumented client reports for the call. */
function reported({ model, question, answer, temperature, tokens: [input, output], durationMs }: Call, id: string) {
  const messages = (role: string, texts: string[]) =>
    JSON.stringify(texts.map((content) => ({ role, parts: [{ type: 'text', content }] })));
  const number = (key: string, intValue: number) => ({ key, value: { intValue } });
  return span({
    name: 'chat',
    traceId: id,
    spanId: spanId(),
    kind: 3,
    startTimeUnixNano: `${START}000000`,
    endTimeUnixNano: `${START + durationMs}000000`,
    attributes: [
      text('gen_ai.operation.name', 'chat'),
      text('gen_ai.provider.name', 'openai'),
      text('gen_ai.request.model', model),
      text('gen_ai.input.messages', messages('user', question)),
      text('gen_ai.output.messages', messages('assistant', [answer])),
      number('gen_ai.usage.input_tokens', input),
      number('gen_ai.usage.output_tokens', output),
      ...(temperature === null ? [] : [{ key: 'gen_ai.request.temperature', value: { doubleValue: temperature } }]),
    ],
  });
}

/** Fields in which two records of one call must be equal. */
type Log = Record<string, unknown>;
const COMPARED = [
  'provider',
  'model',
  'function_name',
  'input_tokens',
  'output_tokens',
  'price',
  'priced',
  'latency_ms',
  'status',
  'error_message',
  'request_start_time',
  'api_type',
];
interface Blueprint {
  metadata: { model: object };
  prompt_template: { messages: { role: string; content: unknown }[] };
}
function compared(log: Log): Log {
  const { metadata, prompt_template: prompt } = log.prompt_blueprint as Blueprint;
  const messages = prompt.messages.map(({ role, content }) => ({ role, content }));
  return { ...Object.fromEntries(COMPARED.map((name) => [name, log[name]])), model: metadata.model, messages };
}

it('are recorded as the same calls are that a client reports in spans', async () => {
  const me = await app.stranger();
  const [{ id: workspaceId }] = (await app.sql('SELECT max(id)::int AS id FROM workspaces')) as [{ id: number }];
  const own = app.app.get(OwnSpans, { strict: false });
  await fc.assert(
    fc.asyncProperty(calls, async (call) => {
      const [mine, theirs] = [traceId(), traceId()];
      const body = { resourceSpans: [{ scopeSpans: [{ spans: [reported(call, theirs)] }] }] };
      await me.with(JSON_TYPE).request('POST', '/v1/traces', JSON.stringify(body));
      const times = { startMs: START, endMs: START + call.durationMs };
      const ids = { traceId: mine, spanId: spanId(), parentId: null };
      await own.store({ workspaceId, origin: 'sheet' }, [
        { ...ids, ...times, name: 'chat', error: null, attributes: {}, call: ownCall(call) },
      ]);
      const [[recorded], [read]] = await Promise.all([logsOfTrace<Log>(me, mine), logsOfTrace<Log>(me, theirs)]);
      expect(compared(recorded!)).toEqual(compared(read!));
    }),
    { numRuns: tries(40) },
  );
});
