import {
  type ModelConnection,
  type ModelRequest,
  type ModelResponse,
  type ModelStream,
  requestBody,
} from '../calls/connection.js';
import { generateContentBody } from '../calls/google-rest.js';
import { googleAccessToken } from '../calls/google-token.js';
import { callOpenAi, openAiClient, streamOpenAi } from '../calls/openai-client.js';
import { at, postForStream, postJson } from '../calls/post-json.js';
import type { JsonObject } from '../../platform/json.js';
import { anthropicKwargs } from '../formats/anthropic-messages/write.js';
import { googleKwargs } from '../formats/google-contents/write.js';
import { textOrNull } from '../shared/json-reading.js';
import type { ModelCall, ModelProviderPlugin } from './model-provider.js';
import { ModelProvider } from './model-providers.js';
import { openAiLikeKwargs } from '../formats/openai-chat/write.js';
import { ANTHROPIC_NAMES, CHAT_NAMES, GOOGLE_NAMES } from '../formats/shared/parameter-names.js';
import type { ParameterNames } from '../formats/shared/parameters.js';

const CREDENTIAL = {
  secret: 'The key file of a service account, as JSON, or an access token.',
  options: {
    project: { description: 'The id of the project that is billed.', required: true },
    location: {
      description: 'Where the models run, such as us-central1; "global" unless it says otherwise.',
      inHost: true,
    },
  },
};
/** The version of Anthropic's messages that the service speaks. */
const ANTHROPIC_VERSION = 'vertex-2023-10-16';

/**
 * Hosts models of several vendors: the name of the model determines the format. Without a model it is the format of
 * Google, which runs the service.
 */
@ModelProvider({ name: 'vertexai', needsDialogue: true, credential: CREDENTIAL })
export class VertexAiProvider implements ModelProviderPlugin {
  toKwargs(call: ModelCall): JsonObject {
    switch (vendorOf(textOrNull(call.parameters.model) ?? call.model)) {
      case 'google':
        return googleKwargs(call, ['google', 'vertexai']);
      case 'anthropic':
        return anthropicKwargs(call, ['anthropic', 'vertexai']);
      default:
        return openAiLikeKwargs(call);
    }
  }

  parameterNames(_apiType: string | null, model: string | null): ParameterNames {
    const vendor = vendorOf(model);
    if (vendor === 'google') return GOOGLE_NAMES;
    return vendor === 'anthropic' ? ANTHROPIC_NAMES : CHAT_NAMES;
  }

  async call(request: ModelRequest, connection: ModelConnection): Promise<ModelResponse> {
    const token = await googleAccessToken(connection);
    const model = String(request.kwargs.model);
    const headers = { authorization: `Bearer ${token}` };
    switch (vendorOf(model)) {
      case 'google': {
        const url = at(locationUrl(connection), `${publishedModel(model, 'google')}:generateContent`);
        const response = await postJson(connection, url, { headers, body: generateContentBody(request) });
        return { functionName: 'google.generate_content', response };
      }
      case 'anthropic': {
        const url = at(locationUrl(connection), `${publishedModel(model, 'anthropic')}:rawPredict`);
        const response = await postJson(connection, url, { headers, body: messagesBody(request) });
        return { functionName: 'anthropic.messages.create', response };
      }
      default: {
        const client = await openAiClient({ ...connection, secret: token, baseUrl: null }, openAiUrl(connection));
        return callOpenAi(client, request, connection.signal);
      }
    }
  }

  async stream(request: ModelRequest, connection: ModelConnection): Promise<ModelStream> {
    const token = await googleAccessToken(connection);
    const model = String(request.kwargs.model);
    const headers = { authorization: `Bearer ${token}` };
    switch (vendorOf(model)) {
      case 'google': {
        const path = `${publishedModel(model, 'google')}:streamGenerateContent?alt=sse`;
        const posted = { headers, body: generateContentBody(request) };
        const chunks = await postForStream(connection, at(locationUrl(connection), path), posted);
        return { functionName: 'google.generate_content', chunks };
      }
      case 'anthropic': {
        const url = at(locationUrl(connection), `${publishedModel(model, 'anthropic')}:streamRawPredict`);
        const posted = { headers, body: { ...messagesBody(request), stream: true } };
        return { functionName: 'anthropic.messages.create', chunks: await postForStream(connection, url, posted) };
      }
      default: {
        const client = await openAiClient({ ...connection, secret: token, baseUrl: null }, openAiUrl(connection));
        return streamOpenAi(client, request, connection.signal);
      }
    }
  }
}

/** The model is part of the address. */
function messagesBody(request: ModelRequest): JsonObject {
  const { model: _, ...body } = requestBody(request);
  return { anthropic_version: ANTHROPIC_VERSION, ...body };
}

/** Models may be named by their path: `publishers/anthropic/models/claude-…`. */
function vendorOf(model: string | null): 'google' | 'anthropic' | 'other' {
  if (model === null) return 'google';
  const name = bareName(model);
  if (name.startsWith('gemini')) return 'google';
  return name.startsWith('claude') ? 'anthropic' : 'other';
}

const bareName = (model: string): string => model.slice(model.lastIndexOf('/') + 1);

const publishedModel = (model: string, publisher: string): string =>
  `publishers/${publisher}/models/${encodeURIComponent(bareName(model))}`;

const openAiUrl = (connection: ModelConnection): string => at(locationUrl(connection), 'endpoints/openapi');

function locationUrl({ baseUrl, options: { project, location = 'global' } }: ModelConnection): string {
  const host = location === 'global' ? 'aiplatform' : `${location}-aiplatform`;
  const place = `projects/${encodeURIComponent(project ?? '')}/locations/${encodeURIComponent(location)}`;
  return at(baseUrl ?? `https://${host}.googleapis.com/v1`, place);
}
