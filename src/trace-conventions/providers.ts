import type { SpanAttributes } from './attributes.js';
import { textFrom, type Words, wordsOf } from './words.js';

/** Canonical names, with the (lower-case) names under which providers are reported. */
const CANONICAL_NAMES: Readonly<Record<string, string[]>> = {
  openai: ['openai', 'openai.chat', 'openai.responses', 'openai.completion', 'openai.embedding'],
  'openai.azure': ['openai.azure', 'az.ai.openai', 'azure.ai.openai', 'azure_openai', 'azure-openai', 'azure'],
  anthropic: ['anthropic', 'anthropic.messages', 'claude'],
  'anthropic.bedrock': ['anthropic.bedrock'],
  google: ['google', 'gemini', 'gcp.gemini', 'gcp.gen_ai', 'google.generative-ai', 'google_genai', 'google-gla'],
  vertexai: ['vertexai', 'vertex_ai', 'gcp.vertex_ai', 'google-vertex', 'google_vertexai'],
  'amazon.bedrock': [
    'amazon.bedrock',
    'aws.bedrock',
    'amazon-bedrock',
    'bedrock',
    'bedrock_converse',
    'aws_bedrock',
    'aws',
  ],
  mistral: ['mistral', 'mistral_ai', 'mistralai', 'mistral.chat'],
  cohere: ['cohere'],
  xai: ['xai', 'x_ai'],
};

const CANONICAL_BY_NAME = new Map(
  Object.entries(CANONICAL_NAMES).flatMap(([canonical, names]) => names.map((name) => [name, canonical])),
);

const CANONICAL_BY_PREFIX: [string, string][] = [
  ['azure-openai.', 'openai.azure'],
  ['google.vertex', 'vertexai'],
];

/** Frameworks that call vendors, and words for an unknown vendor: the next source may name one. */
const NOT_A_VENDOR = new Set([
  'langchain',
  'langgraph',
  'litellm',
  'llama_index',
  'llamaindex',
  'crewai',
  'haystack',
  'pydantic_ai',
  'spring_ai',
  'strands-agents',
  'microsoft.agent_framework',
  'gcp.vertex.agent',
  'unknown',
  '_other',
]);

const AZURE_ADDRESS = /\.(?:openai|cognitiveservices)\.azure\.com$/;
const VERTEX_ADDRESS = /aiplatform\.googleapis\.com$/;

/** By the start of a model's name, for spans that name no provider. */
const PROVIDER_BY_MODEL: [RegExp, string][] = [
  // `us.anthropic.claude-…`: Bedrock puts the vendor in front of its models, and a region in front of that.
  [
    /^(?:[a-z-]{2,7}\.)?(?:ai21|amazon|anthropic|cohere|deepseek|meta|mistral|openai|qwen|writer)\.\w/,
    'amazon.bedrock',
  ],
  [/^(?:gpt-|o1|o3|o4|chatgpt)/, 'openai'],
  [/^claude/, 'anthropic'],
  [/^gemini/, 'google'],
  [/^(?:mistral|mixtral)/, 'mistral'],
  [/^command/, 'cohere'],
];

/** The attributes in which a span names its provider, best source first, after `promptlayer.provider.type`. */
const providerWords = ({ provider }: Words): string[] | undefined => provider;

/** The canonical name of a reported provider; null for blanks and for frameworks, which are no vendors. */
export function canonicalProvider(reported: string, serverAddress = ''): string | null {
  const name = reported.trim().toLowerCase();
  if (name === '' || NOT_A_VENDOR.has(name)) return null;
  const canonical = CANONICAL_BY_NAME.get(name) ?? byPrefix(name) ?? vendorPart(name);
  const address = serverAddress.trim().toLowerCase();
  if (canonical === 'openai' && AZURE_ADDRESS.test(address)) return 'openai.azure';
  if (canonical === 'anthropic' && VERTEX_ADDRESS.test(address)) return 'vertexai';
  return canonical;
}

/** The vendor of models with such a name; null when unknown. */
export function providerOfModel(model: string): string | null {
  const name = model.slice(model.lastIndexOf('/') + 1).toLowerCase();
  return PROVIDER_BY_MODEL.find(([pattern]) => pattern.test(name))?.[1] ?? null;
}

/** The canonical provider of a span, from its attributes or from the model's name; null when unknown. */
export function readProvider(attributes: SpanAttributes, model: string | null): string | null {
  const given = attributes.text('promptlayer.provider.type');
  if (given !== null && canonicalProvider(given) !== null) return given.trim();
  const address = attributes.text('server.address') ?? '';
  for (const key of attributes.present(wordsOf(providerWords))) {
    const provider = canonicalProvider(attributes.text(key) ?? '', address);
    if (provider !== null) return provider;
  }
  return model === null ? null : providerOfModel(model);
}

/** Whether an attribute names the provider, even if it is a framework. */
export function namesProvider(attributes: SpanAttributes): boolean {
  return attributes.text('promptlayer.provider.type') !== null || textFrom(attributes, providerWords) !== null;
}

function byPrefix(name: string): string | undefined {
  return CANONICAL_BY_PREFIX.find(([prefix]) => name.startsWith(prefix))?.[1];
}

/** `vendor.api`, as some SDKs write it. */
function vendorPart(name: string): string {
  const dot = name.indexOf('.');
  return dot > 0 ? name.slice(0, dot) : name;
}
