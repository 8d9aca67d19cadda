import type { PromptMetadata, PromptTemplate } from '../api/schema.gen';
import { readMessages } from '../reading/blocks';

/** A part of a prompt that can be edited as text. */
export interface EditableMessage {
  role: string;
  text: string;
  /** False for a message with more than one text: it is edited as JSON. */
  isText: boolean;
}

/** Everything that defines a version, for comparison: model, parameters, messages, tools. */
export function versionText(template: PromptTemplate, metadata: PromptMetadata | null): string {
  const { model } = metadata ?? {};
  const parts = [model ? `model: ${model.provider}/${model.name}` : 'no model'];
  const { parameters } = model ?? {};
  if (parameters && Object.keys(parameters).length > 0) parts.push(`parameters: ${asJson(parameters)}`);
  parts.push(...readMessages(template).map(({ role, text }) => `${role}:\n${text}`));
  const { tools } = template as { tools?: unknown[] | null };
  if (tools && tools.length > 0) parts.push(`tools: ${asJson(tools)}`);
  return parts.join('\n\n');
}

/** The messages of a chat, or the content of a completion as one message. */
export function editableMessages(template: PromptTemplate): EditableMessage[] {
  return messagesOf(template).map((message) => {
    const { role, content } = message;
    const text = plainText(message);
    return { role, text: text ?? asJson('role' in message && role !== '' ? message : content), isText: text !== null };
  });
}

/**
 * The body of a PATCH for edited messages. Unedited ones stay as they are, with all fields that the text does not show.
 * Throws a SyntaxError for invalid JSON.
 */
export function editedContent(template: PromptTemplate, edited: EditableMessage[]): object {
  const before = messagesOf(template);
  const known = editableMessages(template);
  const messages = edited.map((message, at) => {
    const [original, was] = [before[at], known[at]];
    if (original && was && was.text === message.text && was.role === message.role) return original;
    if (!message.isText) return JSON.parse(message.text) as object;
    // A new message is written like the existing ones.
    const like = original ?? { template_format: before[0]?.template_format };
    return { ...like, role: message.role, content: [{ type: 'text', text: message.text }] };
  });
  if (template.type === 'chat') return { messages };
  return { content: (messages[0] as LooseMessage | undefined)?.content ?? messages[0] };
}

/**
 * The body of a PATCH for parameters that were edited as JSON. Missing ones are removed. Throws when the text is no
 * JSON object.
 */
export function changedParameters(before: object, text: string): object {
  const parameters: unknown = text === '' ? {} : JSON.parse(text);
  if (typeof parameters !== 'object' || parameters === null || Array.isArray(parameters)) {
    throw new Error('Parameters are a JSON object, such as {"temperature": 0.2}.');
  }
  const removed = Object.keys(before).filter((name) => !Object.hasOwn(parameters, name));
  return { model_parameters: parameters, removed_model_parameters: removed };
}

interface LooseMessage {
  role: string;
  content: unknown;
  tool_calls?: unknown[] | null;
  template_format?: string;
}

function messagesOf(template: PromptTemplate): LooseMessage[] {
  if (template.type === 'chat') return (template.messages ?? []) as unknown as LooseMessage[];
  return [{ role: '', content: template.content }];
}

/** The text of a message; null when it has more than one. */
function plainText({ content, tool_calls: calls }: LooseMessage): string | null {
  if (calls && calls.length > 0) return null;
  const parts = (content ?? []) as { type: string; text?: string }[];
  if (!Array.isArray(parts) || parts.length > 1) return null;
  const [part] = parts;
  if (!part) return '';
  return part.type === 'text' ? (part.text ?? '') : null;
}

const asJson = (value: unknown): string => JSON.stringify(value, null, 2);
