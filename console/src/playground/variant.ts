import type { JsonValue, PromptTemplate } from '../api/schema.gen';
import { type EditableMessage, editableMessages } from '../prompts/template-text';

type Json = Record<string, unknown>;

/** A message that is edited. Images are shown beside the text; all other content is edited as JSON. */
export interface VariantMessage extends EditableMessage {
  /** Addresses of pictures that follow the text. */
  images: string[];
}

/** One column of the playground. Fields that are JSON are kept as they were typed. */
export interface Variant {
  /** False for a prompt that is one text to complete. */
  isChat: boolean;
  /** Syntax of variables. */
  format: 'f-string' | 'jinja2';
  messages: VariantMessage[];
  provider: string;
  model: string;
  apiType: string | null;
  credential: string;
  temperature: string;
  maxTokens: string;
  /** The name of the limit, which differs between providers. */
  maxTokensName: string;
  /** All other parameters. */
  parameters: string;
  tools: string;
  /** A JSON Schema of the answer, or a response format. */
  schema: string;
  /** The version of the registry that it was filled from, and what it was then. */
  source: { promptId: number; name: string; version: number; before: string; parameters: string[] } | null;
}

export const emptyVariant = (): Variant => ({
  isChat: true,
  format: 'f-string',
  messages: [{ role: 'user', text: '', isText: true, images: [] }],
  provider: '',
  model: '',
  apiType: null,
  credential: '',
  temperature: '',
  maxTokens: '',
  maxTokensName: 'max_tokens',
  parameters: '',
  tools: '',
  schema: '',
  source: null,
});

interface Model {
  provider: string;
  name: string;
  api_type?: string | null;
  parameters?: Json | null;
}

const LIMITS = ['max_tokens', 'max_completion_tokens', 'max_output_tokens', 'maxTokens'];
const pretty = (value: unknown): string => JSON.stringify(value, null, 2);

/** A prompt of the registry, or of a call, as a variant. */
export function toVariant(template: PromptTemplate, model: Model | null): Variant {
  const { tools } = template as { tools?: unknown[] | null };
  return {
    ...emptyVariant(),
    isChat: template.type === 'chat',
    format: formatOf(template),
    messages: variantMessages(template),
    ...(model && { provider: model.provider, model: model.name, apiType: model.api_type ?? null }),
    tools: tools && tools.length > 0 ? pretty(tools) : '',
    ...parametersOf(model?.parameters ?? {}),
  };
}

/** Parameters with a field of their own, and the others. */
function parametersOf({ temperature, response_format, ...others }: Json): Partial<Variant> {
  const limit = LIMITS.find((name) => typeof others[name] === 'number');
  const rest = Object.fromEntries(Object.entries(others).filter(([name]) => name !== limit && name !== 'stream'));
  return {
    temperature: typeof temperature === 'number' ? String(temperature) : '',
    maxTokens: limit === undefined ? '' : String(others[limit]),
    ...(limit !== undefined && { maxTokensName: limit }),
    parameters: Object.keys(rest).length > 0 ? pretty(rest) : '',
    schema: response_format ? pretty(response_format) : '',
  };
}

/** The same, which knows the version that it is for as long as nothing of the prompt is changed. */
export function fromVersion(
  { id, prompt_name: name, version, prompt_template: template }: VersionRead,
  model: Model | null,
): Variant {
  const variant = toVariant(template, model);
  const parameters = Object.keys(model?.parameters ?? {});
  const source = { promptId: id, name, version, before: JSON.stringify(toPrompt(variant)), parameters };
  return { ...variant, source };
}

interface VersionRead {
  id: number;
  prompt_name: string;
  version: number;
  prompt_template: PromptTemplate;
}

/**
 * The question of a call, without the answer after it. Its text has no variables, so its braces must stay: the other
 * syntax of variables is used, or the braces are doubled.
 */
export function fromCall(template: PromptTemplate, model: Model | null): Variant {
  const { messages, ...rest } = template as { messages?: { role: string }[] };
  const last = messages?.at(-1);
  const asked = last?.role === 'assistant' ? messages!.slice(0, -1) : messages;
  const variant = toVariant({ ...rest, ...(asked && { messages: asked }) } as PromptTemplate, model);
  const text = variant.messages.map((message) => message.text).join('\n');
  if (!/[{}]/.test(text)) return { ...variant, format: 'f-string' };
  if (!/\{[{%#]/.test(text)) return { ...variant, format: 'jinja2' };
  const doubled = variant.messages.map((message) => ({ ...message, text: message.text.replaceAll(/[{}]/g, '$&$&') }));
  return { ...variant, format: 'f-string', messages: doubled };
}

function formatOf(template: PromptTemplate): Variant['format'] {
  const { messages, template_format: own } = template as { messages?: Json[]; template_format?: string };
  return own === 'jinja2' || messages?.some((message) => message.template_format === 'jinja2') ? 'jinja2' : 'f-string';
}

interface Part {
  type?: string;
  text?: unknown;
  image_url?: Json;
}

function variantMessages(template: PromptTemplate): VariantMessage[] {
  const { messages } = template as { messages?: { content?: Part[] | null; tool_calls?: unknown[] | null }[] };
  return editableMessages(template).map((message, at) => {
    const { content, tool_calls: calls } = messages?.[at] ?? {};
    const images = message.isText || calls?.length ? null : picturesOf(content ?? []);
    const text = (content ?? []).flatMap((part) => (part.type === 'text' ? [String(part.text)] : []))[0] ?? '';
    return images ? { role: message.role, text, isText: true, images } : { ...message, images: [] };
  });
}

/** null for a content with more in it than one text and pictures behind it. */
function picturesOf(content: Part[]): string[] | null {
  const pictures = content[0]?.type === 'text' ? content.slice(1) : content;
  const urls = pictures.map(({ type, image_url: image }) =>
    type === 'image_url' && image && Object.keys(image).every((key) => key === 'url') ? image.url : null,
  );
  return urls.every((url) => typeof url === 'string') ? urls : null;
}

/** The prompt in the form that the API takes. Throws an Error that names a field with invalid JSON. */
export function toPrompt(variant: Variant): object {
  const { isChat, format, messages, tools } = variant;
  const made = messages.map(({ role, text, isText, images }) => {
    if (!isText) return parse(text, `The message of ${role || 'the prompt'}`) as Json;
    const pictures = images.filter((url) => url !== '').map((url) => ({ type: 'image_url', image_url: { url } }));
    const texts = text === '' && pictures.length > 0 ? [] : [{ type: 'text', text }];
    return { role, template_format: format, content: [...texts, ...pictures] };
  });
  if (!isChat) {
    const [first] = made;
    const content = Array.isArray(first) ? first : (first?.content ?? []);
    return { type: 'completion', template_format: format, content };
  }
  return { type: 'chat', messages: made, tools: tools.trim() === '' ? null : parse(tools, 'The tools') };
}

export function toParameters(variant: Variant): Json {
  const { temperature, maxTokens, maxTokensName, parameters, schema } = variant;
  const others = parameters.trim() === '' ? {} : parse(parameters, 'The other parameters');
  if (typeof others !== 'object' || others === null || Array.isArray(others)) {
    throw new Error('The other parameters are a JSON object, such as {"top_p": 0.5}.');
  }
  return {
    ...(others as Json),
    ...(temperature.trim() !== '' && { temperature: Number(temperature) }),
    ...(maxTokens.trim() !== '' && { [maxTokensName]: Number(maxTokens) }),
    ...(schema.trim() !== '' && { response_format: toFormat(parse(schema, 'The response schema')) }),
  };
}

const FORMATS = new Set(['json_schema', 'json_object', 'text']);

/** A schema alone becomes a response format. */
function toFormat(value: unknown): unknown {
  const { type } = (value ?? {}) as { type?: string };
  return FORMATS.has(type ?? '') ? value : { type: 'json_schema', json_schema: { name: 'answer', schema: value } };
}

/** The body of the trial of a case. An unchanged version of the registry is named, so that its log knows it. */
export function toTrial(variant: Variant, variables: Record<string, string>): object {
  const { provider, model, apiType, credential, source } = variant;
  if (provider.trim() === '' || model.trim() === '') throw new Error('Choose a provider and a model.');
  const [prompt, parameters] = [toPrompt(variant), toParameters(variant)];
  // Parameters are merged over those of the version, so none of these may be missing.
  const isSame = source?.before === JSON.stringify(prompt) && source.parameters.every((name) => name in parameters);
  return {
    ...(isSame ? { prompt_id: source.promptId, version: source.version } : { prompt }),
    model: { provider: provider.trim(), name: model.trim(), parameters, api_type: apiType },
    credential: credential.trim() || null,
    variables: Object.fromEntries(Object.entries(variables).map(([name, text]) => [name, valueOf(text)])),
    stream: true,
  };
}

/** Lists and objects are written as JSON; everything else is the text that it is. */
export function valueOf(text: string): JsonValue {
  if (!/^\s*[[{]/.test(text)) return text;
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return text;
  }
}

const NAMES = {
  'f-string': /(?<!\{)(?:\{\{)*\{([A-Za-z_]\w*)[^{}]*\}/g,
  jinja2: /\{\{-?\s*([A-Za-z_]\w*)|\{%-?\s*(?:for\s+\w+\s+in|if|elif)\s+(?:not\s+)?([A-Za-z_]\w*)/g,
};

/** The variables of all variants, in the order in which they occur. */
export function variablesOf(variants: Variant[]): string[] {
  const found = variants.flatMap(({ format, messages }) =>
    messages.flatMap(({ text, images }) =>
      [...[text, ...images].join('\n').matchAll(NAMES[format])].flatMap(([, name, other]) => name ?? other ?? []),
    ),
  );
  return [...new Set(found)];
}

/** Everything that makes a variant, for comparing. */
export function variantText(variant: Variant): string {
  const { provider, model, temperature, maxTokens, parameters, tools, schema, messages } = variant;
  const line = (name: string, value: string) => (value.trim() === '' ? [] : [`${name}: ${value.trim()}`]);
  return [
    ...line('model', `${provider}/${model}`),
    ...line('temperature', temperature),
    ...line('max tokens', maxTokens),
    ...line('parameters', parameters),
    ...messages.map(({ role, text, images }) => [`${role || 'text'}:`, text, ...images].join('\n')),
    ...line('tools', tools),
    ...line('response schema', schema),
  ].join('\n');
}

function parse(text: string, what: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(`${what}: this is no valid JSON.`);
  }
}
