import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { definePlugin } from '../../platform/plugins/define-plugin.js';
import type { JsonObject } from '../../platform/json.js';
import { openAiCompatible } from '../calls/openai-client.js';
import { asDialogue } from '../dialogue.js';
import { compact } from '../json-reading.js';
import type { ModelCall, ModelProviderPlugin, ParameterTarget } from './model-provider.js';
import { openAiLikeKwargs } from '../formats/openai-chat/write.js';
import { CHAT_NAMES } from '../formats/parameter-names.js';
import { adaptNames, conceptOf, mergeByConcept, type ParameterNames, translateNames } from '../formats/parameters.js';

export interface ModelProviderOptions {
  /** As in `metadata.model.provider`; lower case. */
  name: string;
  /** What `api_type` is when a prompt does not say; without it, it stays null. */
  defaultApiType?: string;
  /** Whether models answer messages alone: no completions, and no instructions that nobody follows up. */
  needsDialogue?: boolean;
  /** What calls are made with; without it there is an API key and nothing else. */
  credential?: CredentialNeeds;
}

export interface CredentialNeeds {
  /** What the secret is, for people: "API key" unless it says otherwise; null when there is none to give. */
  secret?: string | null;
  /** What else is needed, by name. What is `inHost` is part of the address that the secret is sent to. */
  options?: Record<string, { description: string; required?: boolean; inHost?: boolean }>;
  /** Whether calls need to be told where the API is. */
  baseUrlRequired?: boolean;
}

const kind = definePlugin<ModelProviderOptions>('model provider');

/** Makes a class a model provider: the way a vendor's client wants its arguments. */
export const ModelProvider = (options: ModelProviderOptions): ClassDecorator => kind.decorate(options);

/**
 * Providers nobody wrote a plugin for: most of them speak the chats of OpenAI. Where they are, the credential says.
 */
const UNKNOWN_PROVIDER: ModelProviderPlugin = {
  toKwargs: openAiLikeKwargs,
  parameterNames: () => CHAT_NAMES,
  ...openAiCompatible(''),
};

/** The public description spells this one with a dot; clients know the form with a hyphen only. */
const API_TYPE_ALIASES = new Map([['chat.completions', 'chat-completions']]);

/** All model providers of the installation. Letter case of their names does not matter, and any name is accepted. */
@Injectable()
export class ModelProviders implements OnModuleInit {
  private providers = new Map<string, { options: ModelProviderOptions; plugin: ModelProviderPlugin }>();

  constructor(private readonly discovery: DiscoveryService) {}

  onModuleInit(): void {
    this.providers = kind.collect<ModelProviderPlugin>(this.discovery);
  }

  /**
   * The arguments for the vendor's client: no nulls, no empty lists, nothing the vendor does not know. The parameters
   * of the call win over everything that is made of the prompt. Never throws, whatever the prompt holds.
   */
  kwargs(provider: string, call: ModelCall): JsonObject {
    const apiType = this.apiType(provider, call.apiType);
    // A parameter without a value says nothing; it must not wipe out what the prompt gives.
    const parameters = compact(call.parameters);
    return compact(this.plugin(provider).toKwargs({ ...call, apiType, parameters }));
  }

  /** The arguments of a call that is made as it is: where the vendor needs a user who says something, there is one. */
  callKwargs(provider: string, call: ModelCall): JsonObject {
    const { needsDialogue = false } = this.find(provider)?.options ?? {};
    return this.kwargs(provider, needsDialogue ? { ...call, prompt: asDialogue(call.prompt) } : call);
  }

  /** Calls models of the provider; without `call` they can only be described. */
  caller(provider: string): Pick<ModelProviderPlugin, 'call' | 'stream' | 'embed'> {
    return this.plugin(provider);
  }

  /** Those that have a plugin. */
  get registered(): string[] {
    return [...this.providers.keys()];
  }

  /** What a credential of the provider consists of. */
  credentialNeeds(provider: string): CredentialNeeds {
    const known = this.find(provider);
    return known ? (known.options.credential ?? {}) : { baseUrlRequired: true };
  }

  /** The `api_type` to show for a model: in the spelling clients know, and not null where they need one. */
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
   * becomes `max_completion_tokens` for a chat of OpenAI. Names without a counterpart there stay as they are. An override
   * replaces what means the same under another name: vendors refuse calls with two token limits. It takes over the name
   * it replaces if the provider knows that one.
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
    return this.providers.get(provider) ?? this.providers.get(provider.trim().toLowerCase());
  }
}

/** The names of a provider with those in front that a stored model uses already. */
function preferStored(names: ParameterNames, stored: JsonObject): ParameterNames {
  const preferred = { ...names };
  for (const name of Object.keys(stored)) {
    const concept = conceptOf(name);
    const known = concept === null ? undefined : names[concept];
    if (concept !== null && known?.includes(name)) preferred[concept] = [name, ...known];
  }
  return preferred;
}
