import { BEDROCK_CREDENTIAL, postToBedrock, streamFromBedrock } from '../calls/bedrock-rest.js';
import {
  type ModelConnection,
  type ModelRequest,
  type ModelResponse,
  type ModelStream,
  requestBody,
} from '../calls/connection.js';
import type { JsonObject } from '../../platform/json.js';
import { anthropicKwargs } from '../formats/anthropic-messages/write.js';
import type { ModelCall, ModelProviderPlugin } from './model-provider.js';
import { ModelProvider } from './model-providers.js';
import { ANTHROPIC_NAMES } from '../formats/shared/parameter-names.js';
import type { ParameterNames } from '../formats/shared/parameters.js';

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
    const response = await postToBedrock(connection, { ...invocation(request), action: 'invoke' });
    return { functionName: 'anthropic.messages.create', response };
  }

  async stream(request: ModelRequest, connection: ModelConnection): Promise<ModelStream> {
    const action = { ...invocation(request), action: 'invoke-with-response-stream' };
    return { functionName: 'anthropic.messages.create', chunks: await streamFromBedrock(connection, action) };
  }
}

/** The model is part of the address. */
function invocation(request: ModelRequest): { model: string; body: JsonObject } {
  const { model, ...body } = requestBody(request);
  return { model: String(model), body: { anthropic_version: ANTHROPIC_VERSION, ...body } };
}
