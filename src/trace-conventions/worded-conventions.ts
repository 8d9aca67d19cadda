import type { Type } from '@nestjs/common';
import type { NormalizedSpan } from './span.js';
import { cloudflareMessages } from './cloudflare.messages.js';
import type { Reading, TraceConvention } from './convention.js';
import { Convention, type ConventionOptions } from './conventions.js';
import { flattenedMessages } from './gen-ai.messages.js';
import { any, isAroundCalls } from './kind-marks.js';
import { langWatchMessages } from './langwatch.messages.js';
import { openRouterMessages } from './open-router.messages.js';
import { typeOfOtherOperation } from './operations.js';
import { readMarked } from './reading.js';
import { sentryMessages } from './sentry.messages.js';

/** A convention without code, which only has its own names of attributes. */
interface WordedConvention extends ConventionOptions {
  /**
   * Attributes by which the convention recognises a span. Without any, its words are read and it recognises no span.
   */
  recognisedBy?: string[];
}

/** The conventions that only have words, in the order in which they are asked. */
const WORDED: WordedConvention[] = [
  // OpenRouter exports every call that it routes in the words of OpenTelemetry, except for answers.
  {
    name: 'open-router',
    order: 45,
    senders: 'OpenRouter Broadcast',
    words: {
      metadata: [{ strength: 25, prefix: 'trace.metadata.' }],
      messages: [openRouterMessages],
    },
  },
  // Sentry: calls of models in the words of OpenTelemetry, with requests and answers under keys of its own.
  {
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
        {
          key: 'gen_ai.operation.type',
          llm: /^ai_client$/i,
          isOther: (kind) => /^(?:agent|tool|handoff)$/i.test(kind),
        },
        {
          key: 'sentry.op',
          llm: /^(?:gen_ai\.(?:chat|completion|text_completion|responses|messages|generate_\w+|stream_\w+)|ai\.chat_completions\..*)$/,
          isOther: (kind) => /^(?:gen_ai|ai|mcp)\./.test(kind),
        },
      ],
    },
  },
  // Semantic Kernel, whose older versions counted the tokens of the response.
  {
    name: 'semantic-kernel',
    order: 48,
    senders: 'Semantic Kernel before it counted in the words of today, and others of that time',
    words: {
      usage: { mixedPrefixes: ['gen_ai.response.', 'gen_ai.response.usage.'] },
      parameters: { named: { max_tokens: ['gen_ai.request.max_token'] } },
    },
  },
  // The gateway of Cloudflare: OpenTelemetry, with request and answer as JSON.
  {
    name: 'cloudflare',
    order: 49,
    senders: 'The AI Gateway of Cloudflare',
    words: {
      texts: [cloudflareMessages],
    },
  },
  // OpenLLMetry by Traceloop: calls name their type, everything around them names its kind.
  {
    name: 'open-llmetry',
    order: 50,
    rank: 15,
    senders: 'OpenLLMetry by Traceloop',
    recognisedBy: ['traceloop.span.kind', 'llm.request.type'],
    words: {
      usage: { prefixes: ['llm.usage.'] },
      cost: { prefixes: ['llm.usage.', 'llm.cost.'] },
      user: [['traceloop.association.properties.user_id', 21]],
      conversation: [['traceloop.association.properties.session_id', 21]],
      tags: ['traceloop.association.properties.tags'],
      metadata: [{ strength: 60, prefix: 'traceloop.association.properties.' }],
      parameters: {
        named: {
          top_k: ['llm.top_k'],
          frequency_penalty: ['llm.frequency_penalty'],
          presence_penalty: ['llm.presence_penalty'],
          stop_sequences: ['llm.chat.stop_sequences'],
          stream: ['llm.is_streaming'],
        },
      },
      variables: ['traceloop.prompt.template_variables'],
      messages: [flattenedMessages],
      marks: [
        // Present on workflows, tasks, agents and tools only.
        { key: 'traceloop.span.kind', llm: /^$/, isOther: any },
        {
          key: 'llm.request.type',
          llm: /^(?:chat|a?(?:text_)?completion|a?responses|anthropic_messages|a?generate_content(?:_stream)?)$/i,
          isOther: (kind) => typeOfOtherOperation(kind.toLowerCase()) !== null,
        },
      ],
      responseIds: ['llm.response.id', 'llm.response_id'],
      values: { input: ['traceloop.entity.input'], output: ['traceloop.entity.output'] },
    },
  },
  // Langtrace, in the words it had before it took those of OpenTelemetry.
  {
    name: 'langtrace',
    order: 52,
    senders: 'Langtrace',
    words: {
      model: { requested: ['llm.model'], called: ['llm.model'] },
      provider: ['langtrace.service.name'],
      usage: { objects: ['llm.token.counts'] },
      values: { output: ['llm.responses'] },
    },
  },
  // Laminar, whose calls have the words of OpenTelemetry and OpenLLMetry.
  {
    name: 'laminar',
    order: 54,
    senders: 'Laminar',
    recognisedBy: ['lmnr.span.type'],
    words: {
      user: [['lmnr.association.properties.user_id', 79]],
      conversation: [['lmnr.association.properties.session_id', 79]],
      tags: ['lmnr.association.properties.tags'],
      metadata: [{ strength: 16, prefix: 'lmnr.association.properties.metadata.' }],
      marks: [{ key: 'lmnr.span.type', llm: /^llm$/i, isOther: isAroundCalls }],
      values: { input: ['lmnr.span.input'], output: ['lmnr.span.output'] },
    },
  },
  // AgentOps, whose calls have the words of OpenTelemetry.
  {
    name: 'agentops',
    order: 55,
    senders: 'AgentOps',
    recognisedBy: ['agentops.span.kind'],
    words: {
      marks: [{ key: 'agentops.span.kind', llm: /^llm(?:\.call)?$/i, isOther: isAroundCalls }],
      values: { input: ['agentops.entity.input'], output: ['agentops.entity.output'] },
    },
  },
  // LangWatch: input, output and numbers are values with a type.
  {
    name: 'langwatch',
    order: 56,
    senders: 'LangWatch',
    recognisedBy: ['langwatch.span.type'],
    words: {
      usage: { objects: [['langwatch.metrics', 'value'], 'langwatch.metrics'] },
      cost: {
        mixedObjects: [['langwatch.metrics', 'value'], 'langwatch.metrics'],
      },
      user: [['langwatch.user.id', 79]],
      conversation: [['langwatch.thread.id', 79]],
      tags: ['langwatch.tags'],
      marks: [{ key: 'langwatch.span.type', llm: /^llm$/i, isOther: isAroundCalls }],
      messages: [langWatchMessages],
    },
  },
  // Judgment: the kind of a span, its numbers, its input and its output.
  {
    name: 'judgment',
    order: 57,
    senders: 'Judgment',
    recognisedBy: ['judgment.span_kind'],
    words: {
      model: { requested: ['judgment.llm.model'], called: ['judgment.llm.model'] },
      provider: ['judgment.llm.provider'],
      usage: { prefixes: ['judgment.usage.'] },
      cost: { prefixes: ['judgment.usage.'] },
      user: [['judgment.customer_user_id', 79]],
      conversation: [['judgment.session_id', 79]],
      marks: [{ key: 'judgment.span_kind', llm: /^llm$/i, isOther: isAroundCalls }],
      values: { input: ['judgment.input'], output: ['judgment.output'] },
    },
  },
  // OpenClaw, which counts the cache in a way of its own.
  {
    name: 'openclaw',
    order: 92,
    senders: 'The plugins of OpenClaw',
    words: {
      usage: { prefixes: ['openclaw.usage.', 'openclaw.tokens.'] },
      cost: { prefixes: ['openclaw.cost.', 'openclaw.usage.'] },
      conversation: [['openclaw.session.id', 80]],
    },
  },
  // Codex, whose spans are turns.
  {
    name: 'codex',
    order: 93,
    senders: 'Codex',
    words: {
      usage: { prefixes: ['codex.usage.', 'codex.turn.token_usage.'] },
    },
  },
  // Names that only mean something on a span that is known to be a call.
  {
    name: 'any-agent',
    order: 94,
    senders: 'any-agent, Pipecat, and senders whose input and output have no prefix',
    words: {
      values: {
        input: ['gen_ai.input', 'input', 'messages', 'prompt'],
        output: ['gen_ai.output', 'output', 'response', 'completion'],
      },
    },
  },
];

/** The class of such a convention. */
function toClass({ recognisedBy = [], ...options }: WordedConvention): Type<TraceConvention> {
  @Convention(options)
  class Worded implements TraceConvention {
    readonly name = options.name;

    read(span: NormalizedSpan): Reading | null {
      return recognisedBy.length === 0 ? null : readMarked(span, ...recognisedBy);
    }
  }
  return Worded;
}

export const WORDED_CONVENTIONS: Type<TraceConvention>[] = WORDED.map(toClass);
