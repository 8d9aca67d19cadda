import { openAiCompatible } from '../calls/openai-client.js';
import type { JsonObject } from '../../platform/json.js';
import type { ModelCall, ModelProviderPlugin } from './model-provider.js';
import { ModelProvider } from './model-providers.js';
import { type ChatDialect, chatKwargs, imageUrlPart } from '../formats/openai-chat/write.js';
import { completionKwargs } from '../formats/openai-chat/openai-completions.js';
import { CHAT_NAMES } from '../formats/shared/parameter-names.js';
import type { ParameterNames } from '../formats/shared/parameters.js';

const HUGGINGFACE_DIALECT: ChatDialect = {
  developer: false,
  names: 'speakers',
  functions: false,
  strict: true,
  media: (media) => (media.kind === 'image' ? imageUrlPart(media) : null),
};

const SERVICE = openAiCompatible('https://router.huggingface.co/v1');

@ModelProvider({ name: 'huggingface' })
export class HuggingFaceProvider implements ModelProviderPlugin {
  readonly call = SERVICE.call;
  readonly stream = SERVICE.stream;
  readonly embed = SERVICE.embed;

  toKwargs(call: ModelCall): JsonObject {
    return call.prompt.type === 'chat' ? chatKwargs(call, HUGGINGFACE_DIALECT) : completionKwargs(call);
  }

  parameterNames(): ParameterNames {
    return CHAT_NAMES;
  }
}
