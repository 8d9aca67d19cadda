import type { JsonObject } from '../../platform/json.js';
import { setOwn } from '../otlp/json-objects.js';
import type { SpanAttributes } from './attributes.js';

/** Where each parameter is found, best source first. */
const PARAMETER_KEYS: Readonly<Record<string, string[]>> = {
  temperature: ['gen_ai.request.temperature'],
  top_p: ['gen_ai.request.top_p'],
  top_k: ['gen_ai.request.top_k', 'llm.top_k'],
  max_tokens: ['gen_ai.request.max_tokens'],
  frequency_penalty: ['gen_ai.request.frequency_penalty', 'llm.frequency_penalty'],
  presence_penalty: ['gen_ai.request.presence_penalty', 'llm.presence_penalty'],
  seed: ['gen_ai.request.seed'],
  stop_sequences: ['gen_ai.request.stop_sequences', 'llm.chat.stop_sequences'],
  choice_count: ['gen_ai.request.choice.count'],
  stream: ['gen_ai.request.stream', 'llm.is_streaming'],
  encoding_formats: ['gen_ai.request.encoding_formats'],
  output_type: ['gen_ai.output.type'],
  service_tier: ['openai.request.service_tier'],
};

const OPENAI_PREFIX = 'gen_ai.openai.request.';

/** The parameters of the request by their names in snake_case, without the prefixes of the convention. */
export function readParameters(attributes: SpanAttributes): JsonObject {
  const parameters: JsonObject = {};
  for (const [name, keys] of Object.entries(PARAMETER_KEYS)) {
    const key = keys.find((candidate) => attributes.has(candidate));
    if (key !== undefined) parameters[name] = attributes.json(key) ?? null;
  }
  for (const [name] of attributes.below(OPENAI_PREFIX)) {
    const value = attributes.json(OPENAI_PREFIX + name);
    if (value !== undefined && !Object.hasOwn(parameters, name)) setOwn(parameters, name, value);
  }
  return parameters;
}
