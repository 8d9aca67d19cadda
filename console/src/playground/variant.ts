import type { PromptTemplate } from '../api/schema.gen';
import {
  type EditableMessage,
  editableMessages,
  editedMessage,
  isCall,
  type Json,
  type LooseMessage,
  type Part,
  partsOf,
} from '../prompts/template-text';
import { parseField, valueOfText } from '../ui/exact-json';
import { variablesIn } from './variables';

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
  /** Fields of the prompt that are not shown. */
  rest?: Json;
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
  /** The version of the registry that it was filled from. */
  source: Source | null;
}

/** A version of the registry as the variant showed it at first. */
export interface Source {
  promptId: number;
  name: string;
  version: number;
  /** The prompt as JSON. */
  before: string;
  /** Names of all its parameters. */
  parameters: string[];
  /** Missing in drafts of earlier releases. */
  model?: { provider: string; name: string; parameters: Json } | null;
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
  const { type, tools, messages: _, content: __, ...rest } = template as Json & { tools?: unknown[] | null };
  return {
    ...emptyVariant(),
    isChat: type === 'chat',
    format: formatOf(template),
    messages: editableMessages(template).map(toVariantMessage),
    rest,
    ...(model && { provider: model.provider, model: model.name, apiType: model.api_type ?? null }),
    tools: tools && tools.length > 0 ? pretty(tools) : '',
    ...parametersOf(model?.parameters ?? {}),
  };
}

/** Parameters with a field of their own, and the others. */
function parametersOf({ response_format, ...others }: Json): Partial<Variant> {
  const limit = LIMITS.find((name) => typeof others[name] === 'number');
  const { temperature } = others;
  const own = new Set(['stream', limit, ...(typeof temperature === 'number' ? ['temperature'] : [])]);
  const rest = Object.fromEntries(Object.entries(others).filter(([name]) => !own.has(name)));
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
  const source: Source = {
    promptId: id,
    name,
    version,
    before: JSON.stringify(toPrompt(variant)),
    parameters: Object.keys(model?.parameters ?? {}),
    model: model && { provider: model.provider, name: model.name, parameters: toParameters(variant) },
  };
  return { ...variant, source };
}

interface VersionRead {
  id: number;
  prompt_name: string;
  version: number;
  prompt_template: PromptTemplate;
}

/**
 * The question of a call, without the answer after it. Its texts have no variables, so their braces must stay: the other
 * syntax of variables is used, or the braces are doubled.
 */
export function fromCall(template: PromptTemplate, model: Model | null): Variant {
  const { messages, content, tool_choice: tool, function_call: called, ...rest } = template as unknown as Call;
  const asked = messages?.at(-1)?.role === 'assistant' ? messages.slice(0, -1) : messages;
  const text = [...(asked ?? []), { content }].flatMap(partsOf).map(textOf).join('\n');
  const format = /[{}]/.test(text) && !/\{[{%#]/.test(text) ? 'jinja2' : 'f-string';
  const escape = (part: Part): Part =>
    format === 'f-string' && typeof part.text === 'string' && part.type === 'text'
      ? { ...part, text: part.text.replaceAll(/[{}]/g, '$&$&') }
      : part;
  const escaped = <T extends { content?: unknown }>(message: T) => ({
    ...message,
    template_format: format,
    ...(Array.isArray(message.content) && { content: partsOf(message).map(escape) }),
  });
  const prompt = {
    ...rest,
    ...(isChoice(tool, 'type') && { tool_choice: tool }),
    ...(isChoice(called, 'name') && { function_call: called }),
    ...(asked ? { messages: asked.map(escaped) } : escaped({ content })),
  };
  return toVariant(prompt as unknown as PromptTemplate, model);
}

interface Call extends Json {
  messages?: LooseMessage[];
}

const textOf = ({ type, text }: Part): string => (type === 'text' ? String(text ?? '') : '');

/** Calls keep choices as their providers write them. A prompt takes texts, and objects with this member. */
const isChoice = (choice: unknown, member: string): boolean =>
  typeof choice === 'string' || typeof (choice as Json | null | undefined)?.[member] === 'string';

function formatOf(template: PromptTemplate): Variant['format'] {
  const { messages, template_format: own } = template as { messages?: Json[]; template_format?: string };
  return own === 'jinja2' || messages?.some((message) => message.template_format === 'jinja2') ? 'jinja2' : 'f-string';
}

/** Writes the variables of all texts in another syntax. Messages that are edited as JSON name their own. */
export const withFormat = (variant: Variant, format: Variant['format']): Variant => ({
  ...variant,
  format,
  messages: variant.messages.map(({ original, ...message }) => ({
    ...message,
    ...(original && { original: { ...original, template_format: format } }),
  })),
});

function toVariantMessage(message: EditableMessage): VariantMessage {
  const { isText, role, original } = message;
  const images = isText || role === 'placeholder' || isCall(original!) ? null : imagesOf(original!.content);
  if (images === null) return { ...message, images: [] };
  const text = partsOf(original).map(textOf)[0] ?? '';
  return { ...message, text, isText: true, images };
}

/** null for a content with more in it than one text and pictures behind it. */
function imagesOf(content: unknown): string[] | null {
  const parts = partsOf({ content });
  const urls = (parts[0]?.type === 'text' ? parts.slice(1) : parts).map(imageUrl);
  return parts.length > 0 && urls.every((url) => url !== null) ? urls : null;
}

/** null for a part that is more than the address of a picture. */
function imageUrl({ type, image_url: image, ...others }: Part): string | null {
  const { url, ...more } = (image ?? {}) as Json;
  const isPlain = Object.values({ ...others, ...more }).every((value) => value === null);
  return type === 'image_url' && typeof url === 'string' && isPlain ? url : null;
}

/** The prompt in the form that the API takes. Throws an Error that names a field with invalid JSON. */
export function toPrompt(variant: Variant): PromptBody {
  const { isChat, format, messages, tools, rest } = variant;
  const made = messages.map((message) => editedMessage(message, format, picturesOf(message)));
  if (!isChat) return { ...rest, type: 'completion', template_format: format, content: made[0]?.content ?? [] };
  const hasTools = tools.trim() !== '';
  return {
    ...rest,
    type: 'chat',
    messages: made,
    tools: hasTools ? parseField(tools, 'The tools') : null,
    // Providers refuse the choice of a tool without tools.
    ...(!hasTools && rest?.tool_choice != null && { tool_choice: null }),
  };
}

/** A prompt for a request. */
export interface PromptBody extends Json {
  type: 'chat' | 'completion';
  messages?: Json[];
}

/** The parts of the pictures of a message; unchanged ones as they were read. */
function picturesOf({ images, original }: VariantMessage): Part[] {
  const known = new Map(partsOf(original).map((part) => [imageUrl(part), part]));
  return images.filter((url) => url !== '').map((url) => known.get(url) ?? { type: 'image_url', image_url: { url } });
}

export function toParameters(variant: Variant): Json {
  const { temperature, maxTokens, maxTokensName, parameters, schema } = variant;
  const others = parameters.trim() === '' ? {} : parseField(parameters, 'The other parameters');
  if (typeof others !== 'object' || others === null || Array.isArray(others)) {
    throw new Error('The other parameters are a JSON object, such as {"top_p": 0.5}.');
  }
  return {
    ...(others as Json),
    ...(temperature.trim() !== '' && { temperature: Number(temperature) }),
    ...(maxTokens.trim() !== '' && { [maxTokensName]: Number(maxTokens) }),
    ...(schema.trim() !== '' && { response_format: toFormat(parseField(schema, 'The response schema')) }),
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
    variables: Object.fromEntries(Object.entries(variables).map(([name, text]) => [name, valueOfText(text)])),
    stream: true,
  };
}

/** The variables of all variants, in the order in which they occur. */
export const variablesOf = (variants: Variant[]): string[] => [...new Set(variants.flatMap(variablesIn))];

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
