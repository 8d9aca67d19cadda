import type { JsonObject } from '../../platform/json.js';
import { googleKwargs } from './google-contents.js';
import type { ModelCall, ModelProviderPlugin } from './model-provider.js';
import { ModelProvider } from './model-providers.js';
import { GOOGLE_NAMES } from './parameter-names.js';
import type { ParameterNames } from './parameters.js';

@ModelProvider({ name: 'google' })
export class GoogleProvider implements ModelProviderPlugin {
  toKwargs(call: ModelCall): JsonObject {
    return googleKwargs(call, ['google', 'vertexai']);
  }

  parameterNames(): ParameterNames {
    return GOOGLE_NAMES;
  }
}
