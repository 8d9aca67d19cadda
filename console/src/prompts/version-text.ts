import type { PromptMetadata, PromptTemplate } from '../api/schema.gen';
import { readMessages } from '../reading/blocks';
import { type Json, type LooseMessage, partsOf } from './template-text';

/** The content of a version, as the API answers it. */
interface Version {
  prompt_template: PromptTemplate;
  metadata: PromptMetadata | null;
}

/** Everything that defines a version, for comparison: model, parameters, messages, tools, and all other fields. */
export function versionText({ prompt_template: template, metadata }: Version): string {
  const { model, ...others } = metadata ?? {};
  const { provider, name, parameters, ...settings } = model ?? {};
  const { messages = [], content, tools, type: _, input_variables: __, ...rest } = template as unknown as LooseTemplate;
  const shown = messages.length > 0 ? messages : [{ role: 'text', content }];
  return [
    model ? `model: ${provider}/${name}` : 'no model',
    ...line('parameters', parameters),
    ...line('settings of the model', settings),
    ...line('metadata', others),
    ...readMessages(template).flatMap(({ role, text }, at) => [
      `${role}:\n${text}`,
      ...line('fields of the message', hiddenFields(shown[at]!)),
    ]),
    ...line('tools', tools),
    ...line('fields of the prompt', rest),
  ].join('\n\n');
}

interface LooseTemplate extends Json {
  messages?: LooseMessage[];
}

/** The fields that the text of a message does not show, or not as a whole. */
function hiddenFields({ content, tool_calls: calls, ...message }: LooseMessage): Json {
  const parts = partsOf({ content }).map((part) => (part.type === 'text' ? without(part, 'type', 'text') : part));
  const ids = Array.isArray(calls) ? calls.map((call: Json) => without(call, 'type', 'function')) : [];
  return { ...without(message, 'role', 'input_variables'), tool_calls: ids, content: parts };
}

const without = (value: Json, ...names: string[]): Json =>
  Object.fromEntries(Object.entries(value).filter(([name]) => !names.includes(name)));

const line = (name: string, value: unknown): string[] => {
  const short = compact(value);
  return short === undefined ? [] : [`${name}: ${JSON.stringify(short, null, 2)}`];
};

/** Longer texts are cut: files and pictures have megabytes. */
const LONGEST_TEXT = 2000;

/** A value without its empty members, and with long texts cut; undefined for nothing. */
function compact(value: unknown): unknown {
  if (value === null || value === undefined || value === '' || value === 'f-string') return undefined;
  if (typeof value === 'string') return value.length > LONGEST_TEXT ? cut(value) : value;
  if (typeof value !== 'object') return value;
  if (Array.isArray(value)) {
    const items = value.map((item) => compact(item) ?? null);
    return items.some((item) => item !== null) ? items : undefined;
  }
  const entries = Object.entries(value).flatMap(([key, item]) => {
    const short = compact(item);
    return short === undefined ? [] : [[key, short] as const];
  });
  return entries.length > 0 ? Object.fromEntries(entries) : undefined;
}

/** The beginning, with the length and a checksum (FNV-1a) of the whole, so that a difference further on shows. */
function cut(text: string): string {
  let sum = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) sum = Math.imul(sum ^ text.charCodeAt(at), 0x01000193);
  return `${text.slice(0, 200)}… (${text.length} characters, checksum ${(sum >>> 0).toString(16)})`;
}

/** A version as JSON, with the members of objects in order, and without the variables that the server computes. */
export function versionJson({ prompt_template: template, metadata }: Version): string {
  const { input_variables: _, messages, ...rest } = template as unknown as LooseTemplate;
  const said = messages?.map(({ input_variables: __, ...message }) => message);
  return JSON.stringify({ ...rest, messages: said, metadata }, inOrder, 2);
}

const inOrder = (_: string, value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
    : value;
