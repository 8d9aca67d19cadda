import { isObject, type JsonObject, type JsonValue } from '../platform/json.js';
import type { NormalizedSpan } from './span.js';
import { SpanAttributes } from './attributes.js';
import type { Reading, TraceConvention } from './convention.js';
import { Convention } from './conventions.js';
import { isAroundCalls } from './kind-marks.js';
import { toText } from '../llm/messages/json-text.js';
import { openAiAgentsMessages } from './openai-agents.messages.js';
import { impliedModel, impliedUsage } from './payloads.js';
import { readRecognised } from './reading.js';

/**
 * OpenAI's agents SDK, as exported by the SDKs for this API: `openai_agents.*` holds facts that OpenTelemetry does not
 * name.
 */
@Convention({
  name: 'openai-agents',
  order: 65,
  senders: 'The OpenAI Agents SDK through the SDKs for this API',
  words: {
    conversation: ['openai_agents.group_id'],
    metadata: [{ strength: 30, prefix: 'openai_agents.metadata.' }],
    parameters: { objects: ['openai_agents.model_config_json'] },
    marks: [{ key: 'openai_agents.span_type', llm: /^(?:generation|response)$/i, isOther: isAroundCalls }],
    texts: [openAiAgentsMessages],
    values: { input: ['function_input'], output: ['function_output'] },
  },
})
export class OpenAiAgentsConvention implements TraceConvention {
  readonly name = 'openai-agents';

  read(span: NormalizedSpan): Reading | null {
    const attributes = SpanAttributes.of(span);
    if (!attributes.has('openai_agents.span_type')) return null;
    const answer = attributes.json('openai_agents.response.raw_json');
    const implied = {
      ...impliedUsage(attributes.json('openai_agents.generation.raw_output_json')),
      ...impliedUsage(answer),
      ...impliedModel(answer, attributes.json('openai_agents.model_config_json')),
      ...impliedSettings(answer),
      ...impliedError(attributes),
    };
    return readRecognised(span, attributes.withImplied(implied));
  }
}

/** Settings of the request, which a response repeats. */
function impliedSettings(answer: JsonValue | undefined): JsonObject {
  if (!isObject(answer)) return {};
  const { instructions, tools, tool_choice, temperature, top_p, max_output_tokens, reasoning } = answer;
  return {
    'gen_ai.system_instructions': instructions ?? null,
    'gen_ai.tool.definitions': tools ?? null,
    'gen_ai.request.tool_choice': tool_choice ?? null,
    'gen_ai.request.temperature': temperature ?? null,
    'gen_ai.request.top_p': top_p ?? null,
    'gen_ai.request.max_tokens': max_output_tokens ?? null,
    'gen_ai.request.reasoning_effort': isObject(reasoning) ? (reasoning.effort ?? null) : null,
  };
}

/** `{message, data}`. */
function impliedError(attributes: SpanAttributes): JsonObject {
  const error = attributes.json('openai_agents.error_json');
  if (error === undefined) return {};
  return { 'error.message': isObject(error) ? toText(error.message ?? error) : toText(error) };
}
