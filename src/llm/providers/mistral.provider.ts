import { openAiCompatible } from '../calls/openai-client.js';
import type { JsonObject } from '../../platform/json.js';
import { type Media, mediaAddress } from '../formats/shared/media.js';
import type { ModelCall, ModelProviderPlugin } from './model-provider.js';
import { ModelProvider } from './model-providers.js';
import { type ChatDialect, chatKwargs, imageUrlPart } from '../formats/openai-chat/write.js';
import { MISTRAL_NAMES } from '../formats/shared/parameter-names.js';
import type { ParameterNames } from '../formats/shared/parameters.js';

const MISTRAL_DIALECT: ChatDialect = {
  developer: false,
  names: 'tools',
  functions: false,
  strict: true,
  media: mistralMedia,
};

const SERVICE = openAiCompatible('https://api.mistral.ai/v1', { asksForUsage: false });

/** A completion becomes a chat: the client has no other call. */
@ModelProvider({ name: 'mistral', needsDialogue: true })
export class MistralProvider implements ModelProviderPlugin {
  readonly call = SERVICE.call;
  readonly stream = SERVICE.stream;
  readonly embed = SERVICE.embed;

  toKwargs(call: ModelCall): JsonObject {
    return chatKwargs(call, MISTRAL_DIALECT);
  }

  parameterNames(): ParameterNames {
    return MISTRAL_NAMES;
  }
}

function mistralMedia(media: Media): JsonObject | null {
  const address = mediaAddress(media);
  if (address === null) return null;
  if (media.kind === 'image') return imageUrlPart(media);
  if (media.kind === 'audio') return { type: 'input_audio', input_audio: media.data ?? address };
  return media.kind === 'file' ? { type: 'document_url', document_url: address } : null;
}
