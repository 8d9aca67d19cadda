import type { ParameterNames } from './parameters.js';

/**
 * Vendors' names of parameters. Where a list holds two names, the vendor accepts either: an override under one of them
 * keeps it, and everything else is translated to the first.
 */

const SAMPLING: ParameterNames = { temperature: ['temperature'], topP: ['top_p'], stream: ['stream'] };

const PENALTIES: ParameterNames = {
  frequencyPenalty: ['frequency_penalty'],
  presencePenalty: ['presence_penalty'],
};

/** Servers that speak the chat API of OpenAI. The older name of the token limit is the one that all of them support. */
export const CHAT_NAMES: ParameterNames = {
  ...SAMPLING,
  ...PENALTIES,
  maxTokens: ['max_tokens', 'max_completion_tokens'],
  stop: ['stop'],
  seed: ['seed'],
  responseFormat: ['response_format'],
  reasoningEffort: ['reasoning_effort'],
  parallelToolCalls: ['parallel_tool_calls'],
  choices: ['n'],
  user: ['user'],
};

export const OPENAI_CHAT_NAMES: ParameterNames = { ...CHAT_NAMES, maxTokens: ['max_completion_tokens', 'max_tokens'] };

/** The format and the effort are moved to `text` and `reasoning` when the arguments are built. */
export const OPENAI_RESPONSES_NAMES: ParameterNames = {
  ...SAMPLING,
  maxTokens: ['max_output_tokens'],
  responseFormat: ['response_format'],
  reasoningEffort: ['reasoning_effort'],
  parallelToolCalls: ['parallel_tool_calls'],
  user: ['user'],
};

/** The format of the answer is the format of the files here. */
export const IMAGE_NAMES: ParameterNames = { choices: ['n'], user: ['user'], stream: ['stream'] };

/** Legacy endpoint for completions. */
export const OPENAI_COMPLETION_NAMES: ParameterNames = {
  ...SAMPLING,
  ...PENALTIES,
  maxTokens: ['max_tokens'],
  stop: ['stop'],
  seed: ['seed'],
  choices: ['n'],
  user: ['user'],
};

/** The format moves to `output_config` when the arguments are built. */
export const ANTHROPIC_NAMES: ParameterNames = {
  ...SAMPLING,
  maxTokens: ['max_tokens'],
  topK: ['top_k'],
  stop: ['stop_sequences'],
  responseFormat: ['response_format'],
};

/** Legacy endpoint for completions. */
export const ANTHROPIC_COMPLETION_NAMES: ParameterNames = {
  ...SAMPLING,
  maxTokens: ['max_tokens_to_sample'],
  topK: ['top_k'],
  stop: ['stop_sequences'],
};

/** The format becomes `response_mime_type` and `response_schema` when the arguments are built. */
export const GOOGLE_NAMES: ParameterNames = {
  ...SAMPLING,
  ...PENALTIES,
  maxTokens: ['max_output_tokens'],
  topK: ['top_k'],
  stop: ['stop_sequences'],
  seed: ['seed'],
  choices: ['candidate_count'],
  responseFormat: ['response_format'],
};

export const MISTRAL_NAMES: ParameterNames = {
  ...SAMPLING,
  ...PENALTIES,
  maxTokens: ['max_tokens'],
  stop: ['stop'],
  seed: ['random_seed'],
  responseFormat: ['response_format'],
  parallelToolCalls: ['parallel_tool_calls'],
  choices: ['n'],
};

export const COHERE_NAMES: ParameterNames = {
  ...PENALTIES,
  temperature: ['temperature'],
  stream: ['stream'],
  maxTokens: ['max_tokens'],
  topP: ['p'],
  topK: ['k'],
  stop: ['stop_sequences'],
  seed: ['seed'],
  responseFormat: ['response_format'],
};

export const OPENROUTER_NAMES: ParameterNames = { ...CHAT_NAMES, topK: ['top_k'] };

/** Converse takes these in `inferenceConfig`; parameters of single models are placed beside them. */
export const BEDROCK_NAMES: ParameterNames = {
  temperature: ['temperature'],
  topP: ['topP'],
  maxTokens: ['maxTokens'],
  stop: ['stopSequences'],
  stream: ['stream'],
};
