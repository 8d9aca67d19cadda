import { BEDROCK_CREDENTIAL, postToBedrock, streamFromBedrock } from '../calls/bedrock-rest.js';
import {
  type ModelConnection,
  type ModelRequest,
  type ModelResponse,
  type ModelStream,
  requestBody,
} from '../calls/connection.js';
import type { JsonObject } from '../../platform/json.js';
import { converseKwargs } from '../formats/bedrock-converse/write.js';
import type { ModelCall, ModelProviderPlugin } from './model-provider.js';
import { ModelProvider } from './model-providers.js';
import { BEDROCK_NAMES } from '../formats/shared/parameter-names.js';
import type { ParameterNames } from '../formats/shared/parameters.js';

/** The Converse API, for models of all vendors; a completion is a conversation of one message. */
@ModelProvider({ name: 'amazon.bedrock', needsDialogue: true, credential: BEDROCK_CREDENTIAL })
export class AmazonBedrockProvider implements ModelProviderPlugin {
  toKwargs(call: ModelCall): JsonObject {
    return converseKwargs(call);
  }

  parameterNames(): ParameterNames {
    return BEDROCK_NAMES;
  }

  async call(request: ModelRequest, connection: ModelConnection): Promise<ModelResponse> {
    const { modelId, ...body } = requestBody(request);
    const response = await postToBedrock(connection, { model: String(modelId), action: 'converse', body });
    return { functionName: 'bedrock.converse', response };
  }

  async stream(request: ModelRequest, connection: ModelConnection): Promise<ModelStream> {
    const { modelId, ...body } = requestBody(request);
    const action = { model: String(modelId), action: 'converse-stream', body };
    return { functionName: 'bedrock.converse', chunks: await streamFromBedrock(connection, action) };
  }
}
