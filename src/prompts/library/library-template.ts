import type { ContentPart, Message, Prompt } from '../../llm/shared/blueprint.js';
import type { JsonObject, JsonValue } from '../../platform/json.js';
import type { LibraryChat, LibraryMessage, LibraryText } from './library-template.schema.js';

/** The values of `_type` by which the Python library knows how to load a template. */
const TEXT_TYPE = 'prompt';
const CHAT_TYPE = 'chat_promptlayer_langchain';

/** Keys of messages and parts that the older format does not need, or has under another name. */
const PLAIN_PART_KEYS = new Set(['type', 'text']);
const PLAIN_MESSAGE_KEYS = new Set([
  'role',
  'content',
  'name',
  'function_call',
  'input_variables',
  'template_format',
  'raw_request_display_role',
  'dataset_examples',
]);

/** A template in the older format as a prompt of the registry. It still has to be parsed: nothing is checked here. */
export function fromLibraryChat({ messages, functions, function_call, tools, tool_choice }: LibraryChat): JsonObject {
  const chat = {
    type: 'chat',
    messages: messages.map(fromLibraryMessage),
    functions,
    function_call,
    tools,
    tool_choice,
  };
  return chat as JsonObject;
}

/** Converts a single text of the older format. */
export function fromLibraryText(text: LibraryText): JsonObject {
  return { type: 'completion', ...contentOf(text) };
}

function fromLibraryMessage({ role, name, prompt, additional_kwargs: more }: LibraryMessage): JsonObject {
  const call = more?.function_call as JsonValue | undefined;
  return { role, ...contentOf(prompt), ...(name && { name }), ...(call && { function_call: call }) };
}

function contentOf({ template, template_format: format }: LibraryText): JsonObject {
  return {
    content: [{ type: 'text', text: template }],
    template_format: format === 'f-string' || !format ? 'f-string' : 'jinja2',
  };
}

/** Converts a prompt to the older format. Returns the part that this format cannot express as the obstacle. */
export function toLibraryTemplate(prompt: Prompt): { template: LibraryChat | LibraryText } | { obstacle: string } {
  const obstacle = findObstacle(prompt);
  if (obstacle !== null) return { obstacle };
  if (prompt.type === 'completion') return { template: toLibraryText(prompt, prompt.content) };
  const { functions, function_call, tools, tool_choice } = prompt;
  const optional = Object.entries({ functions, function_call, tools, tool_choice }).filter(
    ([, value]) => value !== null,
  );
  const messages = prompt.messages.map(toLibraryMessage);
  const { input_variables } = prompt;
  return { template: { input_variables, messages, ...Object.fromEntries(optional), _type: CHAT_TYPE } };
}

function toLibraryMessage(message: Message): LibraryMessage {
  const { role, name, function_call } = message;
  return {
    role,
    prompt: toLibraryText(message, message.content ?? []),
    additional_kwargs: function_call ? { function_call } : {},
    ...(name && { name }),
  };
}

type Texted = Pick<Message, 'input_variables' | 'template_format'>;

function toLibraryText({ input_variables, template_format }: Texted, content: ContentPart[]): LibraryText {
  const template = content.map(({ text }) => text as string).join('');
  return { input_variables, template, template_format, validate_template: true, _type: TEXT_TYPE };
}

/** The older format has one text for each message, and nothing else. */
function findObstacle(prompt: Prompt): string | null {
  if (prompt.type === 'completion') return findInContent(prompt.content);
  for (const message of prompt.messages) {
    const found = message.role === 'placeholder' ? 'a placeholder message' : findInMessage(message);
    if (found !== null) return found;
  }
  return null;
}

function findInMessage(message: Message): string | null {
  const other = Object.entries(message).find(([key, value]) => !PLAIN_MESSAGE_KEYS.has(key) && !isEmpty(value));
  return other ? `a message with ${other[0]}` : findInContent(message.content ?? []);
}

function findInContent(content: ContentPart[]): string | null {
  const part = content.find(({ type }) => type !== 'text');
  if (part) return `content of the type ${part.type}`;
  const other = content.flatMap(Object.entries).find(([key, value]) => !PLAIN_PART_KEYS.has(key) && !isEmpty(value));
  return other ? `text with ${other[0]}` : null;
}

function isEmpty(value: JsonValue | undefined): boolean {
  return value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0);
}
