import {
  type EmbeddingRequest,
  type EmbeddingResponse,
  type ModelConnection,
  type ModelRequest,
  type ModelResponse,
  type ModelStream,
  requestBody,
} from '../calls/connection.js';
import { at, postForStream, postJson, type PostedJson } from '../calls/post-json.js';
import type { JsonObject, JsonValue } from '../../platform/json.js';
import { compact, listAt, objectAt } from '../shared/json-reading.js';
import type { ModelCall, ModelProviderPlugin } from './model-provider.js';
import { ModelProvider } from './model-providers.js';
import { type ChatDialect, chatKwargs, imageUrlPart } from '../formats/openai-chat/write.js';
import { COHERE_NAMES } from '../formats/shared/parameter-names.js';
import type { ParameterNames } from '../formats/shared/parameters.js';
import { readResponseFormat } from '../formats/shared/response-format.js';

const COHERE_DIALECT: ChatDialect = {
  developer: false,
  names: 'none',
  functions: false,
  strict: false,
  media: (media) => (media.kind === 'image' ? imageUrlPart(media) : null),
};

/** Tool choices that the API supports; it cannot require one certain tool. */
const CHOICES = new Map<JsonValue | undefined, string>([
  ['required', 'REQUIRED'],
  ['none', 'NONE'],
]);

const USUAL_URL = 'https://api.cohere.com';

/** The second version of the chat. A completion becomes a chat of one message. */
@ModelProvider({ name: 'cohere' })
export class CohereProvider implements ModelProviderPlugin {
  toKwargs(call: ModelCall): JsonObject {
    const { response_format, ...parameters } = call.parameters;
    const { messages, tools, tool_choice, model } = chatKwargs({ ...call, parameters: {} }, COHERE_DIALECT);
    return {
      ...compact({ messages: messages, tools, tool_choice: CHOICES.get(tool_choice), model }),
      ...compact({ response_format: toFormat(response_format) }),
      ...parameters,
    };
  }

  parameterNames(): ParameterNames {
    return COHERE_NAMES;
  }

  async call(request: ModelRequest, connection: ModelConnection): Promise<ModelResponse> {
    const response = await post(connection, 'v2/chat', requestBody(request));
    return { functionName: 'cohere.chat', response };
  }

  async stream(request: ModelRequest, connection: ModelConnection): Promise<ModelStream> {
    const { url, posted } = posting(connection, 'v2/chat', { ...requestBody(request), stream: true });
    return { functionName: 'cohere.chat', chunks: await postForStream(connection, url, posted) };
  }

  async embed({ model, texts }: EmbeddingRequest, connection: ModelConnection): Promise<EmbeddingResponse> {
    const body = { model, texts, input_type: 'classification', embedding_types: ['float'] };
    const response = await post(connection, 'v2/embed', body);
    const vectors = listAt(objectAt(response, 'embeddings'), 'float') as number[][];
    return { functionName: 'cohere.embed', response, vectors };
  }
}

/** A schema is part of the object format, and no format of its own. */
function toFormat(value: JsonValue | undefined): JsonValue | undefined {
  const format = readResponseFormat(value);
  return format?.type === 'json_schema' ? { type: 'json_object', json_schema: format.schema } : value;
}

function post(connection: ModelConnection, path: string, body: JsonObject): Promise<JsonValue> {
  const { url, posted } = posting(connection, path, body);
  return postJson(connection, url, posted);
}

function posting(
  { baseUrl, secret }: ModelConnection,
  path: string,
  body: JsonObject,
): { url: string; posted: PostedJson } {
  return { url: at(baseUrl ?? USUAL_URL, path), posted: { headers: { authorization: `Bearer ${secret}` }, body } };
}
