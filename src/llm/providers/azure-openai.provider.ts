import type { JsonObject } from '../../platform/json.js';
import type { ModelCall, ModelProviderPlugin } from './model-provider.js';
import { ModelProvider } from './model-providers.js';
import { DEFAULT_API_TYPE, openAiKwargs, openAiParameterNames } from './openai-kwargs.js';
import type { ParameterNames } from './parameters.js';

/** The client differs; its arguments are those of OpenAI. */
@ModelProvider({ name: 'openai.azure', defaultApiType: DEFAULT_API_TYPE })
export class AzureOpenAiProvider implements ModelProviderPlugin {
  toKwargs(call: ModelCall): JsonObject {
    return openAiKwargs(call);
  }

  parameterNames(apiType: string | null): ParameterNames {
    return openAiParameterNames(apiType);
  }
}
