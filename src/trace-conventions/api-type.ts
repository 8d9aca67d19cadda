import type { SpanAttributes } from './attributes.js';
import { operationOf } from './operations.js';

/** Operations that name an API by themselves. */
const BY_OPERATION = new Map([
  ['embeddings', 'embeddings'],
  ['responses', 'responses'],
  ['messages', 'messages'],
  ['converse', 'converse'],
  ['generate_content', 'generate-content'],
  ['interactions.create', 'interactions'],
]);

const BEDROCK_METHODS = new Map([
  ['Converse', 'converse'],
  ['ConverseStream', 'converse'],
  ['InvokeModel', 'invoke-model'],
  ['InvokeModelWithResponseStream', 'invoke-model'],
]);

const RAW_PROVIDER_KEYS = ['gen_ai.provider.name', 'gen_ai.system', 'ai.model.provider', 'aisdk.model.provider'];

/**
 * The provider's API that was called, e.g. `chat-completions`; null when unknown.
 *
 * @param provider the canonical name
 */
export function readApiType(attributes: SpanAttributes, provider: string | null): string | null {
  const given = attributes.text('promptlayer.api.type', 'openai.api.type');
  if (given !== null) return given.trim().toLowerCase().replaceAll('_', '-');
  return BY_OPERATION.get(operationOf(attributes) ?? '') ?? byProvider(attributes, provider);
}

function byProvider(attributes: SpanAttributes, provider: string | null): string | null {
  switch (provider) {
    case 'openai':
    case 'openai.azure':
      return usesResponses(attributes) ? 'responses' : 'chat-completions';
    case 'anthropic':
      return 'messages';
    case 'amazon.bedrock':
      return BEDROCK_METHODS.get(attributes.text('rpc.method') ?? '') ?? null;
    default:
      return null;
  }
}

function usesResponses(attributes: SpanAttributes): boolean {
  return RAW_PROVIDER_KEYS.some((key) => attributes.text(key)?.trim().toLowerCase().endsWith('.responses'));
}
