import { listAt } from '../shared/json-reading.js';
import type OpenAI from 'openai';
import type { JsonObject, JsonValue } from '../../platform/json.js';
import { assertJson } from './model-failure.js';
import { streamedChunks } from './streamed-chunks.js';
import {
  type EmbeddingRequest,
  type EmbeddingResponse,
  type ModelConnection,
  type ModelRequest,
  type ModelResponse,
  type ModelStream,
  requestBody,
} from './connection.js';

/** Self-hosted servers may need no key; clients always need one. */
export const NO_KEY = 'none';

/**
 * Options of every client. An option that is not given would be read from the environment of the process, which is not
 * the workspace's. Retries are left to the engine.
 */
export function clientOptions({ fetch, secret, baseUrl, options }: ModelConnection, usualUrl: string) {
  return {
    apiKey: secret || NO_KEY,
    baseURL: baseUrl ?? usualUrl,
    organization: options.organization ?? null,
    project: options.project ?? null,
    fetch,
    maxRetries: 0,
    logLevel: 'off',
  } as const;
}

/** Calls the endpoint that the arguments are for: responses, a chat, or the older completions. */
export async function callOpenAi(client: OpenAI, request: ModelRequest, signal: AbortSignal): Promise<ModelResponse> {
  const endpoint = endpointOf(request);
  const body = requestBody(request);
  const response = assertJson(await client.post<JsonValue>(`/${endpoint.replaceAll('.', '/')}`, { body, signal }));
  return { functionName: `openai.${endpoint}.create`, response };
}

/** A stream reports no tokens without this option. Some services always report them and refuse the option. */
const WITH_USAGE = { stream_options: { include_usage: true } };

/** The same call with a streamed answer. */
export async function streamOpenAi(
  client: OpenAI,
  request: ModelRequest,
  signal: AbortSignal,
  { asksForUsage = true } = {},
): Promise<ModelStream> {
  const endpoint = endpointOf(request);
  const post = (options: JsonObject) => {
    const body = { ...requestBody(request), stream: true, ...options };
    const headers = { accept: 'text/event-stream' };
    return client.post(`/${endpoint.replaceAll('.', '/')}`, { body, headers, signal }).asResponse();
  };
  const response =
    asksForUsage && endpoint !== 'responses'
      ? await post(WITH_USAGE).catch((error: unknown) => (refusesOptions(error) ? post({}) : Promise.reject(error)))
      : await post({});
  return { functionName: `openai.${endpoint}.create`, chunks: streamedChunks(response) };
}

/** Self-hosted servers may not know the option. */
function refusesOptions(error: unknown): boolean {
  const { status, message } = error as { status?: number; message?: string };
  return (status === 400 || status === 422) && /stream_options/.test(message ?? '');
}

export async function embedWithOpenAi(
  client: OpenAI,
  { model, texts }: EmbeddingRequest,
  signal: AbortSignal,
): Promise<EmbeddingResponse> {
  const body = { model, input: texts, encoding_format: 'float' };
  const response = assertJson(await client.post<JsonObject>('/embeddings', { body, signal }));
  const vectors = listAt(response, 'data').map((item) => listAt(item, 'embedding') as number[]);
  return { functionName: 'openai.embeddings.create', response, vectors };
}

/** Chats, embeddings and the rest at a server that speaks the format of OpenAI. */
export const openAiCompatible = (usualUrl: string, streaming?: { asksForUsage: boolean }) => ({
  call: async (request: ModelRequest, connection: ModelConnection): Promise<ModelResponse> =>
    callOpenAi(await openAiClient(connection, usualUrl), request, connection.signal),
  stream: async (request: ModelRequest, connection: ModelConnection): Promise<ModelStream> =>
    streamOpenAi(await openAiClient(connection, usualUrl), request, connection.signal, streaming),
  embed: async (request: EmbeddingRequest, connection: ModelConnection): Promise<EmbeddingResponse> =>
    embedWithOpenAi(await openAiClient(connection, usualUrl), request, connection.signal),
});

/** Clients of vendors are loaded on first use, because most processes make no calls. */
export async function openAiClient(connection: ModelConnection, usualUrl: string): Promise<OpenAI> {
  const { OpenAI: Client } = await import('openai');
  return new Client(clientOptions(connection, usualUrl));
}

function endpointOf({ kwargs, apiType }: ModelRequest): string {
  if (apiType === 'responses') return 'responses';
  if (apiType !== null && UNCALLED.has(apiType)) {
    throw new Error(`Calls of the type "${apiType}" cannot be made here. Choose a model that answers in text.`);
  }
  return 'messages' in kwargs || !('prompt' in kwargs) ? 'chat.completions' : 'completions';
}

/** API types whose answers are not text. */
const UNCALLED = new Set(['images', 'video', 'speech']);
