import type { JsonValue } from '../../platform/json.js';
import { NO_KEY } from './openai-client.js';
import type { Anthropic, ClientOptions } from '@anthropic-ai/sdk';
import {
  type ModelConnection,
  type ModelRequest,
  type ModelResponse,
  type ModelStream,
  requestBody,
} from './connection.js';
import { streamedChunks } from './streamed-chunks.js';

const USUAL_URL = 'https://api.anthropic.com';
const FUNCTION_NAME = 'anthropic.messages.create';

/**
 * Messages are streamed and joined: the vendor refuses long calls without a stream, and an aborted stream stops
 * costing.
 */
export async function callAnthropic(request: ModelRequest, connection: ModelConnection): Promise<ModelResponse> {
  const client = await clientOf(connection);
  const body = requestBody(request) as unknown as Parameters<typeof client.messages.stream>[0];
  const stream = client.messages.stream(body, { signal: connection.signal });
  return { functionName: FUNCTION_NAME, response: (await stream.finalMessage()) as unknown as JsonValue };
}

/** The same call, whose events are handed on as they come. */
export async function streamAnthropic(request: ModelRequest, connection: ModelConnection): Promise<ModelStream> {
  const client = await clientOf(connection);
  const body = { ...requestBody(request), stream: true } as Anthropic.MessageCreateParamsStreaming;
  const response = await client.messages.create(body, { signal: connection.signal }).asResponse();
  return { functionName: FUNCTION_NAME, chunks: streamedChunks(response) };
}

async function clientOf({ secret, baseUrl, fetch }: ModelConnection): Promise<Anthropic> {
  const { Anthropic: Client } = await import('@anthropic-ai/sdk');
  const client = new Client({
    apiKey: secret || NO_KEY,
    authToken: null,
    baseURL: baseUrl ?? USUAL_URL,
    fetch,
    maxRetries: 0,
    logLevel: 'off',
  });
  // It would send headers from the environment of the server to the address of a workspace, and has no option against it.
  const options = Reflect.get(client, '_options') as ClientOptions;
  options.defaultHeaders = undefined;
  return client;
}
