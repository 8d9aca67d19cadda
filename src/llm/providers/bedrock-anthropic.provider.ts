import { BEDROCK_CREDENTIAL, postToBedrock } from '../calls/bedrock-rest.js';
import { type ModelConnection, type ModelRequest, type ModelResponse, requestBody } from '../calls/connection.js';
import type { JsonObject } from '../../platform/json.js';
import { anthropicKwargs } from '../formats/anthropic-messages/write.js';
import type { ModelCall, ModelProviderPlugin } from './model-provider.js';
import { ModelProvider } from './model-providers.js';
import { ANTHROPIC_NAMES } from '../formats/parameter-names.js';
import type { ParameterNames } from '../formats/parameters.js';

/** The version of Anthropic's messages that the service speaks. */
const ANTHROPIC_VERSION = 'bedrock-2023-05-31';

@ModelProvider({ name: 'anthropic.bedrock', needsDialogue: true, credential: BEDROCK_CREDENTIAL })
export class BedrockAnthropicProvider implements ModelProviderPlugin {
  toKwargs(call: ModelCall): JsonObject {
    return anthropicKwargs(call, ['anthropic', 'anthropic.bedrock']);
  }

  parameterNames(): ParameterNames {
    return ANTHROPIC_NAMES;
  }

  async call(request: ModelRequest, connection: ModelConnection): Promise<ModelResponse> {
    const { model, ...rest } = requestBody(request);
    const body = { anthropic_version: ANTHROPIC_VERSION, ...rest };
    const response = await postToBedrock(connection, { model: String(model), action: 'invoke', body });
    return { functionName: 'anthropic.messages.create', response };
  }
}
