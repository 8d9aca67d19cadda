import type { JsonObject, JsonValue } from '../../platform/json.js';

/** What a provider sends its calls with. */
export interface ModelConnection {
  /** Where the API is; null for the usual address of the vendor. */
  baseUrl: string | null;
  /** An API key, or whatever else the provider asks for as its secret. */
  secret: string;
  /** What the provider needs besides, by the names that it declares: a region, a project. */
  options: Record<string, string>;
  /** Reaches what the installation may reach and nothing else; every call has to go through it. */
  fetch: typeof fetch;
  /** Aborted when nobody wants the answer any more: the call has to end on the wire. */
  signal: AbortSignal;
}

export interface ModelRequest {
  /** As `toKwargs` made them. */
  kwargs: JsonObject;
  apiType: string | null;
}

/** What a vendor answered, in its own words. */
export interface ModelResponse {
  /** The function of the vendor's client, such as `openai.chat.completions.create`: tells how the answer is written. */
  functionName: string;
  response: JsonValue;
}

/** Marks the end of a stream whose vendor says which chunk is the last. */
export const STREAM_END = 'end';
export type StreamItem = JsonObject | typeof STREAM_END;

/** An answer that arrives in chunks, in the vendor's own words. */
export interface ModelStream {
  /** As in `ModelResponse`: the same call without a stream has the same name. */
  functionName: string;
  /** Read one after the other; the rest is not read when the reader stops. */
  chunks: AsyncIterable<StreamItem>;
}

export interface EmbeddingRequest {
  model: string;
  texts: string[];
}

export interface EmbeddingResponse extends ModelResponse {
  /** One for each text, in their order. */
  vectors: number[][];
}

/** Arguments of the vendors' clients that say how to send a call and are no part of what is sent. */
const CLIENT_ARGUMENTS = new Set(['stream', 'stream_options', 'timeout', 'extra_headers', 'extra_query', 'extra_body']);

/** What goes over the wire. Whether an answer is streamed is up to the server, so a parameter that asks for it is left out. */
export function requestBody({ kwargs }: ModelRequest): JsonObject {
  const body = Object.fromEntries(Object.entries(kwargs).filter(([name]) => !CLIENT_ARGUMENTS.has(name)));
  return { ...body, ...(kwargs.extra_body as JsonObject | undefined) };
}
