import { callAnthropic, streamAnthropic } from '../calls/anthropic-client.js';
import type { JsonObject } from '../../platform/json.js';
import { anthropicKwargs } from '../formats/anthropic-messages/write.js';
import type { ModelCall, ModelProviderPlugin } from './model-provider.js';
import { ModelProvider } from './model-providers.js';
import { ANTHROPIC_NAMES } from '../formats/shared/parameter-names.js';
import type { ParameterNames } from '../formats/shared/parameters.js';

@ModelProvider({ name: 'anthropic', needsDialogue: true })
export class AnthropicProvider implements ModelProviderPlugin {
  readonly call = callAnthropic;
  readonly stream = streamAnthropic;

  toKwargs(call: ModelCall): JsonObject {
    return anthropicKwargs(call, ['anthropic', 'anthropic.bedrock']);
  }

  parameterNames(): ParameterNames {
    return ANTHROPIC_NAMES;
  }
}
