import { Injectable } from '@nestjs/common';
import type { Message, Prompt } from '../../llm/shared/blueprint.js';
import { ModelProviders } from '../../llm/index.js';
import type { JsonObject } from '../../platform/json.js';
import type { TurnOwner } from '../../platform/turns.js';
import { chooseModel, type ChosenModel, type ModelOverrides } from '../registry/choose-model.js';
import type { PromptMetadata } from '../shared/prompt.entity.js';
import { PromptRenderer } from '../rendering/prompt-renderer.js';

/** Values for a prompt, and the model it is for. */
export interface Filling extends ModelOverrides {
  /** null when none are given: then variables are replaced only if there is a model to send the prompt to. */
  variables: JsonObject | null;
  /** Leaves the variables in place. */
  skip?: boolean;
  /** Messages that follow those of the prompt. */
  history?: Message[];
  /** Whether the server makes the call itself, so that no client can add arguments. */
  isFinal?: boolean;
}

/** A prompt that can be sent to a model. */
export interface FilledPrompt {
  prompt: Prompt;
  /** null when neither the prompt nor the overrides name one. */
  model: ChosenModel | null;
  /** The arguments for the client library of the provider; null without a model. */
  kwargs: JsonObject | null;
  /** Problems while filling in variables; null if there were none. */
  warning: string | null;
}

/** Prepares prompts for models, both for clients and for the server's own calls. */
@Injectable()
export class PromptFiller {
  constructor(
    private readonly providers: ModelProviders,
    private readonly renderer: PromptRenderer,
  ) {}

  /** Fills in a prompt whose snippets have been expanded. `owner` keeps the use of the sandbox fair. */
  async fill(
    { prompt, metadata }: { prompt: Prompt; metadata: PromptMetadata | null },
    { variables, skip = false, history = [], isFinal = false, ...overrides }: Filling,
    owner: TurnOwner,
  ): Promise<FilledPrompt> {
    const chosen = chooseModel(this.providers, metadata, overrides);
    const parameters = chosen?.parameters ?? {};
    const isLeft = skip || (variables === null && chosen === null);
    const rendered = isLeft
      ? { prompt, parameters, warning: null }
      : await this.renderer.render(prompt, parameters, variables ?? {}, owner);
    const said = withHistory(rendered.prompt, history);
    const model = chosen && { ...chosen, parameters: rendered.parameters };
    return { prompt: said, model, kwargs: model && this.kwargs(model, said, isFinal), warning: rendered.warning };
  }

  private kwargs(model: ChosenModel, prompt: Prompt, isFinal: boolean): JsonObject {
    const { provider, name, apiType, parameters } = model;
    const call = { prompt, model: name, apiType, parameters };
    return isFinal ? this.providers.callKwargs(provider, call) : this.providers.kwargs(provider, call);
  }
}

function withHistory(prompt: Prompt, history: Message[]): Prompt {
  if (history.length === 0 || prompt.type !== 'chat') return prompt;
  return { ...prompt, messages: [...prompt.messages, ...history] };
}
