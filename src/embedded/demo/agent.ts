import { type Attributes, KIND, type OtlpSpan, span, textMessage } from './spans.js';

const MODEL = 'gpt-4o';
const WHO = { 'user.id': 'kofi', 'session.id': 'claim-311', 'gen_ai.conversation.id': 'claim-311' };
const QUESTION = 'Two of the six glasses in order 48377 are broken. Please send new ones, or refund me.';
const ANSWER =
  'I am sorry about the glasses. They are sold out, so I have refunded two of the six: 9.80 euros arrive within five working days. You need not send anything back.';

/** A span with its own time in milliseconds, its attributes, and the steps inside it, one after the other. */
interface Step {
  name: string;
  ms: number;
  kind?: number;
  attributes: Attributes;
  error?: string;
  steps?: Step[];
}

/** An agent at work: it plans, looks things up, hands over to a second agent, meets a failure, and answers. One trace of 19 spans. */
export function agentTrace(startMs: number): OtlpSpan[] {
  return spansOf(CLAIM, startMs);
}

function spansOf(step: Step, startMs: number, parent?: OtlpSpan): OtlpSpan[] {
  const { name, kind = KIND.internal, attributes, error, steps = [] } = step;
  const own = span({
    parent,
    name,
    kind,
    startMs,
    durationMs: durationOf(step),
    attributes: { ...WHO, ...attributes },
    error,
  });
  let at = startMs + PAUSE_MS;
  return [
    own,
    ...steps.flatMap((each) => {
      const spans = spansOf(each, at, own);
      at += durationOf(each) + PAUSE_MS;
      return spans;
    }),
  ];
}

/** Between two steps. */
const PAUSE_MS = 4;

function durationOf({ ms, steps = [] }: Step): number {
  return ms + steps.reduce((sum, step) => sum + durationOf(step) + PAUSE_MS, steps.length > 0 ? PAUSE_MS : 0);
}

function call(ms: number, input: string, output: string, [inputTokens, outputTokens]: [number, number]): Step {
  const attributes = {
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': 'openai',
    'gen_ai.request.model': MODEL,
    'gen_ai.response.model': MODEL,
    'gen_ai.response.finish_reasons': ['stop'],
    'gen_ai.input.messages': JSON.stringify([textMessage('user', input)]),
    'gen_ai.output.messages': JSON.stringify([{ ...textMessage('assistant', output), finish_reason: 'stop' }]),
    'gen_ai.usage.input_tokens': inputTokens,
    'gen_ai.usage.output_tokens': outputTokens,
  };
  return { name: `chat ${MODEL}`, ms, kind: KIND.client, attributes };
}

function tool(
  name: string,
  values: object,
  result: object,
  within: { ms: number; steps?: Step[]; error?: string },
): Step {
  const attributes = {
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': name,
    'gen_ai.tool.call.arguments': JSON.stringify(values),
    'gen_ai.tool.call.result': JSON.stringify(result),
  };
  return { name: `execute_tool ${name}`, attributes, ...within };
}

function agent(name: string, steps: Step[], input: string): Step {
  const attributes = { 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.agent.name': name, 'input.value': input };
  return { name: `invoke_agent ${name}`, ms: 6, attributes, steps };
}

function request(method: string, path: string, ms: number, status = 200): Step {
  const attributes = { 'http.request.method': method, 'url.path': path, 'http.response.status_code': status };
  const error = status < 500 ? undefined : `${status} Service Unavailable`;
  return { name: `${method} ${path}`, ms, kind: KIND.client, attributes, error };
}

const query = (table: string, ms: number): Step => ({
  name: `SELECT ${table}`,
  ms,
  kind: KIND.client,
  attributes: { 'db.system.name': 'postgresql', 'db.operation.name': 'SELECT', 'db.collection.name': table },
});

const SEARCH: Step = {
  name: 'search help center',
  ms: 9,
  attributes: {
    'gen_ai.operation.name': 'retrieval',
    'gen_ai.data_source.id': 'help-center',
    'retrieval.query': 'broken glass refund',
    'retrieval.documents': ['damaged-goods', 'refund-times'],
  },
  steps: [
    {
      name: 'embeddings text-embedding-3-small',
      ms: 84,
      kind: KIND.client,
      attributes: {
        'gen_ai.operation.name': 'embeddings',
        'gen_ai.provider.name': 'openai',
        'gen_ai.request.model': 'text-embedding-3-small',
        'gen_ai.usage.input_tokens': 6,
      },
    },
    query('articles', 12),
  ],
};

const REFUND = agent(
  'refunds',
  [
    call(690, 'Order 48377, two of six glasses broken. Policy: refund-times.', 'Refund 2 of 6: 9.80 euros.', [412, 58]),
    tool(
      'issue_refund',
      { order: 48377, cents: 980 },
      {},
      {
        ms: 5,
        error: 'The payment service did not answer',
        steps: [request('POST', '/payments/refunds', 1010, 503)],
      },
    ),
    tool(
      'issue_refund',
      { order: 48377, cents: 980 },
      { refund: 'rf_2207', cents: 980 },
      {
        ms: 5,
        steps: [request('POST', '/payments/refunds', 240)],
      },
    ),
  ],
  'Refund what is broken in order 48377',
);

const CLAIM: Step = {
  name: 'settle claim',
  ms: 12,
  kind: KIND.server,
  attributes: { 'http.route': '/claims', 'input.value': QUESTION, 'output.value': ANSWER },
  steps: [
    agent(
      'claims',
      [
        call(
          820,
          QUESTION,
          'Plan: look up the order and the policy, check the stock, then replace or refund.',
          [356, 71],
        ),
        tool(
          'look_up_order',
          { order: 48377 },
          { items: 'glass, 6 pieces', cents: 2940 },
          { ms: 4, steps: [query('orders', 9), query('order_items', 14)] },
        ),
        SEARCH,
        tool('check_stock', { item: 'glass' }, { in_stock: 0 }, { ms: 3, steps: [request('GET', '/stock/glass', 47)] }),
        REFUND,
        call(960, 'Stock: 0. Refunded: 9.80 euros as rf_2207. Write to the customer.', ANSWER, [533, 49]),
      ],
      QUESTION,
    ),
    {
      name: 'check tone',
      ms: 31,
      attributes: { 'openinference.span.kind': 'GUARDRAIL', 'output.value': 'friendly, 0.94' },
    },
  ],
};
