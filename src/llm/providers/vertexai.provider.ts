import type { JsonObject } from '../../platform/json.js';
import { anthropicKwargs } from './anthropic-messages.js';
import { googleKwargs } from './google-contents.js';
import { textOrNull } from './json-reading.js';
import type { ModelCall, ModelProviderPlugin } from './model-provider.js';
import { ModelProvider } from './model-providers.js';
import { openAiLikeKwargs } from './openai-chat.js';
import { ANTHROPIC_NAMES, CHAT_NAMES, GOOGLE_NAMES } from './parameter-names.js';
import type { ParameterNames } from './parameters.js';

/**
 * Hosts models of several vendors: the model's name tells the shape. While no model is known, it is that of Google,
 * whose service this is.
 */
@ModelProvider({ name: 'vertexai' })
export class VertexAiProvider implements ModelProviderPlugin {
  toKwargs(call: ModelCall): JsonObject {
    switch (vendorOf(textOrNull(call.parameters.model) ?? call.model)) {
      case 'google':
        return googleKwargs(call, ['google', 'vertexai']);
      case 'anthropic':
        return anthropicKwargs(call, ['anthropic', 'vertexai']);
      default:
        return openAiLikeKwargs(call);
    }
  }

  parameterNames(_apiType: string | null, model: string | null): ParameterNames {
    const vendor = vendorOf(model);
    if (vendor === 'google') return GOOGLE_NAMES;
    return vendor === 'anthropic' ? ANTHROPIC_NAMES : CHAT_NAMES;
  }
}

/** Models may be named by their path: `publishers/anthropic/models/claude-…`. */
function vendorOf(model: string | null): 'google' | 'anthropic' | 'other' {
  if (model === null) return 'google';
  const name = model.slice(model.lastIndexOf('/') + 1);
  if (name.startsWith('gemini')) return 'google';
  return name.startsWith('claude') ? 'anthropic' : 'other';
}
