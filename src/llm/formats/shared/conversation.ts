import { isObject, type JsonObject, type JsonValue } from '../../../platform/json.js';
import type { ContentPart, Message, Prompt, ToolCall } from '../../shared/blueprint.js';
import { objectsIn, textOrNull } from '../../shared/json-reading.js';

/** A call of a tool by the model. */
export interface Call {
  /** Never empty: calls stored without an id get one, and so do their results. */
  id: string;
  /** Whether the id was stored rather than generated here. */
  idGiven: boolean;
  /** The id of the vendor's own record of the call; null when there is none. */
  itemId: string | null;
  name: string;
  /** JSON text, or the value itself: some vendors' clients store it parsed. */
  arguments: JsonValue;
  /** Signature that the vendor requires back with the call, as a proof of its origin; null when there is none. */
  signature: string | null;
  /** Whether it was stored as `function_call`. */
  deprecated: boolean;
}

export interface AssistantTurn {
  role: 'assistant';
  name: string | null;
  parts: ContentPart[];
  calls: Call[];
}

export interface ToolTurn {
  role: 'tool';
  /** The name of the tool; null when neither the message nor a call has it. */
  name: string | null;
  parts: ContentPart[];
  callId: string;
  idGiven: boolean;
  /** Whether it was stored with the role `function`. */
  deprecated: boolean;
}

export interface SpokenTurn {
  role: 'system' | 'developer' | 'user';
  name: string | null;
  parts: ContentPart[];
}

export type Turn = SpokenTurn | AssistantTurn | ToolTurn;

type StoredCall = Partial<Omit<ToolCall, 'function'>> & { function?: JsonValue; provider_metadata?: JsonValue };

/**
 * The turns of a prompt in order: every message but unfilled placeholders. A completion is one turn of the user. The
 * older `function_call` and its results are calls and results like any others, marked as deprecated.
 */
export function readConversation(prompt: Prompt): Turn[] {
  if (prompt.type === 'completion') return [{ role: 'user', name: null, parts: partsOf(prompt.content) }];
  return new ConversationReader().read(prompt.messages ?? []);
}

/** The text parts of a list, joined without anything between them: vendors cut one text into several parts. */
export function textOf(parts: ContentPart[]): string {
  return parts.map((part) => (part.type === 'text' && typeof part.text === 'string' ? part.text : '')).join('');
}

export function hasText(parts: ContentPart[]): boolean {
  return parts.some((part) => part.type === 'text' && typeof part.text === 'string');
}

/** Every text of a prompt, for endpoints that take one text. */
export function promptText(prompt: Prompt): string {
  return readConversation(prompt)
    .map((turn) => textOf(turn.parts))
    .filter((text) => text !== '')
    .join('\n\n');
}

/** Pairs calls with their results, which older messages do by order and name only. */
class ConversationReader {
  private readonly calls: Call[] = [];
  private readonly unanswered = new Set<Call>();
  private made = 0;

  read(messages: Message[]): Turn[] {
    return messages.map((message) => this.readMessage(message)).filter((turn) => turn !== null);
  }

  private readMessage(message: Message): Turn | null {
    const parts = partsOf(message.content);
    const name = textOrNull(message.name);
    switch (message.role) {
      case 'system':
      case 'developer':
      case 'user':
        return { role: message.role, name, parts };
      case 'assistant':
        return { role: 'assistant', name, parts, calls: this.readCalls(message) };
      case 'tool':
      case 'function':
        return this.readResult(message, name, parts);
      default:
        return null;
    }
  }

  private readCalls(message: Message): Call[] {
    const stored: StoredCall[] = objectsIn(message.tool_calls as JsonValue);
    const calls = stored.map((call) => this.readCall(call, false)).filter((call) => call !== null);
    const older = message.function_call && this.readCall({ function: message.function_call }, true);
    if (older) calls.push(older);
    for (const call of calls) {
      this.calls.push(call);
      this.unanswered.add(call);
    }
    return calls;
  }

  private readCall(stored: StoredCall, deprecated: boolean): Call | null {
    const called = isObject(stored.function) ? stored.function : {};
    const name = textOrNull(called.name);
    if (name === null) return null;
    const id = textOrNull(stored.id);
    return {
      id: id ?? this.makeId(),
      idGiven: id !== null,
      itemId: textOrNull(stored.tool_id),
      name,
      arguments: called.arguments ?? '{}',
      signature: isObject(stored.provider_metadata) ? textOrNull(stored.provider_metadata.thought_signature) : null,
      deprecated,
    };
  }

  private readResult(message: Message, name: string | null, parts: ContentPart[]): ToolTurn {
    const id = textOrNull(message.tool_call_id);
    const call = id === null ? this.findUnanswered(name) : this.calls.findLast((candidate) => candidate.id === id);
    if (call) this.unanswered.delete(call);
    return {
      role: 'tool',
      name: name ?? call?.name ?? null,
      parts,
      callId: id ?? call?.id ?? this.makeId(),
      idGiven: id !== null,
      deprecated: message.role === 'function',
    };
  }

  private findUnanswered(name: string | null): Call | undefined {
    const open = [...this.unanswered].filter((call) => !call.idGiven);
    return open.find((call) => name === null || call.name === name);
  }

  /** Nine letters and digits: the only form all vendors take. */
  private makeId(): string {
    this.made++;
    return `call${String(this.made).padStart(5, '0')}`;
  }
}

/** A content is a list of parts; older logs hold plain text. */
function partsOf(content: JsonValue | JsonObject[] | undefined): ContentPart[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return objectsIn(content).filter((part): part is ContentPart => typeof part.type === 'string');
}
