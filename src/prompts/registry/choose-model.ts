import { isSameProvider, type ModelProviders, type ParameterTarget } from '../../llm/index.js';
import type { JsonObject } from '../../platform/json.js';
import type { ModelSettings, PromptMetadata } from '../shared/prompt.entity.js';

/** The model that a prompt is prepared for. */
export interface ChosenModel {
  provider: string;
  /** null without a model: the arguments then have only the messages. */
  name: string | null;
  apiType: string | null;
  parameters: JsonObject;
}

export interface ModelOverrides {
  provider?: string | null;
  model?: string | null;
  /** By default that of the version, if it is for the same provider. */
  apiType?: string | null;
  parameters?: JsonObject | null;
}

/**
 * Chooses the model of the request, or else that of the version. Parameters of another provider's model are kept if both
 * providers have them. Returns null if neither the version nor the request names a provider.
 */
export function chooseModel(
  providers: ModelProviders,
  metadata: PromptMetadata | null,
  overrides: ModelOverrides,
): ChosenModel | null {
  const stored = metadata?.model ?? null;
  const provider = overrides.provider || stored?.provider;
  if (!provider) return null;
  const name = overrides.model || stored?.name || null;
  const apiType = providers.apiType(provider, overrides.apiType || storedApiType(stored, provider));
  const target = { provider, apiType, model: name };
  const parameters = carryOver(providers, stored, target);
  if (!overrides.parameters) return { provider, name, apiType, parameters };
  return {
    provider,
    name,
    apiType,
    parameters: providers.overrideParameters(target, parameters, overrides.parameters),
  };
}

/** It belongs to the provider that the version names. */
const storedApiType = (stored: ModelSettings | null, provider: string): string | null =>
  stored && isSameProvider(stored.provider, provider) ? stored.api_type : null;

function carryOver(providers: ModelProviders, stored: ModelSettings | null, target: ParameterTarget): JsonObject {
  if (!stored) return {};
  const { provider, parameters } = stored;
  return isSameProvider(provider, target.provider) ? parameters : providers.translateParameters(target, parameters);
}
