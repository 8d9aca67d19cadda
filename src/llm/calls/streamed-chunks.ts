import { isObject, type JsonObject, type JsonValue } from '../../platform/json.js';
import { readJson } from '../../platform/read-json.js';
import { STREAM_END, type StreamItem } from './connection.js';
import { assertJson, NoAnswer } from './model-failure.js';
import { readEvents, type ServerSentEvent } from './server-sent-events.js';

const SHOWN = 200;
/** The last event of OpenAI and all who speak its format. */
const DONE = '[DONE]';

/**
 * The chunks of an answer that was asked for as a stream. A server that answers whole all the same gives one chunk. Throws NoAnswer for
 * what is no JSON.
 */
export async function* streamedChunks(response: Response): AsyncGenerator<StreamItem> {
  const type = response.headers.get('content-type') ?? '';
  if (!type.includes('event-stream')) return yield* wholeAnswer(await response.text());
  for await (const event of readEvents(response.body!)) {
    if (event.data.trim() === DONE) return yield STREAM_END;
    const chunk = toChunk(event);
    if (chunk) yield chunk;
  }
}

function* wholeAnswer(text: string): Generator<StreamItem> {
  const answer = assertJson(parse(text) ?? text);
  yield* (Array.isArray(answer) ? answer : [answer]).filter((piece) => isObject(piece));
  yield STREAM_END;
}

/** null for an event that says nothing. An event called "error" is one, whatever its data looks like. */
function toChunk({ name, data }: ServerSentEvent): JsonObject | null {
  if (data.trim() === '') return null;
  const value = parse(data);
  if (name === 'error' && !(isObject(value) && (value.type === 'error' || 'error' in value))) {
    return { error: value ?? data };
  }
  if (value === undefined) throw new NoAnswer(`a part of its stream is no JSON: ${data.slice(0, SHOWN)}`, null);
  return isObject(value) ? value : null;
}

function parse(text: string): JsonValue | undefined {
  try {
    return readJson(text);
  } catch {
    return undefined;
  }
}
