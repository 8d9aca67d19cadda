import { listAt, objectAt } from '../shared/json-reading.js';
import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import {
  type EmbeddingRequest,
  type EmbeddingResponse,
  type ModelConnection,
  type ModelRequest,
  type ModelResponse,
  type ModelStream,
  STREAM_END,
  type StreamItem,
} from '../calls/connection.js';
import { isObject, type JsonObject, type JsonValue } from '../../platform/json.js';
import type { ModelCall, ModelProviderPlugin } from './model-provider.js';
import { ModelProvider } from './model-providers.js';
import { openAiLikeKwargs } from '../formats/openai-chat/write.js';
import { CHAT_NAMES } from '../formats/shared/parameter-names.js';
import type { ParameterNames } from '../formats/shared/parameters.js';

const CHARACTERS_PER_TOKEN = 4;
const LETTERS = 26;

/**
 * A provider without a model: it needs no key, costs nothing and answers at once, so that columns with models can be
 * tried before there is a credential. It answers a chat with the last message. Where JSON is demanded, texts repeat the
 * message, too. Booleans depend on a digest of the message: they are equal for equal texts and have no meaning.
 */
@ModelProvider({ name: 'tracesheet', credential: { secret: null } })
export class EchoProvider implements ModelProviderPlugin {
  toKwargs(call: ModelCall): JsonObject {
    return openAiLikeKwargs(call);
  }

  parameterNames(): ParameterNames {
    return CHAT_NAMES;
  }

  call({ kwargs }: ModelRequest, { signal }: ModelConnection): Promise<ModelResponse> {
    signal.throwIfAborted();
    const { content, usage } = echoOf(kwargs);
    const answer: JsonObject = isChat(kwargs) ? { message: { role: 'assistant', content } } : { text: content };
    const choices = [{ index: 0, ...answer, finish_reason: 'stop' }];
    return Promise.resolve({ functionName: FUNCTION_NAME, response: { model: 'echo', choices, usage } });
  }

  /** Word by word. */
  stream({ kwargs }: ModelRequest, { signal }: ModelConnection): Promise<ModelStream> {
    return Promise.resolve({ functionName: FUNCTION_NAME, chunks: wordsOf(kwargs, signal) });
  }

  /** How often each letter occurs: equal texts are equal, and similar ones are near each other. */
  embed({ texts }: EmbeddingRequest): Promise<EmbeddingResponse> {
    const vectors = texts.map(letterCounts);
    const data = vectors.map((embedding, index) => ({ index, embedding }));
    const usage = { prompt_tokens: tokensOf(texts.join('')), total_tokens: tokensOf(texts.join('')) };
    return Promise.resolve({ functionName: 'tracesheet.echo.embeddings', response: { data, usage }, vectors });
  }
}

const FUNCTION_NAME = 'tracesheet.echo';

function echoOf(kwargs: JsonObject): { content: string; usage: JsonObject } {
  const said = textOf(listAt(kwargs, 'messages').at(-1)) || textOf(kwargs);
  const content = answerTo(said, kwargs.response_format);
  return {
    content,
    usage: { prompt_tokens: tokensOf(JSON.stringify(kwargs)), completion_tokens: tokensOf(content) },
  };
}

/** A text that was completed has no messages. */
const isChat = (kwargs: JsonObject): boolean => Array.isArray(kwargs.messages);

async function* wordsOf(kwargs: JsonObject, signal: AbortSignal): AsyncGenerator<StreamItem> {
  const { content, usage } = echoOf(kwargs);
  const said = (text: string): JsonObject =>
    isChat(kwargs) ? { delta: { role: 'assistant', content: text } } : { text };
  for (const word of content.match(/\s*\S+\s*$|\s*\S+|\s+$/g) ?? []) {
    // Lets other work of the process run between two words of a long text.
    await setImmediate();
    signal.throwIfAborted();
    yield { model: 'echo', choices: [{ index: 0, ...said(word), finish_reason: null }] };
  }
  yield { model: 'echo', choices: [{ index: 0, ...said(''), finish_reason: 'stop' }], usage };
  yield STREAM_END;
}

const tokensOf = (text: string): number => Math.ceil(text.length / CHARACTERS_PER_TOKEN);

/** The text of a message, or of a completion. */
function textOf(value: JsonValue | undefined): string {
  if (!isObject(value)) return '';
  const content = value.content ?? value.prompt ?? '';
  if (typeof content === 'string') return content;
  const parts = Array.isArray(content) ? content : [];
  return parts.map((part) => (isObject(part) && typeof part.text === 'string' ? part.text : '')).join('');
}

function answerTo(said: string, format: JsonValue | undefined): string {
  const schema = objectAt(objectAt(format, 'json_schema'), 'schema');
  if (schema) return JSON.stringify(filled(schema, said, 'answer'));
  return isObject(format) && format.type === 'json_object' ? JSON.stringify({ answer: said }) : said;
}

/** A value that fits a schema, as far as echoes can. */
function filled(schema: JsonValue | undefined, said: string, name: string): JsonValue {
  if (!isObject(schema)) return null;
  const [first] = listAt(schema, 'enum', 'anyOf', 'oneOf');
  if (first !== undefined) return isObject(first) ? filled(first, said, name) : first;
  switch (Array.isArray(schema.type) ? schema.type[0] : schema.type) {
    case 'object': {
      const properties = Object.entries(objectAt(schema, 'properties') ?? {});
      return Object.fromEntries(properties.map(([key, value]) => [key, filled(value, said, key)]));
    }
    case 'array':
      return [filled(schema.items, said, name)];
    case 'boolean':
      return digestOf(said + name) % 2 === 0;
    case 'integer':
    case 'number':
      return digestOf(said + name) % 10;
    case 'string':
      return `Echo: ${said.slice(0, 60)}`;
    default:
      return null;
  }
}

const digestOf = (text: string): number => createHash('sha256').update(text).digest()[0]!;

function letterCounts(text: string): number[] {
  const counts = Array.from({ length: LETTERS }, () => 0);
  for (const letter of text.toLowerCase()) {
    const at = letter.charCodeAt(0) - 'a'.charCodeAt(0);
    if (at >= 0 && at < LETTERS) counts[at]!++;
  }
  return counts;
}
