import type { JsonObject, JsonValue } from '../../platform/json.js';

/** Connection of a provider's calls. */
export interface ModelConnection {
  /** Where the API is; null for the usual address of the vendor. */
  baseUrl: string | null;
  /** An API key, or whatever else the provider asks for as its secret. */
  secret: string;
  /** Further settings that the provider declares, by name: a region, a project. */
  options: Record<string, string>;
  /** Guarded `fetch` that reaches only the addresses the installation allows. Every call must use it. */
  fetch: typeof fetch;
  /** Aborted when the answer is no longer needed: the call must then end on the wire. */
  signal: AbortSignal;
}

export interface ModelRequest {
  /** Arguments that `toKwargs` made. */
  kwargs: JsonObject;
  apiType: string | null;
}

/** An answer in the vendor's own format. */
export interface ModelResponse {
  /**
   * The function of the vendor's client, such as `openai.chat.completions.create`. It determines the format of the
   * answer.
   */
  functionName: string;
  response: JsonValue;
}

/** Marks the end of a stream whose vendor marks the last chunk. */
export const STREAM_END = 'end';
export type StreamItem = JsonObject | typeof STREAM_END;

/** An answer that arrives in chunks, in the vendor's own format. */
export interface ModelStream {
  /** The name of the same call without a stream, see `ModelResponse`. */
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

/** Arguments of the vendors' clients that control how a call is sent and are not sent themselves. */
const CLIENT_ARGUMENTS = new Set(['stream', 'stream_options', 'timeout', 'extra_headers', 'extra_query', 'extra_body']);

/** The body that is sent. The server decides whether an answer is streamed, so a parameter for that is left out. */
export function requestBody({ kwargs }: ModelRequest): JsonObject {
  const body = Object.fromEntries(Object.entries(kwargs).filter(([name]) => !CLIENT_ARGUMENTS.has(name)));
  return { ...body, ...(kwargs.extra_body as JsonObject | undefined) };
}
