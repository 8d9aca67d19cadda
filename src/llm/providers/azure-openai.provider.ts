import type { AzureOpenAI } from 'openai';
import type {
  EmbeddingRequest,
  EmbeddingResponse,
  ModelConnection,
  ModelRequest,
  ModelResponse,
  ModelStream,
} from '../calls/connection.js';
import { callOpenAi, clientOptions, embedWithOpenAi, streamOpenAi } from '../calls/openai-client.js';
import type { ModelProviderPlugin } from './model-provider.js';
import { ModelProvider } from './model-providers.js';
import { DEFAULT_API_TYPE, openAiKwargs, openAiParameterNames } from './openai-kwargs.js';

const API_VERSION = '2024-10-21';

const CREDENTIAL = {
  baseUrlRequired: true,
  options: { api_version: { description: `The version of the API; ${API_VERSION} unless it says otherwise.` } },
};

/** The client differs; its arguments are those of OpenAI. The model is the name of the deployment. */
@ModelProvider({ name: 'openai.azure', defaultApiType: DEFAULT_API_TYPE, credential: CREDENTIAL })
export class AzureOpenAiProvider implements ModelProviderPlugin {
  readonly toKwargs = openAiKwargs;
  readonly parameterNames = openAiParameterNames;

  async call(request: ModelRequest, connection: ModelConnection): Promise<ModelResponse> {
    return callOpenAi(await clientOf(connection), request, connection.signal);
  }

  async stream(request: ModelRequest, connection: ModelConnection): Promise<ModelStream> {
    return streamOpenAi(await clientOf(connection), request, connection.signal);
  }

  async embed(request: EmbeddingRequest, connection: ModelConnection): Promise<EmbeddingResponse> {
    return embedWithOpenAi(await clientOf(connection), request, connection.signal);
  }
}

/** The address is that of the resource, such as https://house.openai.azure.com. */
async function clientOf(connection: ModelConnection): Promise<AzureOpenAI> {
  const { AzureOpenAI: Client } = await import('openai');
  const endpoint = connection.baseUrl ?? '';
  // Without a base URL the client reads one from the environment, and refuses it beside the endpoint.
  const options = { ...clientOptions(connection, ''), baseURL: null, endpoint };
  return new Client({ ...options, apiVersion: connection.options.api_version ?? API_VERSION });
}
