import type { JsonObject } from '../../platform/json.js';
import { converseKwargs } from './bedrock-converse.js';
import type { ModelCall, ModelProviderPlugin } from './model-provider.js';
import { ModelProvider } from './model-providers.js';
import { BEDROCK_NAMES } from './parameter-names.js';
import type { ParameterNames } from './parameters.js';

/** The Converse API, for models of all vendors; a completion is a conversation of one message. */
@ModelProvider({ name: 'amazon.bedrock' })
export class AmazonBedrockProvider implements ModelProviderPlugin {
  toKwargs(call: ModelCall): JsonObject {
    return converseKwargs(call);
  }

  parameterNames(): ParameterNames {
    return BEDROCK_NAMES;
  }
}
