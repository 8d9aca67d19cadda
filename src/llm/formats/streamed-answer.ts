import { isObject, type JsonObject, type JsonValue } from '../../platform/json.js';
import { streamFormatOf } from './formats.js';
import type { StreamPiece } from './shared/vendor-format.js';

/** Characters of JSON that are kept of one answer. A larger one would not fit into a log. */
const MOST_CHARACTERS = 50_000_000;

/** Members whose text grows from chunk to chunk. */
const GROWING = new Set([
  'content',
  'reasoning',
  'reasoning_content',
  'refusal',
  'arguments',
  'text',
  'thinking',
  'partial_json',
  'delta',
  'tool_plan',
  'input',
]);
/** Members that come in one chunk. Equal ones are separate calls. */
const UNDIVIDED = new Set(['functionCall', 'function_call']);
/** Members that may differ between chunks of one text. The last one counts. */
const LATEST = new Set(['sequence_number', 'obfuscation', 'usage', 'usageMetadata', 'created']);

/**
 * An answer while it is streamed. Consecutive chunks of one text are joined, so a text of many small chunks takes only
 * the memory of its characters. The readers of the formats read joined chunks like the original ones.
 */
export class StreamedAnswer {
  private readonly chunks: JsonObject[] = [];
  private lastPiece: StreamPiece | null = null;
  private size = 0;
  private hasEnded = false;
  private isWhole = false;

  /** Whether the end has come, or an error in place of it. */
  get isComplete(): boolean {
    return this.hasEnded;
  }

  /** The received answer: null for nothing, a list of chunks, or the one object of a server that does not stream. */
  get response(): JsonValue {
    const [first = null] = this.chunks;
    return first === null || this.isWhole ? first : this.chunks;
  }

  /** Marks the answer as complete, because the vendor has ended it. */
  end(): null {
    this.hasEnded = true;
    return null;
  }

  /**
   * The text that the model has written in a chunk; null for nothing. Throws when the answer becomes too long to be
   * kept.
   */
  add(chunk: JsonObject): StreamPiece | null {
    const format = streamFormatOf(chunk);
    this.isWhole = format === null && this.chunks.length === 0;
    const piece = format?.piece(chunk) ?? null;
    if (format?.ends(chunk) || isError(chunk)) this.hasEnded = true;
    if (!format?.repeats?.(chunk)) this.keep(chunk, piece);
    return piece;
  }

  private keep(chunk: JsonObject, piece: StreamPiece | null): void {
    const last = this.chunks.at(-1);
    const joined = piece && this.lastPiece && last ? joinChunks(last, chunk) : null;
    this.size += joined ? growthOf(chunk) : JSON.stringify(chunk).length;
    if (this.size > MOST_CHARACTERS) throw new Error(`The answer is longer than ${MOST_CHARACTERS} characters.`);
    if (joined) this.chunks[this.chunks.length - 1] = joined;
    else this.chunks.push(chunk);
    this.lastPiece = piece;
  }
}

const isError = (chunk: JsonObject): boolean =>
  chunk.type === 'error' || isObject(chunk.error) || (typeof chunk.error === 'string' && chunk.error !== '');

/** Two chunks as one, when they differ in nothing but texts that grow; null otherwise. */
function joinChunks(earlier: JsonObject, later: JsonObject): JsonObject | null {
  const joined: JsonObject = {};
  for (const key of new Set([...Object.keys(earlier), ...Object.keys(later)])) {
    const value = LATEST.has(key) ? (later[key] ?? earlier[key]) : joinValues(key, earlier[key], later[key]);
    if (value === undefined) return null;
    joined[key] = value;
  }
  return joined;
}

/** undefined for values that cannot be joined. */
function joinValues(key: string, earlier: JsonValue | undefined, later: JsonValue | undefined): JsonValue | undefined {
  if (earlier === undefined || later === undefined) return undefined;
  if (typeof earlier === 'string' && typeof later === 'string' && GROWING.has(key)) return earlier + later;
  if (Array.isArray(earlier) && Array.isArray(later)) return joinLists(earlier, later);
  if (isObject(earlier) && isObject(later)) return joinObjects(key, earlier, later);
  return earlier === later ? earlier : undefined;
}

/**
 * The older function calls of chat completions have one of these names and come in pieces, because their arguments are
 * a text.
 */
function joinObjects(key: string, earlier: JsonObject, later: JsonObject): JsonObject | undefined {
  const isWhole = UNDIVIDED.has(key) && typeof later.arguments !== 'string';
  return isWhole ? undefined : (joinChunks(earlier, later) ?? undefined);
}

function joinLists(earlier: JsonValue[], later: JsonValue[]): JsonValue[] | undefined {
  // Without an index it is unknown which entries belong together.
  if (earlier.length !== later.length || (earlier.length > 1 && !earlier.every(hasIndex))) return undefined;
  const joined = earlier.map((value, index) => joinValues('', value, later[index]));
  return joined.includes(undefined) ? undefined : (joined as JsonValue[]);
}

const hasIndex = (value: JsonValue): boolean => isObject(value) && typeof value.index === 'number';

/** Number of characters in the growing texts of a chunk. */
function growthOf(value: JsonValue, key = ''): number {
  if (typeof value === 'string') return GROWING.has(key) ? value.length : 0;
  if (Array.isArray(value)) return value.reduce((sum: number, item) => sum + growthOf(item), 0);
  if (!isObject(value)) return 0;
  return Object.entries(value).reduce((sum, [name, inner]) => sum + growthOf(inner, name), 0);
}
