import { listAt } from '../shared/json-reading.js';
import type {
  EmbeddingRequest,
  EmbeddingResponse,
  ModelConnection,
  ModelRequest,
  ModelResponse,
  ModelStream,
} from '../calls/connection.js';
import { generateContentBody } from '../calls/google-rest.js';
import { at, postForStream, postJson } from '../calls/post-json.js';
import type { JsonObject } from '../../platform/json.js';
import { googleKwargs } from '../formats/google-contents/write.js';
import type { ModelCall, ModelProviderPlugin } from './model-provider.js';
import { ModelProvider } from './model-providers.js';
import { GOOGLE_NAMES } from '../formats/shared/parameter-names.js';
import type { ParameterNames } from '../formats/shared/parameters.js';

const USUAL_URL = 'https://generativelanguage.googleapis.com/v1beta';

@ModelProvider({ name: 'google', needsDialogue: true })
export class GoogleProvider implements ModelProviderPlugin {
  toKwargs(call: ModelCall): JsonObject {
    return googleKwargs(call, ['google', 'vertexai']);
  }

  parameterNames(): ParameterNames {
    return GOOGLE_NAMES;
  }

  async call(request: ModelRequest, connection: ModelConnection): Promise<ModelResponse> {
    const url = urlOf(connection, String(request.kwargs.model), 'generateContent');
    const response = await postJson(connection, url, {
      headers: { 'x-goog-api-key': connection.secret },
      body: generateContentBody(request),
    });
    return { functionName: 'google.generate_content', response };
  }

  async stream(request: ModelRequest, connection: ModelConnection): Promise<ModelStream> {
    const url = urlOf(connection, String(request.kwargs.model), 'streamGenerateContent?alt=sse');
    const chunks = await postForStream(connection, url, {
      headers: { 'x-goog-api-key': connection.secret },
      body: generateContentBody(request),
    });
    return { functionName: 'google.generate_content', chunks };
  }

  async embed({ model, texts }: EmbeddingRequest, connection: ModelConnection): Promise<EmbeddingResponse> {
    const name = `models/${bareName(model)}`;
    const requests = texts.map((text) => ({ model: name, content: { parts: [{ text }] } }));
    const response = await postJson(connection, urlOf(connection, model, 'batchEmbedContents'), {
      headers: { 'x-goog-api-key': connection.secret },
      body: { requests },
    });
    const vectors = listAt(response, 'embeddings').map((embedding) => listAt(embedding, 'values') as number[]);
    return { functionName: 'google.embed_content', response, vectors };
  }
}

const bareName = (model: string): string => model.replace(/^models\//, '');

function urlOf({ baseUrl }: ModelConnection, model: string, method: string): string {
  return at(baseUrl ?? USUAL_URL, `models/${encodeURIComponent(bareName(model))}:${method}`);
}
