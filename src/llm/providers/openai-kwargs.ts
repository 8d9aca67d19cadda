import type { JsonObject } from '../../platform/json.js';
import type { ModelCall } from './model-provider.js';
import { openAiLikeKwargs } from '../formats/openai-chat/write.js';
import { completionKwargs } from '../formats/openai-chat/openai-completions.js';
import { responsesKwargs } from '../formats/openai-responses/write.js';
import {
  IMAGE_NAMES,
  OPENAI_CHAT_NAMES,
  OPENAI_COMPLETION_NAMES,
  OPENAI_RESPONSES_NAMES,
} from '../formats/shared/parameter-names.js';
import { adaptNames, type ParameterNames } from '../formats/shared/parameters.js';

/** The API type of prompts for OpenAI that do not set one. */
export const DEFAULT_API_TYPE = 'chat-completions';

/** Arguments for OpenAI's client: for its endpoint for responses, images, completions, and for chats otherwise. */
export function openAiKwargs(call: ModelCall): JsonObject {
  if (call.apiType === 'responses') return responsesKwargs(call);
  if (call.apiType === 'images') return completionKwargs(call);
  if (call.prompt.type === 'chat') return openAiLikeKwargs(call);
  // The legacy endpoint only accepts the older name of the token limit.
  return completionKwargs({ ...call, parameters: adaptNames(OPENAI_COMPLETION_NAMES, call.parameters) });
}

export function openAiParameterNames(apiType: string | null): ParameterNames {
  if (apiType === 'responses') return OPENAI_RESPONSES_NAMES;
  return apiType === 'images' ? IMAGE_NAMES : OPENAI_CHAT_NAMES;
}
