import { tryReadJson } from '../../platform/read-json.js';
import { isObject, type JsonObject, type JsonValue } from '../../platform/json.js';
import type { ModelConnection, StreamItem } from './connection.js';
import { assertJson } from './model-failure.js';
import { streamedChunks } from './streamed-chunks.js';

const SHOWN_BODY = 500;

/** The service of a vendor answered with an error. */
export class ModelServiceError extends Error {
  constructor(
    readonly status: number,
    readonly headers: Headers,
    message: string,
    /** The body, where it is JSON. */
    readonly error: JsonValue | undefined,
  ) {
    super(message);
  }
}

export const toServiceError = ({ status, headers }: Response, text: string): ModelServiceError =>
  new ModelServiceError(status, headers, messageIn(text), tryReadJson(text));

/**
 * Posts a body to a vendor without a client that could use the guarded connection. Throws ModelServiceError, and
 * NoAnswer for a response that is not JSON.
 */
export async function postJson(connection: ModelConnection, url: string, request: PostedJson): Promise<JsonValue> {
  const text = await (await post(connection, url, 'application/json', request)).text();
  return assertJson(tryReadJson(text) ?? text);
}

/** The same for an answer that is streamed. */
export async function postForStream(
  connection: ModelConnection,
  url: string,
  request: PostedJson,
): Promise<AsyncIterable<StreamItem>> {
  return streamedChunks(await post(connection, url, 'text/event-stream', request));
}

export interface PostedJson {
  headers: Record<string, string>;
  body: JsonObject;
}

async function post(
  { fetch, signal }: ModelConnection,
  url: string,
  accept: string,
  { headers, body }: PostedJson,
): Promise<Response> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept, ...headers },
    body: JSON.stringify(body),
    signal,
  });
  if (!response.ok) throw toServiceError(response, await response.text());
  return response;
}

/** The error message of a vendor: the message in its JSON, else the beginning of its text. Gateways answer in HTML. */
function messageIn(text: string): string {
  return findMessage(tryReadJson(text)) ?? text.slice(0, SHOWN_BODY).trim();
}

/** `{"error": {"message"}}`, `{"message"}`, `{"detail"}` and lists of these. */
function findMessage(value: JsonValue | undefined): string | null {
  if (typeof value === 'string') return value === '' ? null : value;
  if (Array.isArray(value)) return findMessage(value[0]);
  if (!isObject(value)) return null;
  return findMessage(value.error) ?? findMessage(value.message) ?? findMessage(value.detail);
}

/** Joins an address and a path, whether or not the address ends with a slash. */
export const at = (baseUrl: string, path: string): string => `${baseUrl.replace(/\/+$/, '')}/${path}`;
