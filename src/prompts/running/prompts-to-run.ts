import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Message, Prompt } from '../../llm/shared/blueprint.js';
import type { JsonValue } from '../../platform/json.js';
import { JinjaSandbox } from '../../platform/sandbox/jinja-sandbox.js';
import { completeVersion, type RunnableTools, withTools } from '../registry/complete-version.js';
import type { PromptMetadata } from '../shared/prompt.entity.js';
import { getVersion, type VersionChoice } from '../registry/prompts.queries.js';
import { toMessage } from '../rendering/supplied.js';
import { collectInputVariables } from '../rendering/variables.js';
import { type FilledPrompt, type Filling, PromptFiller } from './prompt-filler.js';

/** A prompt as it is before its variables are filled in. */
export interface PromptToRun {
  /** The version of the registry that it is; null for one that is written down where it is used. */
  source: { id: number; name: string; version: number } | null;
  /** Its snippets are in place. */
  prompt: Prompt;
  metadata: PromptMetadata | null;
  /** The names that it asks for. */
  variables: string[];
  /** The tools of it that the server can run. */
  runnable: RunnableTools;
}

/** Prepares prompts for code that calls models with them. */
@Injectable()
export class PromptsToRun {
  constructor(
    private readonly db: DataSource,
    private readonly filler: PromptFiller,
    private readonly jinja: JinjaSandbox,
  ) {}

  /** A version of the registry. Throws prompt_not_found, prompt_version_not_found, prompt_label_not_found. */
  async find(workspaceId: number, name: string, choice: VersionChoice): Promise<PromptToRun> {
    const chosen = await getVersion(this.db.manager, workspaceId, name, choice);
    const { metadata, number: version } = chosen.version;
    const { prompt: expanded, runnable } = await completeVersion(this.db.manager, chosen);
    const { prompt, variables } = await this.withVariables(workspaceId, expanded, metadata);
    return {
      source: { id: chosen.prompt.id, name: chosen.prompt.name, version },
      prompt,
      metadata,
      variables,
      runnable,
    };
  }

  /** A prompt that is written down where it is used. */
  async inline(workspaceId: number, given: Prompt, metadata: PromptMetadata | null): Promise<PromptToRun> {
    const { prompt: complete, runnable } = await withTools(this.db.manager, workspaceId, given);
    const { prompt, variables } = await this.withVariables(workspaceId, complete, metadata);
    return { source: null, prompt, metadata, variables, runnable };
  }

  /** The variables in place, and the arguments for the model. */
  fill(toRun: PromptToRun, filling: Omit<Filling, 'isFinal'>, workspaceId: number): Promise<FilledPrompt> {
    return this.filler.fill(toRun, { ...filling, isFinal: true }, { workspaceId, keyId: null });
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

/** Reads messages of the form `[{role, content}]`. Returns null if an item is not a message. */
export function toHistory(value: JsonValue): Message[] | null {
  if (!Array.isArray(value)) return null;
  const messages = value.map(toMessage);
  return messages.includes(null) ? null : (messages as Message[]);
}
