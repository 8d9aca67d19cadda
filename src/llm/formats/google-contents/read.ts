import { listAt, objectAt, objectsIn, textAt, without } from '../../shared/json-reading.js';
import { isObject, type JsonObject, type JsonValue } from '../../../platform/json.js';
import { type ContentPart, type Message, newChat } from '../../shared/blueprint.js';
import { readInstructions, readMessages } from '../../messages/messages.js';
import { firstText } from '../../messages/parts.js';
import { chunksOf } from '../shared/chunks.js';
import type { NativeCall, FormatReading, StreamPiece, VendorFormat } from '../shared/vendor-format.js';
import { reading, toolsOf } from '../shared/reading.js';
import type { TokenUsage } from '../../shared/token-usage.js';
import { googleUsage } from './usage.js';

const CONTENTS = ['contents', 'history', 'message', 'content'];
const CONFIGS = ['config', 'generation_config', 'generationConfig'];
const INSTRUCTIONS = ['system_instruction', 'systemInstruction'];
const TOOLS = ['tools', 'tool_config', 'toolConfig'];

/** Google's contents and candidates, of its own API and of Vertex AI, in snake_case (Python) and camelCase. */
export const googleContents: VendorFormat = {
  reads: ({ functionName, request, response }) =>
    /^google\.|generate_?content/i.test(functionName) ||
    Array.isArray(request.contents) ||
    chunksOf(response).some((chunk) => Array.isArray(chunk.candidates)),
  read: readGoogle,
  streams: ({ candidates }) => Array.isArray(candidates),
  stream: {
    reads: (chunk) => Array.isArray(chunk.candidates) || objectAt(chunk, 'promptFeedback') !== null,
    piece: pieceOf,
    ends: (chunk) =>
      textAt(objectAt(chunk, 'promptFeedback') ?? {}, 'blockReason') !== null ||
      listAt(chunk, 'candidates').some((candidate) => textAt(candidate, 'finishReason') !== null),
  },
};

function pieceOf(chunk: JsonObject): StreamPiece | null {
  const first = listAt(chunk, 'candidates').find((candidate) => isObject(candidate) && (candidate.index ?? 0) === 0);
  const parts = objectsIn(listAt(objectAt(first, 'content'), 'parts'));
  const text = parts.map((part) => (part.thought === true ? '' : (textAt(part, 'text') ?? ''))).join('');
  return text !== '' || parts.some((part) => part.text !== '') ? { text } : null;
}

function readGoogle(call: NativeCall): FormatReading {
  const { request, positional } = call;
  const config = objectAt(request, ...CONFIGS) ?? {};
  const settings = { ...config, ...request };
  const chunks = chunksOf(call.response);
  const answer = chunks.findLast((chunk) => usageOf(chunk) !== null) ?? chunks.at(-1) ?? null;
  const readsPositional = positional.length === 1 && CONTENTS.every((member) => request[member] === undefined);
  const asked = [...CONTENTS.map((member) => request[member]), ...(readsPositional ? positional : [])];
  return reading({ ...call, response: answer ?? call.response }, [...CONTENTS, ...CONFIGS, ...INSTRUCTIONS, ...TOOLS], {
    model: textAt(request, 'model') ?? modelOf(answer),
    answeredBy: modelOf(answer),
    apiType: 'generate-content',
    input: newChat([...instructions(settings), ...asked.flatMap((contents) => readContents(contents, 'user'))], {
      tools: toolsOf(settings.tools),
      tool_choice: settings.tool_config ?? settings.toolConfig ?? null,
    }),
    output: newChat(readAnswers(chunks)),
    parameters: {
      ...without(request, ['model', ...CONTENTS, ...CONFIGS, ...INSTRUCTIONS, ...TOOLS]),
      ...without(config, [...INSTRUCTIONS, ...TOOLS]),
    },
    recognised: chunks.some((chunk) => listAt(chunk, 'candidates').length > 0),
    usage: grounded(chunks, googleUsage(usageOf(answer))),
    readsPositional,
  });
}

/** Grounding is billed separately, and the first uses of a day are free. */
function grounded(chunks: JsonObject[], usage: TokenUsage): TokenUsage {
  const isGrounded = chunks
    .flatMap((chunk) => listAt(chunk, 'candidates'))
    .map((candidate) => (isObject(candidate) ? objectAt(candidate, 'groundingMetadata', 'grounding_metadata') : null))
    .some((metadata) => listAt(metadata, 'webSearchQueries', 'web_search_queries').length > 0);
  return isGrounded ? { ...usage, hasOtherCharges: true } : usage;
}

function usageOf(answer: JsonObject | null): JsonObject | null {
  return objectAt(answer, 'usageMetadata', 'usage_metadata');
}

function modelOf(answer: JsonObject | null): string | null {
  return textAt(answer, 'modelVersion') ?? textAt(answer, 'model_version');
}

function instructions(settings: JsonObject): Message[] {
  const given = INSTRUCTIONS.map((member) => settings[member]).find((value) => value !== undefined && value !== null);
  const parts = isObject(given) && Array.isArray(given.parts) ? given.parts.map(plainPart) : given;
  const message = readInstructions(parts);
  return message ? [message] : [];
}

/** Contents are a list of turns, one turn, a list of parts, a part, or a text. */
function readContents(contents: JsonValue | undefined, fallback: Message['role']): Message[] {
  if (contents === undefined || contents === null) return [];
  const list = Array.isArray(contents) ? contents : [contents];
  const areTurns = list.every((entry) => isObject(entry) && (Array.isArray(entry.parts) || entry.role !== undefined));
  return areTurns
    ? readMessages(list.map(plainTurn), fallback)
    : readMessages([{ parts: list.map(plainPart) }], fallback);
}

function plainTurn(turn: JsonValue): JsonValue {
  return isObject(turn) && Array.isArray(turn.parts) ? { ...turn, parts: turn.parts.map(plainPart) } : turn;
}

/** A part without empty members: Python prints every member that a part could have. */
function plainPart(part: JsonValue): JsonValue {
  if (!isObject(part)) return part;
  const {
    thoughtSignature,
    thought_signature = thoughtSignature,
    ...held
  } = Object.fromEntries(Object.entries(part).filter(([, value]) => value !== null));
  if (thought_signature === undefined) return held;
  return held.thought === true ? { ...held, signature: thought_signature } : { ...held, thought_signature };
}

/** One message per candidate. A stream delivers each of them in pieces. */
function readAnswers(chunks: JsonObject[]): Message[] {
  const parts = new Map<JsonValue, JsonValue[]>();
  for (const candidate of chunks.flatMap((chunk) => listAt(chunk, 'candidates'))) {
    if (!isObject(candidate)) continue;
    const index = candidate.index ?? 0;
    const said = parts.get(index) ?? [];
    said.push(...listAt(objectAt(candidate, 'content'), 'parts').map(plainPart));
    parts.set(index, said);
  }
  return [...parts.values()]
    .filter((said) => said.length > 0)
    .flatMap((said) => readMessages([{ role: 'model', parts: said }], 'assistant'))
    .map((message) => ({ ...message, content: joinTexts(message.content ?? []) }));
}

/** Pieces of one text, or of one thought, that came one after the other. */
function joinTexts(parts: ContentPart[]): ContentPart[] {
  const joined: ContentPart[] = [];
  for (const part of parts) {
    const last = joined.at(-1);
    const member = part.type === 'text' ? 'text' : part.type === 'thinking' ? 'thinking' : null;
    const isPiece = member !== null && last?.type === part.type && last.thought_signature === undefined;
    if (isPiece) Object.assign(last, { ...part, [member]: firstText(last[member]) + firstText(part[member]) });
    else joined.push({ ...part });
  }
  return joined;
}
