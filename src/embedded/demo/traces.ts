import { EXAMPLE_SPAN_ID, EXAMPLE_TRACE_ID } from '../../platform/example-data.js';
import { type Conversation, CONVERSATIONS } from './conversations.js';
import { INSTRUCTIONS, PROMPT_NAME } from './prompt.js';
import { exportOf, KIND, type OtlpSpan, span, textMessage, type Timing } from './spans.js';

/** The service that the example spans come from. */
export const ASSISTANT = 'support-assistant';

const TRACE_EVERY_MS = 4.5 * 60_000;

/**
 * An OTLP/JSON export of a small support assistant: one trace per conversation, spread over the hour before `now`
 * (milliseconds since the epoch), with the OpenTelemetry attributes for generative models.
 */
export function demoTraces(now: number): { resourceSpans: unknown[] } {
  const told = CONVERSATIONS.flatMap((conversation, index) =>
    conversationSpans(conversation, now - (CONVERSATIONS.length - index) * TRACE_EVERY_MS),
  );
  const spans = withExampleIds(told, told.at(-1)!.traceId);
  return exportOf(ASSISTANT, spans);
}

/** The examples of the OpenAPI document name the latest trace and its first span. */
function withExampleIds(spans: OtlpSpan[], latest: string): OtlpSpan[] {
  const first = spans.find(({ traceId, parentSpanId }) => traceId === latest && parentSpanId === undefined)!.spanId;
  const known = (id: string) => (id === first ? EXAMPLE_SPAN_ID : id);
  return spans.map((each) => {
    if (each.traceId !== latest) return each;
    const { spanId, parentSpanId } = each;
    const parent = parentSpanId === undefined ? {} : { parentSpanId: known(parentSpanId) };
    return { ...each, traceId: EXAMPLE_TRACE_ID, spanId: known(spanId), ...parent };
  });
}

/** The root, the retrieval below it, and one span per call of a model: two where the first one failed. */
export function conversationSpans(conversation: Conversation, startMs: number): OtlpSpan[] {
  const { user, session, question, searchMs, modelMs, failure } = conversation;
  const who = { 'user.id': user, 'session.id': session, 'gen_ai.conversation.id': session };
  const failedMs = failure ? failure.afterMs : 0;
  const root = span({
    name: 'answer customer',
    kind: KIND.server,
    startMs,
    durationMs: 20 + searchMs + failedMs + modelMs,
    attributes: { ...who, 'http.route': '/support/ask', 'input.value': question },
  });
  const search = searchSpan(root, conversation, { startMs: startMs + 5, durationMs: searchMs });
  const modelStart = startMs + 10 + searchMs;
  const failed = failure && failedCallSpan(root, conversation, { startMs: modelStart, durationMs: failedMs });
  const answer = answerSpan(root, conversation, { startMs: modelStart + failedMs, durationMs: modelMs });
  return [root, search, ...(failed ? [failed] : []), answer];
}

function searchSpan(parent: OtlpSpan, { question, documents }: Conversation, timing: Timing): OtlpSpan {
  const attributes = {
    'gen_ai.operation.name': 'retrieval',
    'gen_ai.data_source.id': 'help-center',
    'retrieval.query': question,
    'retrieval.documents': documents,
  };
  return span({ ...timing, parent, name: 'search help center', kind: KIND.internal, attributes });
}

function answerSpan(parent: OtlpSpan, conversation: Conversation, timing: Timing): OtlpSpan {
  const { provider, model, answer, inputTokens, outputTokens } = conversation;
  const attributes = {
    ...requestAttributes(conversation, provider, model),
    'gen_ai.response.model': model,
    'gen_ai.response.finish_reasons': ['stop'],
    'gen_ai.output.messages': JSON.stringify([{ ...textMessage('assistant', answer), finish_reason: 'stop' }]),
    'gen_ai.usage.input_tokens': inputTokens,
    'gen_ai.usage.output_tokens': outputTokens,
  };
  return span({ ...timing, parent, name: `chat ${model}`, kind: KIND.client, attributes });
}

function failedCallSpan(parent: OtlpSpan, conversation: Conversation, timing: Timing): OtlpSpan {
  const { provider, model, type, message } = conversation.failure!;
  const attributes = { ...requestAttributes(conversation, provider, model), 'error.type': type };
  return span({ ...timing, parent, name: `chat ${model}`, kind: KIND.client, attributes, error: message });
}

function requestAttributes({ user, session, question, documents }: Conversation, provider: string, model: string) {
  const input = [
    textMessage('system', INSTRUCTIONS),
    textMessage('user', `${question}\n\nDocuments: ${documents.join(', ')}`),
  ];
  return {
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': provider,
    'gen_ai.request.model': model,
    'gen_ai.request.temperature': 0.2,
    'gen_ai.request.max_tokens': 400,
    'gen_ai.input.messages': JSON.stringify(input),
    'gen_ai.conversation.id': session,
    'session.id': session,
    'user.id': user,
    'promptlayer.prompt.name': PROMPT_NAME,
    'promptlayer.prompt.label': 'production',
    'promptlayer.prompt.input_variables': JSON.stringify({ question, documents: documents.join(', ') }),
  };
}
