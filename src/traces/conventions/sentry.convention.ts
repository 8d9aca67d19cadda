import type { Reading, TraceConvention } from './convention.js';
import { Convention } from './conventions.js';
import { sentryMessages } from './sentry.messages.js';

/** Sentry: calls of models in the words of OpenTelemetry, with requests and answers under keys of its own. */
@Convention({
  name: 'sentry',
  order: 46,
  senders: 'The SDKs of Sentry, and senders that follow its conventions',
  words: {
    model: { requested: ['ai.model_id'], called: ['ai.model_id'] },
    usage: {
      counts: {
        input: ['ai.prompt_tokens.used'],
        output: ['ai.completion_tokens.used'],
        total: ['ai.total_tokens.used'],
      },
    },
    cost: { totals: ['ai.total_cost'] },
    parameters: {
      named: {
        temperature: ['ai.temperature'],
        top_p: ['ai.top_p'],
        top_k: ['ai.top_k'],
        seed: ['ai.seed'],
        frequency_penalty: ['ai.frequency_penalty'],
        presence_penalty: ['ai.presence_penalty'],
        stream: ['gen_ai.response.streaming', 'ai.streaming'],
      },
    },
    tools: [['gen_ai.request.available_tools'], ['ai.tools']],
    finishReasons: ['ai.finish_reason'],
    messages: [sentryMessages],
    marks: [
      { key: 'gen_ai.operation.type', llm: /^ai_client$/i, isOther: (kind) => /^(?:agent|tool|handoff)$/i.test(kind) },
      {
        key: 'sentry.op',
        llm: /^(?:gen_ai\.(?:chat|completion|text_completion|responses|messages|generate_\w+|stream_\w+)|ai\.chat_completions\..*)$/,
        isOther: (kind) => /^(?:gen_ai|ai|mcp)\./.test(kind),
      },
    ],
  },
})
export class SentryConvention implements TraceConvention {
  readonly name = 'sentry';

  read(): Reading | null {
    return null;
  }
}
