import { openAiCompatible } from '../calls/openai-client.js';
import type { JsonObject } from '../../platform/json.js';
import type { ContentPart } from '../shared/blueprint.js';
import { type AssistantTurn, promptText } from '../formats/shared/conversation.js';
import { compact, objectsIn, textOrNull } from '../shared/json-reading.js';
import { audioPart, type ChatDialect, chatKwargs, imageUrlPart } from '../formats/openai-chat/write.js';
import { completionKwargs } from '../formats/openai-chat/openai-completions.js';
import { type Media, mediaAddress } from '../formats/shared/media.js';
import type { ModelCall, ModelProviderPlugin } from './model-provider.js';
import { ModelProvider } from './model-providers.js';
import { IMAGE_NAMES, OPENROUTER_NAMES } from '../formats/shared/parameter-names.js';
import type { ParameterNames } from '../formats/shared/parameters.js';
import { builtInTools } from '../formats/shared/tools.js';

const OPENROUTER_DIALECT: ChatDialect = {
  developer: true,
  names: 'speakers',
  functions: false,
  strict: true,
  media: openRouterMedia,
  assistant: (turn) => compact({ reasoning: thoughtsOf(turn) }),
};

const SERVICE = openAiCompatible('https://openrouter.ai/api/v1');

/** Chats, unless `api_type` is images, video or speech, which take one text. */
@ModelProvider({ name: 'openrouter' })
export class OpenRouterProvider implements ModelProviderPlugin {
  readonly call = SERVICE.call;
  readonly stream = SERVICE.stream;
  readonly embed = SERVICE.embed;

  toKwargs(call: ModelCall): JsonObject {
    switch (call.apiType) {
      case 'images':
      case 'video':
        return completionKwargs(call);
      case 'speech':
        return { input: promptText(call.prompt), model: call.model, ...call.parameters };
      default:
        return withBuiltIns(call);
    }
  }

  parameterNames(apiType: string | null): ParameterNames {
    return apiType === 'images' || apiType === 'video' || apiType === 'speech' ? IMAGE_NAMES : OPENROUTER_NAMES;
  }
}

/** Built-in tools are either plugins, which have an id, or tools that run on the server. */
function withBuiltIns(call: ModelCall): JsonObject {
  const kwargs = chatKwargs({ ...call, parameters: {} }, OPENROUTER_DIALECT);
  const configs = builtInTools(call.prompt, ['openrouter']).map((tool) => tool.config);
  const plugins = configs.filter((config) => textOrNull(config.id) !== null).map((config) => compact(config));
  const serverTools = configs
    .filter((config) => textOrNull(config.openrouter_server_tool) !== null)
    .map(({ openrouter_server_tool, parameters }) => compact({ type: openrouter_server_tool, parameters }));
  return { ...kwargs, tools: [...objectsIn(kwargs.tools), ...serverTools], plugins, ...call.parameters };
}

function thoughtsOf(turn: AssistantTurn): string | null {
  const thoughts = turn.parts.map((part: ContentPart) => (part.type === 'thinking' ? textOrNull(part.thinking) : null));
  return textOrNull(thoughts.filter((thought) => thought !== null).join(''));
}

/** Files and videos may be given by URL. */
function openRouterMedia(media: Media): JsonObject | null {
  const address = mediaAddress(media);
  if (address === null) return null;
  switch (media.kind) {
    case 'image':
      return imageUrlPart(media);
    case 'audio':
      return audioPart(media);
    case 'video':
      return { type: 'video_url', video_url: { url: address } };
    case 'file':
      return { type: 'file', file: { filename: media.title ?? 'media', file_data: address } };
  }
}
