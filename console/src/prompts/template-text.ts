import type { PromptTemplate } from '../api/schema.gen';
import { parseExactly, parseField } from '../ui/exact-json';

export type Json = Record<string, unknown>;

/** A part of the content of a message, with any further fields. */
export interface Part extends Json {
  type?: string;
  text?: unknown;
}

/** A message of a prompt, with any further fields. */
export interface LooseMessage extends Json {
  role: string;
  content?: unknown;
  template_format?: string;
}

/** A part of a prompt that can be edited as text. */
export interface EditableMessage {
  role: string;
  text: string;
  /** False for a message that is more than one text: it is edited as JSON. */
  isText: boolean;
  /** The message as it was read, with the fields that are not shown. Missing in a new message. */
  original?: LooseMessage;
}

/** The messages of a chat, or the content of a completion as one message. */
export const editableMessages = (template: PromptTemplate): EditableMessage[] =>
  messagesOf(template).map((original) => {
    const { role, content } = original;
    const text = plainText(original);
    return { role, text: text ?? asJson(role === '' ? content : original), isText: text !== null, original };
  });

/**
 * A message as the API takes it: what was edited replaces that part of the original, and all other fields stay. `others`
 * follow the text. Throws an Error that names a message with invalid JSON.
 */
export function editedMessage(edited: EditableMessage, format: unknown, others: Part[] = []): Json {
  const { role, text, isText, original } = edited;
  if (isText) return { template_format: format, ...original, role, content: contentOf(edited, others) };
  const parsed = parseField(text, `The message of ${role || 'the prompt'}`);
  return role === '' ? { role, content: parsed } : (parsed as Json);
}

function contentOf({ text, original }: EditableMessage, others: Part[]): unknown {
  const parts = partsOf(original);
  if (text === '' && original && parts.length + others.length === 0) return original.content;
  const part = parts.find(({ type }) => type === 'text');
  // An empty text before a picture would be refused.
  const isLeftOut = text === '' && others.length > 0 && part?.text !== '';
  return isLeftOut ? others : [{ ...part, type: 'text', text }, ...others];
}

/** The body of a PATCH for edited messages. Throws an Error that names a message with invalid JSON. */
export function editedContent(template: PromptTemplate, edited: EditableMessage[]): object {
  // A new message is written like the existing ones.
  const format = messagesOf(template)[0]?.template_format;
  const messages = edited.map((message) => editedMessage(message, format));
  return template.type === 'chat' ? { messages } : { content: messages[0]?.content };
}

/**
 * The body of a PATCH for parameters that were edited as JSON. Missing ones are removed. Throws when the text is no
 * JSON object.
 */
export function changedParameters(before: object, text: string): object {
  const parameters: unknown = text === '' ? {} : parseExactly(text);
  if (typeof parameters !== 'object' || parameters === null || Array.isArray(parameters)) {
    throw new Error('Parameters are a JSON object, such as {"temperature": 0.2}.');
  }
  const removed = Object.keys(before).filter((name) => !Object.hasOwn(parameters, name));
  return { model_parameters: parameters, removed_model_parameters: removed };
}

/** The model of a new version, null for none. Throws an Error where the API could not do what the fields say. */
export function editedModel(hadModel: boolean, typed: ModelName): ModelName | null {
  const [provider, name] = [typed.provider.trim(), typed.name.trim()];
  if (provider !== '' && name !== '') return { provider, name };
  if (hadModel) throw new Error('A version cannot lose its model. Choose a provider and a model.');
  if (provider !== '' || name !== '') throw new Error('Choose both a provider and a model, or neither.');
  return null;
}

interface ModelName {
  provider: string;
  name: string;
}

/** The parts of a content; none for one that is no list. */
export const partsOf = (message: { content?: unknown } | undefined): Part[] =>
  Array.isArray(message?.content) ? (message.content as Part[]) : [];

function messagesOf(template: PromptTemplate): LooseMessage[] {
  if (template.type === 'chat') return (template.messages ?? []) as unknown as LooseMessage[];
  return [{ role: '', content: template.content }];
}

/** Whether a message calls functions: its text is not all that it says. */
export function isCall({ tool_calls: calls, function_call: call }: LooseMessage): boolean {
  return Boolean(call) || (Array.isArray(calls) && calls.length > 0);
}

/** The text of a message; null when it is more than one. */
function plainText(message: LooseMessage): string | null {
  const { role, content } = message;
  // The name of a placeholder says all.
  if (role === 'placeholder' || isCall(message)) return null;
  const parts = partsOf(message);
  if (parts.length > 1 || (content && !Array.isArray(content))) return null;
  const [part] = parts;
  if (!part) return '';
  return part.type === 'text' ? String(part.text ?? '') : null;
}

const asJson = (value: unknown): string => JSON.stringify(value, null, 2);
