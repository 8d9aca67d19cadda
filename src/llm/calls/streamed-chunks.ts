import { isObject, type JsonObject } from '../../platform/json.js';
import { tryReadJson } from '../../platform/read-json.js';
import { STREAM_END, type StreamItem } from './connection.js';
import { type EventFrame, FRAMES_TYPE, readFrames } from './event-frames.js';
import { assertJson, NoAnswer } from './model-failure.js';
import { readEvents, type ServerSentEvent } from './server-sent-events.js';

const SHOWN = 200;
/** The last event of OpenAI and all who speak its format. */
const DONE = '[DONE]';
/** The name of frames that carry a chunk in the words of a model's own vendor. */
const CARRIER = 'chunk';

/**
 * The chunks of an answer that was requested as a stream. A server that does not stream gives one chunk. Throws
 * NoAnswer for a body that is not JSON.
 */
export async function* streamedChunks(response: Response): AsyncGenerator<StreamItem> {
  const type = response.headers.get('content-type') ?? '';
  if (type.includes(FRAMES_TYPE)) return yield* framedChunks(response.body!);
  if (!type.includes('event-stream')) return yield* wholeAnswer(await response.text());
  for await (const event of readEvents(response.body!)) {
    if (event.data.trim() === DONE) return yield STREAM_END;
    const chunk = toChunk(event);
    if (chunk) yield chunk;
  }
}

/** The stream ends with its body, because the frame with token counts follows the frame that ends the answer. */
async function* framedChunks(body: AsyncIterable<Uint8Array>): AsyncGenerator<StreamItem> {
  for await (const frame of readFrames(body)) {
    const chunk = frameChunk(frame);
    if (chunk) yield chunk;
  }
}

/** An event as AWS clients provide it, by its name; the inner chunk where a frame only carries one. */
function frameChunk({ headers, payload }: EventFrame): JsonObject | null {
  const type = headers.get(':event-type');
  const text = payload.toString();
  if (type === undefined) return { error: errorOf(headers, text) };
  const event = toChunk({ name: '', data: text });
  if (!event || Object.keys(event).length === 0) return null;
  if (type === CARRIER && typeof event.bytes === 'string') {
    return toChunk({ name: '', data: Buffer.from(event.bytes, 'base64').toString() });
  }
  // Padding that hides the length of the text in the length of frames.
  const { p: _, ...told } = event;
  return { [type]: told };
}

/** Exceptions have a payload, errors of the transport two headers. */
function errorOf(headers: EventFrame['headers'], text: string): JsonObject {
  const payload = tryReadJson(text);
  const type = headers.get(':exception-type') ?? headers.get(':error-code') ?? 'error';
  const message = headers.get(':error-message') ?? (text || type);
  return { type, message, ...(isObject(payload) && payload) };
}

function* wholeAnswer(text: string): Generator<StreamItem> {
  const answer = assertJson(tryReadJson(text) ?? text);
  yield* (Array.isArray(answer) ? answer : [answer]).filter((piece) => isObject(piece));
  yield STREAM_END;
}

/** null for an event without content. An event called "error" is an error, whatever its data. */
function toChunk({ name, data }: ServerSentEvent): JsonObject | null {
  if (data.trim() === '') return null;
  const value = tryReadJson(data);
  if (name === 'error' && !(isObject(value) && (value.type === 'error' || 'error' in value))) {
    return { error: value ?? data };
  }
  if (value === undefined) throw new NoAnswer(`a part of its stream is no JSON: ${data.slice(0, SHOWN)}`, null);
  return isObject(value) ? value : null;
}
