import { withoutCredentials } from '../../platform/credentials.js';
import { isObject, type JsonObject, type JsonValue, setOwn } from '../../platform/json.js';
import { type SpanAttributes, toNumber } from './attributes.js';

/** Where each parameter is found, best source first. */
const PARAMETER_KEYS: [name: string, keys: string[]][] = Object.entries({
  temperature: ['gen_ai.request.temperature', 'langsmith.metadata.ls_temperature'],
  top_p: ['gen_ai.request.top_p'],
  top_k: ['gen_ai.request.top_k', 'llm.top_k'],
  max_tokens: ['gen_ai.request.max_tokens', 'langsmith.metadata.ls_max_tokens'],
  frequency_penalty: ['gen_ai.request.frequency_penalty', 'llm.frequency_penalty'],
  presence_penalty: ['gen_ai.request.presence_penalty', 'llm.presence_penalty'],
  seed: ['gen_ai.request.seed'],
  stop_sequences: ['gen_ai.request.stop_sequences', 'llm.chat.stop_sequences'],
  choice_count: ['gen_ai.request.choice.count'],
  stream: ['gen_ai.request.stream', 'llm.is_streaming', 'gen_ai.is_streaming'],
  encoding_formats: ['gen_ai.request.encoding_formats'],
  output_type: ['gen_ai.output.type'],
  service_tier: ['openai.request.service_tier'],
  reasoning_effort: ['gen_ai.request.reasoning_effort'],
  max_completion_tokens: ['gen_ai.request.max_completion_tokens'],
});

/** Those of them that are texts. The others are numbers and truth values, which some SDKs send as texts. */
const TEXTS = new Set(['stop_sequences', 'encoding_formats', 'output_type', 'service_tier', 'reasoning_effort']);

/** Every attribute below these is a parameter by its name. */
const PREFIXES = ['gen_ai.openai.request.', 'ai.settings.'];

/** Attributes that hold parameters as one object. */
const OBJECT_KEYS = [
  'llm.invocation_parameters',
  'gen_ai.request.extra_body',
  'langfuse.observation.model.parameters',
  'model_request_parameters',
];

/** What a request holds besides its parameters. */
const NO_PARAMETERS = new Set(['model', 'messages', 'input', 'contents', 'tools', 'functions', 'function_tools']);

/** Names that differ in more than their spelling. */
const OTHER_NAMES = new Map([['max_output_tokens', 'max_tokens']]);

/** The parameters of the request by their names in snake_case, without the prefixes of the convention. */
export function readParameters(attributes: SpanAttributes): JsonObject {
  const parameters: JsonObject = {};
  const add = (name: string, value: JsonValue | undefined): void => {
    if (value === undefined || value === null || value === '') return;
    if (!NO_PARAMETERS.has(name) && !Object.hasOwn(parameters, name)) setOwn(parameters, name, value);
  };
  for (const [name, keys] of attributes.among(PARAMETER_KEYS, ([, keys]) => keys)) {
    const key = keys.find((candidate) => attributes.has(candidate));
    if (key !== undefined) add(name, fromText(name, attributes.json(key)));
  }
  for (const prefix of PREFIXES) {
    for (const [name] of attributes.below(prefix)) add(parameterName(name), attributes.json(prefix + name));
  }
  for (const key of attributes.present(OBJECT_KEYS)) {
    const object = withoutCredentials(attributes.json(key) ?? null);
    if (isObject(object)) for (const [name, value] of Object.entries(object)) add(parameterName(name), value);
  }
  return parameters;
}

/** What a parameter is that was written as text. */
function fromText(name: string, value: JsonValue | undefined): JsonValue | undefined {
  if (typeof value !== 'string' || TEXTS.has(name)) return value;
  if (/^(?:true|false)$/i.test(value)) return value.toLowerCase() === 'true';
  return toNumber(value) ?? value;
}

/** `maxOutputTokens` is `max_tokens`. */
function parameterName(name: string): string {
  const snake = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return OTHER_NAMES.get(snake) ?? snake;
}
