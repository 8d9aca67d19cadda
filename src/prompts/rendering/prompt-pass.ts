import { addressOf, withAddress } from './addresses.js';
import type { ChatPrompt, CompletionPrompt, ContentPart, Message, Prompt } from '../../llm/shared/blueprint.js';
import { isObject, type JsonObject, type JsonValue } from '../../platform/json.js';
import { MAX_TEXT } from '../../platform/sandbox/jinja/text.js';
import { formatFString } from './f-string.js';
import { hasTags, isSchemaTemplate, renderWithoutTags } from './jinja-text.js';
import { isNamed, mapTexts, textOf } from './json-objects.js';
import { toImageUrl, toMediaPart } from './media.js';
import { renderSchema } from './response-format.js';
import { toFunctionTool, toMessage } from './supplied.js';
import type { Warnings } from './warnings.js';

type TemplateFormat = Message['template_format'];

/** Renders a Jinja text. Warnings name `place`, the position of the text in the prompt. */
export type RenderTemplate = (template: string, place: string) => string;

/** Copies a prompt and its parameters with all variables replaced. Never changes its arguments. */
export class PromptPass {
  private readonly variables: JsonObject;
  private readonly isSearch: boolean;
  /** Characters left for the results of all format strings, which are rendered in this process. */
  private room = MAX_TEXT;

  /** @param variables null to look for templates only: other texts are left alone then */
  constructor(
    variables: JsonObject | null,
    private readonly warnings: Warnings,
    private readonly renderTemplate: RenderTemplate,
  ) {
    this.variables = variables ?? {};
    this.isSearch = variables === null;
  }

  prompt(prompt: Prompt): Prompt {
    return prompt.type === 'chat' ? this.chat(prompt) : this.completion(prompt);
  }

  parameters(parameters: JsonObject): JsonObject {
    if (!isObject(parameters.response_format)) return parameters;
    const response_format = renderSchema(parameters.response_format, {
      text: (text) => this.schemaText(text, 'response_format'),
      values: (name) => this.list(name, `The enum ${name}`),
      schema: (name) => this.schema(name),
    });
    return { ...parameters, response_format };
  }

  private chat(prompt: ChatPrompt): ChatPrompt {
    const messages = prompt.messages.flatMap((message, index) => this.message(message, `message index ${index}`));
    const tools = prompt.tools && prompt.tools.flatMap((tool) => this.tool(tool));
    const functions = prompt.functions && prompt.functions.map((definition) => this.definition(definition));
    return { ...prompt, messages, tools, functions };
  }

  private completion(prompt: CompletionPrompt): CompletionPrompt {
    return { ...prompt, content: this.content(prompt.content, prompt.template_format, 'the prompt') };
  }

  private message(message: Message, place: string): Message[] {
    if (message.role === 'placeholder') return this.placeholder(message.name ?? '');
    const { content, template_format: format } = message;
    return [content ? { ...message, content: this.content(content, format, place) } : message];
  }

  private placeholder(name: string): Message[] {
    return this.converted(name, `The placeholder ${name}`, toMessage);
  }

  private content(content: ContentPart[], format: TemplateFormat, place: string): ContentPart[] {
    return content.flatMap((part) => {
      if (part.type === 'text') return [{ ...part, text: this.text(textOf(part.text) ?? '', format, place) }];
      if (part.type === 'media_variable') return this.media(textOf(part.name) ?? '');
      const addressed = this.addressed(part, format, place);
      return part.type === 'image_url' ? this.image(addressed) : [addressed];
    });
  }

  private addressed(part: ContentPart, format: TemplateFormat, place: string): ContentPart {
    const address = addressOf(part);
    return address === null ? part : withAddress(part, this.text(address, format, place));
  }

  private text(text: string, format: TemplateFormat, place: string): string {
    if (format === 'jinja2') return hasTags(text) ? this.renderTemplate(text, place) : renderWithoutTags(text);
    if (this.isSearch) return text;
    const formatted = formatFString(text, this.variables, this.room);
    this.room -= formatted.text.length;
    this.warnings.addMissing(formatted.missing);
    if (formatted.problem) this.warnings.add(`The text in ${place} was left as it is: ${formatted.problem}`);
    if (formatted.isTooLong) this.warnings.add(`The text in ${place} was left as it is: it becomes too long.`);
    return formatted.text;
  }

  private media(name: string): ContentPart[] {
    return this.converted(name, `The media variable ${name}`, (item) =>
      typeof item === 'string' && item !== '' ? toMediaPart(item) : null,
    );
  }

  /** Replaces a variable image with the supplied value, or else with its example. Drops it without either. */
  private image(part: ContentPart): ContentPart[] {
    const name = textOf(part.image_variable);
    if (name === null || name === '') return [part];
    const image = isObject(part.image_url) ? part.image_url : {};
    const value = this.value(name);
    const source = Array.isArray(value) ? value[0] : value;
    const hasSource = typeof source === 'string' && source !== '';
    if (!hasSource && value !== undefined) this.warnings.add(`The image variable ${name} is no text and was left out.`);
    const url = hasSource ? toImageUrl(source) : textOf(image.url);
    return url ? [{ ...part, image_url: { ...image, url }, image_variable: null }] : [];
  }

  private tool(tool: JsonValue): JsonValue[] {
    if (isNamed(tool, 'variable')) return this.converted(tool.name, `The tool variable ${tool.name}`, toFunctionTool);
    if (!isObject(tool)) return [tool];
    if (tool.type === 'registry') {
      this.warnings.add(`The registry tool ${String(tool.tool_registry_id)} was not found and left out.`);
      return [];
    }
    return tool.type === 'function' ? [{ ...tool, function: this.definition(tool.function ?? null) }] : [tool];
  }

  private definition(definition: JsonValue): JsonValue {
    return mapTexts(definition, (text) => this.schemaText(text, 'tools'));
  }

  private schemaText(text: string, place: string): string {
    return isSchemaTemplate(text) ? this.renderTemplate(text, place) : text;
  }

  private schema(name: string): JsonObject | null {
    const value = this.value(name);
    if (value === undefined || isObject(value)) return value ?? null;
    this.warnings.add(`The schema variable ${name} is no object and was left out.`);
    return null;
  }

  /** The supplied value. Undefined if there is none, which is reported as missing, or if it is null, which is not. */
  private value(name: string): Exclude<JsonValue, null> | undefined {
    if (!Object.hasOwn(this.variables, name)) this.warnings.addMissing([name]);
    return (Object.hasOwn(this.variables, name) ? this.variables[name] : null) ?? undefined;
  }

  private list(name: string, subject: string): JsonValue[] | undefined {
    const value = this.value(name);
    if (value === undefined || Array.isArray(value)) return value;
    this.warnings.add(`${subject} is no list and was left out.`);
    return undefined;
  }

  /** Converts the items of a supplied list. Drops items that cannot be converted. */
  private converted<T>(name: string, subject: string, convert: (item: JsonValue) => T | null): T[] {
    const items = (this.list(name, subject) ?? []).map(convert);
    const kept = items.filter((item) => item !== null);
    if (kept.length < items.length) this.warnings.add(`${subject} has items of another kind, which were left out.`);
    return kept;
  }
}
