import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Message, Prompt } from '../../llm/blueprint.js';
import { ModelProviders } from '../../llm/index.js';
import type { JsonObject, JsonValue } from '../../platform/json.js';
import { JinjaSandbox } from '../../platform/sandbox/jinja-sandbox.js';
import { chooseModel, type ChosenModel, type ModelOverrides } from '../registry/choose-model.js';
import type { PromptMetadata } from '../registry/prompt.entity.js';
import { getVersion, type VersionChoice } from '../registry/prompts.queries.js';
import { PromptRenderer } from '../rendering/prompt-renderer.js';
import { toMessage } from '../rendering/supplied.js';
import { collectInputVariables } from '../rendering/variables.js';
import { expandVersion } from '../snippets/expand-version.js';

/** A prompt as it is before its variables are filled in. */
export interface PromptToRun {
  /** The version of the registry that it is; null for one that is written down where it is used. */
  source: { id: number; name: string; version: number } | null;
  /** Its snippets are in place. */
  prompt: Prompt;
  metadata: PromptMetadata | null;
  /** The names that it asks for. */
  variables: string[];
}

/** A prompt that can be sent to a model. */
export interface FilledPrompt {
  prompt: Prompt;
  /** null when neither the prompt nor the overrides name one. */
  model: ChosenModel | null;
  /** What the client of the model's vendor takes; null without a model. */
  kwargs: JsonObject | null;
}

export interface Filling extends ModelOverrides {
  workspaceId: number;
  variables: JsonObject;
  /** Messages that follow those of the prompt. */
  history: Message[];
}

/** Prompts for those who call models with them. */
@Injectable()
export class PromptsToRun {
  constructor(
    private readonly db: DataSource,
    private readonly providers: ModelProviders,
    private readonly renderer: PromptRenderer,
    private readonly jinja: JinjaSandbox,
  ) {}

  /** A version of the registry. Throws prompt_not_found, prompt_version_not_found, prompt_label_not_found. */
  async find(workspaceId: number, name: string, choice: VersionChoice): Promise<PromptToRun> {
    const chosen = await getVersion(this.db.manager, workspaceId, name, choice);
    const { metadata, number: version } = chosen.version;
    const { prompt: expanded } = await expandVersion(this.db.manager, chosen);
    const { prompt, variables } = await this.withVariables(workspaceId, expanded, metadata);
    return { source: { id: chosen.prompt.id, name: chosen.prompt.name, version }, prompt, metadata, variables };
  }

  /** A prompt that is written down where it is used. */
  async inline(workspaceId: number, given: Prompt, metadata: PromptMetadata | null): Promise<PromptToRun> {
    const { prompt, variables } = await this.withVariables(workspaceId, given, metadata);
    return { source: null, prompt, metadata, variables };
  }

  /** The variables in place, and the arguments for the model. */
  async fill(toRun: PromptToRun, { workspaceId, variables, history, ...overrides }: Filling): Promise<FilledPrompt> {
    const chosen = chooseModel(this.providers, toRun.metadata, overrides);
    const owner = { workspaceId, keyId: null };
    const { prompt, parameters } = await this.renderer.render(toRun.prompt, chosen?.parameters ?? {}, variables, owner);
    const said = withHistory(prompt, history);
    if (!chosen) return { prompt: said, model: null, kwargs: null };
    const model = { ...chosen, parameters };
    const { provider, name, apiType } = model;
    const kwargs = this.providers.kwargs(provider, { prompt: said, model: name, apiType, parameters });
    return { prompt: said, model, kwargs };
  }

  private async withVariables(
    workspaceId: number,
    given: Prompt,
    metadata: PromptMetadata | null,
  ): Promise<{ prompt: Prompt; variables: string[] }> {
    const parameters = metadata?.model?.parameters ?? {};
    const prompt = await collectInputVariables(this.jinja, given, parameters, { workspaceId, keyId: null });
    return { prompt, variables: prompt.input_variables };
  }
}

/** Messages as somebody wrote them down: `[{role, content}]`. null where one of them is none. */
export function toHistory(value: JsonValue): Message[] | null {
  if (!Array.isArray(value)) return null;
  const messages = value.map(toMessage);
  return messages.includes(null) ? null : (messages as Message[]);
}

function withHistory(prompt: Prompt, history: Message[]): Prompt {
  if (history.length === 0 || prompt.type !== 'chat') return prompt;
  return { ...prompt, messages: [...prompt.messages, ...history] };
}
