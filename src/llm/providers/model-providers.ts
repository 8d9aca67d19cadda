import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { definePlugin } from '../../platform/plugins/define-plugin.js';
import type { JsonObject } from '../../platform/json.js';
import { openAiCompatible } from '../calls/openai-client.js';
import { asDialogue } from '../shared/dialogue.js';
import { compact } from '../shared/json-reading.js';
import type { ModelCall, ModelProviderPlugin, ParameterTarget } from './model-provider.js';
import { openAiLikeKwargs } from '../formats/openai-chat/write.js';
import { CHAT_NAMES } from '../formats/shared/parameter-names.js';
import {
  adaptNames,
  conceptOf,
  mergeByConcept,
  type ParameterNames,
  translateNames,
} from '../formats/shared/parameters.js';

export interface ModelProviderOptions {
  /** Same value as in `metadata.model.provider`; lower case. */
  name: string;
  /** The `api_type` of prompts that do not set it; without a default it stays null. */
  defaultApiType?: string;
  /** Whether models answer only to messages of a user: neither to completions nor to instructions alone. */
  needsDialogue?: boolean;
  /** Fields of a credential. Default: an API key and nothing else. */
  credential?: CredentialNeeds;
}

export interface CredentialNeeds {
  /** Description of the secret for people, by default "API key"; null when there is no secret. */
  secret?: string | null;
  /** Further settings by name. An option with `inHost` is part of the address that the secret is sent to. */
  options?: Record<string, { description: string; required?: boolean; inHost?: boolean }>;
  /** Whether a credential needs the address of the API. */
  baseUrlRequired?: boolean;
}

const kind = definePlugin<ModelProviderOptions>('model provider');

/** Makes a class a model provider, which builds the arguments of a vendor's client. */
export const ModelProvider = (options: ModelProviderOptions): ClassDecorator => kind.decorate(options);

/** Providers without a plugin: most of them use the chat API of OpenAI. The credential has their address. */
const UNKNOWN_PROVIDER: ModelProviderPlugin = {
  toKwargs: openAiLikeKwargs,
  parameterNames: () => CHAT_NAMES,
  ...openAiCompatible(''),
};

/** The API description spells this one with a dot, but clients only accept a hyphen. */
const API_TYPE_ALIASES = new Map([['chat.completions', 'chat-completions']]);

/** The form in which names of providers are compared. */
export const providerKey = (name: string): string => name.trim().toLowerCase();

/** Whether two names, in any letter case, are of one provider. */
export const isSameProvider = (one: string, other: string): boolean => providerKey(one) === providerKey(other);

/** All model providers of the installation. Letter case of their names does not matter, and any name is accepted. */
@Injectable()
export class ModelProviders implements OnModuleInit {
  private providers = new Map<string, { options: ModelProviderOptions; plugin: ModelProviderPlugin }>();

  constructor(private readonly discovery: DiscoveryService) {}

  onModuleInit(): void {
    this.providers = kind.collect<ModelProviderPlugin>(this.discovery);
  }

  /**
   * The arguments for the vendor's client: no nulls, no empty lists, nothing the vendor does not know. Parameters of
   * the call take precedence over everything that comes from the prompt. Never throws, whatever the prompt holds.
   */
  kwargs(provider: string, call: ModelCall): JsonObject {
    const apiType = this.apiType(provider, call.apiType);
    // A parameter without a value must not replace a value from the prompt.
    const parameters = compact(call.parameters);
    return compact(this.plugin(provider).toKwargs({ ...call, apiType, parameters }));
  }

  /** The arguments of an actual call: where the vendor needs a message of a user, one is added. */
  callKwargs(provider: string, call: ModelCall): JsonObject {
    const { needsDialogue = false } = this.find(provider)?.options ?? {};
    return this.kwargs(provider, needsDialogue ? { ...call, prompt: asDialogue(call.prompt) } : call);
  }

  /** Calls models of the provider; without `call` they can only be described. */
  caller(provider: string): Pick<ModelProviderPlugin, 'call' | 'stream' | 'embed'> {
    return this.plugin(provider);
  }

  /** Providers that have a plugin. */
  get registered(): string[] {
    return [...this.providers.keys()];
  }

  /** The fields of a credential of the provider. */
  credentialNeeds(provider: string): CredentialNeeds {
    const known = this.find(provider);
    return known ? (known.options.credential ?? {}) : { baseUrlRequired: true };
  }

  /** The `api_type` to show for a model, in the spelling that clients accept. Not null where they require one. */
  apiType(provider: string, given: string | null): string | null {
    if (given !== null && given !== '') return API_TYPE_ALIASES.get(given) ?? given;
    return this.find(provider)?.options.defaultApiType ?? null;
  }

  /** Parameters of another provider's model under the names of this one; those it has no name for are dropped. */
  translateParameters(target: ParameterTarget, parameters: JsonObject): JsonObject {
    return translateNames(this.names(target), parameters);
  }

  /**
   * Stored parameters of the provider with overrides laid over them, under the names of the provider: `maxOutputTokens`
   * becomes `max_completion_tokens` for a chat of OpenAI. Names without a counterpart there stay. An override replaces
   * a parameter of the same meaning under another name, because vendors refuse calls with two token limits. It takes
   * over the replaced name if the provider knows that one.
   */
  overrideParameters(target: ParameterTarget, stored: JsonObject, overrides: JsonObject): JsonObject {
    const names = preferStored(this.names(target), stored);
    return mergeByConcept(stored, adaptNames(names, overrides));
  }

  private names({ provider, apiType, model }: ParameterTarget): ParameterNames {
    return this.plugin(provider).parameterNames(this.apiType(provider, apiType), model ?? null);
  }

  private plugin(provider: string): ModelProviderPlugin {
    return this.find(provider)?.plugin ?? UNKNOWN_PROVIDER;
  }

  private find(provider: string): { options: ModelProviderOptions; plugin: ModelProviderPlugin } | undefined {
    return this.providers.get(provider) ?? this.providers.get(providerKey(provider));
  }
}

/** The names of a provider, with those first that a stored model uses already. */
function preferStored(names: ParameterNames, stored: JsonObject): ParameterNames {
  const preferred = { ...names };
  for (const name of Object.keys(stored)) {
    const concept = conceptOf(name);
    const known = concept === null ? undefined : names[concept];
    if (concept !== null && known?.includes(name)) preferred[concept] = [name, ...known];
  }
  return preferred;
}
