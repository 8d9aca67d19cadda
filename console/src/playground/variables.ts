import { type EditableMessage, type Json, type Part, partsOf } from '../prompts/template-text';
import { fStringNames } from './f-string';
import { jinjaNames } from './jinja';

/** The fields of a prompt that may hold variables. JSON is kept as it was typed. */
interface Templates {
  format: string;
  messages: (EditableMessage & { images: string[] })[];
  tools: string;
  schema: string;
}

/** The variables of a prompt, as the server finds them, each once and in the order in which they occur. */
export function variablesIn({ format, messages, tools, schema }: Templates): string[] {
  const found = messages.flatMap(({ text, isText, images, original }) => {
    if (isText) return [text, ...images].flatMap((each) => namesIn(each, original?.template_format ?? format));
    const message = readJson(text);
    // The content of a completion is a list.
    return message === undefined ? namesIn(text, format) : namesOfMessage(message, format);
  });
  return [...new Set([...found, ...schemaNames(readJson(tools)), ...schemaNames(readJson(schema))])];
}

const namesIn = (text: string, format: unknown): string[] =>
  format === 'jinja2' ? jinjaNames(text) : fStringNames(text);

function namesOfMessage(given: unknown, format: string): string[] {
  const message = (Array.isArray(given) ? { content: given } : (given ?? {})) as Json;
  if (message.role === 'placeholder') return nonEmpty(message.name);
  return partsOf(message).flatMap((part) => namesOfPart(part, message.template_format ?? format));
}

function namesOfPart(part: Part, format: unknown): string[] {
  if (part.type === 'text') return namesIn(String(part.text ?? ''), format);
  if (part.type === 'media_variable') return nonEmpty(part.name);
  const named = Object.entries(part).flatMap(([key, value]) => (key.endsWith('_variable') ? nonEmpty(value) : []));
  const url = addressOf(part);
  return [...named, ...(url === null ? [] : namesIn(url, format))];
}

const nonEmpty = (name: unknown): string[] => (typeof name === 'string' && name !== '' ? [name] : []);

/** Members of a part that hold the address of a picture, a sound or a file. */
const HOLDERS = ['image_url', 'media', 'file', 'input_audio', 'document', 'video'];

/** The address of a part on the web, which may hold variables. */
function addressOf(part: Part): string | null {
  const holder = HOLDERS.map((name) => part[name] as Json | undefined).find((each) => each?.url !== undefined);
  const url = (holder ?? part).url;
  return typeof url === 'string' && /^\s*(?:https?:|\{)/i.test(url) ? url : null;
}

/** Variables in tools and schemas: named nodes, and texts that are Jinja. */
function schemaNames(value: unknown): string[] {
  if (typeof value === 'string') return /\{[{%]/.test(value) ? jinjaNames(value) : [];
  if (typeof value !== 'object' || value === null) return [];
  const { type, name } = value as Json;
  if (type === 'variable' || type === 'enum_variable') return nonEmpty(name);
  return Object.values(value).flatMap(schemaNames);
}

/** undefined for a text that is no JSON yet. */
function readJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
