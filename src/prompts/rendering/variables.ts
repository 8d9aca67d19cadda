import type { ContentPart, Message, Prompt } from '../../llm/shared/blueprint.js';
import { isObject, type JsonObject, type JsonValue } from '../../platform/json.js';
import type { JinjaSandbox } from '../../platform/sandbox/jinja-sandbox.js';
import type { TurnOwner } from '../../platform/turns.js';
import { addressOf } from './addresses.js';
import { fStringVariables } from './f-string.js';
import { hasTags, isSchemaTemplate } from './jinja-text.js';
import { isNamed, mapTexts, textOf } from './json-objects.js';
import { schemaNames } from './response-format.js';

type TemplateFormat = Message['template_format'];

/** Variables in the order they are found: known names, or a Jinja text whose names are still to be asked for. */
type Finding = { name: string } | { template: string };

/**
 * Copies a prompt with `input_variables` computed for each message, and for the template as their union with the
 * variables of tools and the response format. Replaces the lists that the client sent. Names are in the order of the
 * prompt, each once. A text that does not parse has none.
 *
 * @param parameters model parameters; only `response_format` is read
 * @param owner keeps the use of the sandbox fair
 */
export async function collectInputVariables(
  jinja: JinjaSandbox,
  prompt: Prompt,
  parameters: JsonObject,
  owner: TurnOwner,
): Promise<Prompt> {
  const byMessage = prompt.type === 'chat' ? prompt.messages.map(messageFindings) : [];
  const content = prompt.type === 'completion' ? contentFindings(prompt.content, prompt.template_format) : [];
  const rest = [...content, ...toolFindings(prompt), ...schemaFindings(parameters.response_format ?? null)];
  const names = await namesOf(jinja, [...byMessage.flat(), ...rest], owner);

  const resolve = (findings: Finding[]) => unique(findings.flatMap((finding) => names(finding)));
  const input_variables = resolve([...byMessage.flat(), ...rest]);
  if (prompt.type === 'completion') return { ...prompt, input_variables };
  const messages = prompt.messages.map((message, index) => ({
    ...message,
    input_variables: resolve(byMessage[index]),
  }));
  return { ...prompt, messages, input_variables };
}

function unique(names: string[]): string[] {
  return [...new Set(names)];
}

/** One call of the sandbox for all templates, none when there are none. */
async function namesOf(
  jinja: JinjaSandbox,
  findings: Finding[],
  owner: TurnOwner,
): Promise<(finding: Finding) => string[]> {
  const templates = unique(findings.flatMap((finding) => ('template' in finding ? [finding.template] : [])));
  const results = templates.length === 0 ? [] : await jinja.variables(templates, owner);
  const known = new Map(templates.map((template, index) => [template, results[index].names]));
  return (finding) => ('name' in finding ? [finding.name] : (known.get(finding.template) ?? []));
}

function messageFindings(message: Message): Finding[] {
  if (message.role === 'placeholder') return message.name ? [{ name: message.name }] : [];
  return contentFindings(message.content ?? [], message.template_format);
}

function contentFindings(content: ContentPart[], format: TemplateFormat): Finding[] {
  return content.flatMap((part) => {
    if (part.type === 'text') return textFindings(textOf(part.text) ?? '', format);
    if (part.type === 'media_variable') return nameFinding(part.name);
    const named = Object.entries(part).flatMap(([key, value]) => (key.endsWith('_variable') ? nameFinding(value) : []));
    return [...named, ...textFindings(addressOf(part) ?? '', format)];
  });
}

function nameFinding(name: JsonValue | undefined): Finding[] {
  return typeof name === 'string' && name !== '' ? [{ name }] : [];
}

function textFindings(text: string, format: TemplateFormat): Finding[] {
  if (format === 'jinja2') return hasTags(text) ? [{ template: text }] : [];
  return fStringVariables(text).map((name) => ({ name }));
}

function toolFindings(prompt: Prompt): Finding[] {
  if (prompt.type === 'completion') return [];
  return [...(prompt.tools ?? []).flatMap(toolFinding), ...(prompt.functions ?? []).flatMap(templateFindings)];
}

function toolFinding(tool: JsonValue): Finding[] {
  if (isNamed(tool, 'variable')) return nameFinding(tool.name);
  return isObject(tool) && tool.type === 'function' ? templateFindings(tool.function ?? null) : [];
}

function templateFindings(value: JsonValue): Finding[] {
  const found: Finding[] = [];
  mapTexts(value, (text) => {
    if (isSchemaTemplate(text)) found.push({ template: text });
    return text;
  });
  return found;
}

function schemaFindings(schema: JsonValue): Finding[] {
  return [...templateFindings(schema), ...schemaNames(schema).map((name) => ({ name }))];
}
