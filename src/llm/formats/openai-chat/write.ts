import type { JsonObject } from '../../../platform/json.js';
import type { ContentPart } from '../../shared/blueprint.js';
import { toolsAndFunctions, toolsOnly } from './tools.js';
import {
  type AssistantTurn,
  type Call,
  hasText,
  readConversation,
  textOf,
  type ToolTurn,
  type Turn,
} from '../shared/conversation.js';
import { argumentsText, compact } from '../../shared/json-reading.js';
import { type Media, mediaAddress, readMedia } from '../shared/media.js';
import { completionKwargs } from './openai-completions.js';
import type { ModelCall } from '../../providers/model-provider.js';

/** How the APIs in the format of OpenAI's chats differ. */
export interface ChatDialect {
  /** Whether there is a role `developer`; otherwise it becomes `system`. */
  developer: boolean;
  /** Which messages may have a name: all but the results of tools, those alone, or none. */
  names: 'speakers' | 'tools' | 'none';
  /** Whether the older functions exist; otherwise they become tools. */
  functions: boolean;
  /** Whether tools can be declared strict. */
  strict: boolean;
  /** A picture or file in a message of the user; null for media that the API does not accept. */
  media(media: Media): JsonObject | null;
  /** Members of an assistant's message besides its text and calls. */
  assistant?(turn: AssistantTurn): JsonObject;
}

const AUDIO_FORMATS = new Map([
  ['audio/wav', 'wav'],
  ['audio/x-wav', 'wav'],
  ['audio/mp3', 'mp3'],
  ['audio/mpeg', 'mp3'],
]);

export const OPENAI_DIALECT: ChatDialect = {
  developer: true,
  names: 'speakers',
  functions: true,
  strict: true,
  media: openAiMedia,
};

/** `{messages, tools, …}`, or `{prompt}` for a completion, in the format of OpenAI. */
export function openAiLikeKwargs(call: ModelCall): JsonObject {
  if (call.prompt.type === 'completion') return completionKwargs(call);
  return chatKwargs(call, OPENAI_DIALECT);
}

/** Arguments of a chat. A completion becomes a chat of one message. */
export function chatKwargs(call: ModelCall, dialect: ChatDialect): JsonObject {
  return {
    messages: chatMessages(readConversation(call.prompt), dialect),
    ...(dialect.functions ? toolsAndFunctions(call.prompt) : toolsOnly(call.prompt, dialect)),
    model: call.model,
    ...call.parameters,
  };
}

/** A picture of any kind, sound in the two formats that the API supports, other files by content or by id. */
export function openAiMedia(media: Media): JsonObject | null {
  switch (media.kind) {
    case 'image':
      return imageUrlPart(media);
    case 'audio':
      return audioPart(media);
    case 'file':
      return filePart(media);
    default:
      return null;
  }
}

export function imageUrlPart(media: Media): JsonObject | null {
  const url = mediaAddress(media);
  return url === null ? null : { type: 'image_url', image_url: compact({ url, detail: media.detail }) };
}

export function audioPart({ mime, data }: Media): JsonObject | null {
  const format = AUDIO_FORMATS.get(mime);
  return data === null || format === undefined ? null : { type: 'input_audio', input_audio: { data, format } };
}

/** The messages of a conversation. A message that has lost all its content is skipped: the API refuses empty ones. */
export function chatMessages(turns: Turn[], dialect: ChatDialect): JsonObject[] {
  return turns.map((turn) => toMessage(turn, dialect)).filter((message) => message !== null);
}

function filePart(media: Media): JsonObject | null {
  if (media.id !== null) return { type: 'file', file: { file_id: media.id } };
  if (media.data === null) return null;
  return { type: 'file', file: { filename: media.title ?? 'media', file_data: mediaAddress(media) } };
}

function toMessage(turn: Turn, dialect: ChatDialect): JsonObject | null {
  switch (turn.role) {
    case 'user':
      return named(turn, dialect, {
        content: turn.parts.map((part) => userPart(part, dialect)).filter((p) => p !== null),
      });
    case 'assistant':
      return assistantMessage(turn, dialect);
    case 'tool':
      return resultMessage(turn, dialect);
    default:
      return hasText(turn.parts) ? named(turn, dialect, { content: textOf(turn.parts) }) : null;
  }
}

/** null when no content is left: the API refuses empty lists. */
function named(turn: Turn, dialect: ChatDialect, message: { content: string | JsonObject[] }): JsonObject | null {
  if (message.content.length === 0 && Array.isArray(message.content)) return null;
  const role = turn.role === 'developer' && !dialect.developer ? 'system' : turn.role;
  return compact({ role, ...message, name: dialect.names === 'speakers' ? turn.name : null });
}

function userPart(part: ContentPart, dialect: ChatDialect): JsonObject | null {
  if (part.type === 'text') return typeof part.text === 'string' ? { type: 'text', text: part.text } : null;
  const media = readMedia(part);
  return media && dialect.media(media);
}

function assistantMessage(turn: AssistantTurn, dialect: ChatDialect): JsonObject | null {
  const older = dialect.functions ? turn.calls.find((call) => call.deprecated) : undefined;
  const calls = turn.calls.filter((call) => call !== older);
  const said = compact({
    content: hasText(turn.parts) ? textOf(turn.parts) : null,
    tool_calls: calls.map(toToolCall),
    function_call: older && { name: older.name, arguments: argumentsText(older.arguments) },
    ...dialect.assistant?.(turn),
  });
  if (Object.keys(said).length === 0) return null;
  return compact({ role: 'assistant', ...said, name: dialect.names === 'speakers' ? turn.name : null });
}

function toToolCall(call: Call): JsonObject {
  return { id: call.id, type: 'function', function: { name: call.name, arguments: argumentsText(call.arguments) } };
}

function resultMessage(turn: ToolTurn, dialect: ChatDialect): JsonObject {
  const content = textOf(turn.parts);
  if (turn.deprecated && dialect.functions) return compact({ role: 'function', name: turn.name, content });
  const name = dialect.names === 'tools' ? turn.name : null;
  return compact({ role: 'tool', content, tool_call_id: turn.callId, name });
}
