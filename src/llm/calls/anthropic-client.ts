import type { JsonValue } from '../../platform/json.js';
import { NO_KEY } from './openai-client.js';
import { type ModelConnection, type ModelRequest, type ModelResponse, requestBody } from './connection.js';

const USUAL_URL = 'https://api.anthropic.com';

/**
 * Messages are streamed and put together again: the vendor refuses to answer long calls otherwise, and a stream that is
 * aborted stops costing.
 */
export async function callAnthropic(request: ModelRequest, connection: ModelConnection): Promise<ModelResponse> {
  const { secret, baseUrl, fetch, signal } = connection;
  const { Anthropic } = await import('@anthropic-ai/sdk');
  const client = new Anthropic({
    apiKey: secret || NO_KEY,
    baseURL: baseUrl ?? USUAL_URL,
    fetch,
    maxRetries: 0,
    logLevel: 'off',
  });
  const body = requestBody(request) as unknown as Parameters<typeof client.messages.stream>[0];
  const stream = client.messages.stream(body, { signal });
  return { functionName: 'anthropic.messages.create', response: (await stream.finalMessage()) as unknown as JsonValue };
}
