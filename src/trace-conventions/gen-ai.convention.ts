import type { NormalizedSpan } from './span.js';
import { SpanAttributes } from './attributes.js';
import type { Reading, TraceConvention } from './convention.js';
import { Convention } from './conventions.js';
import { eventMessages, genAiMessages, genAiTexts } from './gen-ai.messages.js';
import { decide } from './decision.js';
import { readAs } from './reading.js';

/**
 * OpenTelemetry's conventions for generative AI, the current and the former ones, and what every span that names a
 * model has in common with them. It is the most general convention, so it is asked last.
 */
@Convention({
  name: 'gen-ai',
  order: 100,
  rank: 0,
  senders:
    'The instrumentations of OpenTelemetry, the SDKs for this API, and all who follow its conventions for generative AI, in their current and their former words: OpenLIT, AutoGen and the Agent Framework, Strands Agents, Spring AI, LangChain4j, Portkey, Bifrost, Kong, Envoy, Helicone through OpenLLMetry, and others',
  words: {
    model: {
      requested: ['gen_ai.request.model', 'gen_ai.response.model'],
      answering: ['gen_ai.response.model'],
      called: ['gen_ai.request.model', 'gen_ai.response.model'],
    },
    provider: ['gen_ai.provider.name', 'gen_ai.system', 'gen_ai.model.provider'],
    usage: {
      prefixes: ['gen_ai.usage.'],
      objects: ['gen_ai.usage'],
      mixedPrefixes: ['gen_ai.'],
    },
    cost: { prefixes: ['gen_ai.usage.', 'gen_ai.cost.', 'gen_ai.'], objects: ['gen_ai.cost', 'gen_ai.usage.cost'] },
    user: ['user.id', 'enduser.id', ['gen_ai.user', 78]],
    conversation: ['gen_ai.conversation.id', 'session.id'],
    tags: ['promptlayer.tags'],
    parameters: {
      named: {
        temperature: ['gen_ai.request.temperature'],
        top_p: ['gen_ai.request.top_p'],
        top_k: ['gen_ai.request.top_k'],
        max_tokens: ['gen_ai.request.max_tokens'],
        frequency_penalty: ['gen_ai.request.frequency_penalty'],
        presence_penalty: ['gen_ai.request.presence_penalty'],
        seed: ['gen_ai.request.seed'],
        stop_sequences: ['gen_ai.request.stop_sequences'],
        choice_count: ['gen_ai.request.choice.count'],
        stream: ['gen_ai.request.stream', 'gen_ai.is_streaming'],
        encoding_formats: ['gen_ai.request.encoding_formats'],
        output_type: ['gen_ai.output.type'],
        service_tier: ['openai.request.service_tier'],
        reasoning_effort: ['gen_ai.request.reasoning_effort'],
        max_completion_tokens: ['gen_ai.request.max_completion_tokens'],
      },
      prefixes: ['gen_ai.openai.request.'],
      objects: ['gen_ai.request.extra_body'],
    },
    toolChoice: [['gen_ai.request.tool_choice', 21]],
    variables: ['promptlayer.prompt.input_variables'],
    finishReasons: ['gen_ai.response.finish_reasons', 'gen_ai.response.finish_reason'],
    responseIds: ['gen_ai.response.id'],
    messages: [genAiMessages],
    texts: [genAiTexts, eventMessages],
  },
})
export class GenAiConvention implements TraceConvention {
  readonly name = 'gen-ai';

  read(span: NormalizedSpan): Reading | null {
    const attributes = SpanAttributes.of(span);
    const decision = decide(span, attributes);
    if (decision === 'foreign' || decision === 'unknown') return null;
    return readAs(decision, span, attributes);
  }
}
