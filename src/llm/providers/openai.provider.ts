import type { JsonObject } from '../../platform/json.js';
import type { ModelCall, ModelProviderPlugin } from './model-provider.js';
import { ModelProvider } from './model-providers.js';
import { DEFAULT_API_TYPE, openAiKwargs, openAiParameterNames } from './openai-kwargs.js';
import type { ParameterNames } from './parameters.js';

@ModelProvider({ name: 'openai', defaultApiType: DEFAULT_API_TYPE })
export class OpenAiProvider implements ModelProviderPlugin {
  toKwargs(call: ModelCall): JsonObject {
    return openAiKwargs(call);
  }

  parameterNames(apiType: string | null): ParameterNames {
    return openAiParameterNames(apiType);
  }
}
