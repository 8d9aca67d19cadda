import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Caller } from '../../access/index.js';
import type { ExternalIdBody } from '../../external-ids/index.js';
import { assertOwnWorkspace, folderPaths } from '../../folders/index.js';
import { PromptErrors } from '../shared/prompts.errors.js';
import { CredentialStore } from '../../llm/index.js';
import { groupBySize } from '../../platform/group-by.js';
import { Problem } from '../../platform/errors/problem.js';
import type { JsonObject } from '../../platform/json.js';
import type { LabelOnVersion } from '../../registry/index.js';
import { PromptFiller } from '../running/prompt-filler.js';
import type { Expansion } from '../snippets/expand-snippets.js';
import { plain } from '../snippets/expand-version.js';
import { completeVersion } from './complete-version.js';
import { listPrompts, type PromptHead, readShownVersions } from './list-prompts.queries.js';
import type { ChosenModel } from './choose-model.js';
import { type ChosenVersion, getVersion, type VersionChoice } from './prompts.queries.js';
import type { ListPromptsQuery, ReadPromptQuery, RenderPromptRequest } from './prompts.dto.js';
import type { PromptMetadata } from '../shared/prompt.entity.js';
import { PROMPT_LABELS, PROMPTS } from './prompt.registry.js';

export interface ReadPrompt extends ChosenVersion {
  expansion: Expansion;
  llmKwargs: JsonObject | null;
}

export interface RenderedPrompt extends ReadPrompt {
  metadata: PromptMetadata | null;
  /** Problems while filling in snippets and variables; null if there were none. */
  warning: string | null;
  /** The credential that the version names, with its URL; null if it names none. */
  baseUrl: { id: number; name: string; provider: string; url: string } | null;
}

export interface PromptOnPage extends ChosenVersion {
  externalIds: ExternalIdBody[];
  /** The names of its folders from the top; empty at the top. */
  folders: string[];
  /** Null unless it was asked for. */
  llmKwargs: JsonObject | null;
  /** Undefined unless they were asked for. */
  labels?: LabelOnVersion[];
}

/** Stored bytes of content that are read at once, because prompts may be megabytes long. */
const READ_AT_ONCE = 256 * 1024;

@Injectable()
export class PromptsService {
  constructor(
    private readonly db: DataSource,
    private readonly filler: PromptFiller,
    private readonly credentials: CredentialStore,
  ) {}

  /** Returns the number of matching prompts, and those of the page in groups. */
  async list(
    caller: Caller,
    query: ListPromptsQuery,
  ): Promise<{ total: number; groups: AsyncIterable<PromptOnPage[]> }> {
    const { workspaceId } = caller;
    const { manager } = this.db;
    const { total, heads } = await listPrompts(manager, workspaceId, query);
    const ids = heads.map(({ prompt }) => prompt.id);
    const externalIds = await PROMPTS.externalIdsOfAll(manager, workspaceId, ids);
    const folderIds = heads.map(({ prompt }) => prompt.folderId);
    const pathOf = await folderPaths(manager, workspaceId, folderIds);
    const labels = query.include_labels ? await PROMPT_LABELS.ofAll(manager, workspaceId, ids) : null;
    const read = async (group: PromptHead[]): Promise<PromptOnPage[]> => {
      const versions = await readShownVersions(manager, workspaceId, group);
      const chosen = group.map(({ prompt }, index) => ({ prompt, version: versions[index]! }));
      return Promise.all(
        chosen.map(async ({ prompt, version }) => ({
          prompt,
          version,
          externalIds: externalIds.get(String(prompt.id))!,
          folders: pathOf(prompt.folderId),
          llmKwargs: await this.listedKwargs(caller, { prompt, version }, query.skip_input_variable_rendering),
          labels: labels?.get(prompt.id),
        })),
      );
    };
    const [first = [], ...others] = groupBySize(heads, READ_AT_ONCE);
    // Most pages are one group. Reading it first makes its errors an error response instead of a truncated page.
    const firstRead = first.length > 0 ? await read(first) : [];
    return { total, groups: inTurn(firstRead, others, read) };
  }

  /** Reads a version without filling in its variables. */
  async read(caller: Caller, identifier: string, query: ReadPromptQuery & VersionChoice): Promise<ReadPrompt> {
    const { resolve_snippets: resolve = true, include_llm_kwargs: withKwargs = false } = query;
    const chosen = await getVersion(this.db.manager, caller.workspaceId, identifier, query);
    const expansion = resolve ? await completeVersion(this.db.manager, chosen) : plain(chosen);
    const llmKwargs = withKwargs ? await this.kwargs(caller, chosen, expansion, true) : null;
    return { ...chosen, expansion, llmKwargs };
  }

  /** Fills in the variables of a version, ready to be sent to a model. */
  async render(caller: Caller, identifier: string, request: RenderPromptRequest): Promise<RenderedPrompt> {
    assertOwnWorkspace(caller, request.workspace_id, PromptErrors.prompt_workspace_forbidden);
    const choice = { ...request, routedBy: request.metadata_filters ?? {} };
    const chosen = await getVersion(this.db.manager, caller.workspaceId, identifier, choice);
    const expansion = await completeVersion(this.db.manager, chosen);
    const { metadata } = chosen.version;
    const filling = {
      variables: request.input_variables ?? null,
      skip: request.skip_input_variable_rendering ?? false,
      provider: request.provider,
      model: request.model,
      parameters: request.model_parameter_overrides,
    };
    const filled = await this.filler.fill({ prompt: expansion.prompt, metadata }, filling, caller);
    return {
      ...chosen,
      baseUrl: await this.baseUrl(caller, chosen, filled.model?.provider),
      expansion: { ...expansion, prompt: filled.prompt },
      llmKwargs: filled.kwargs,
      metadata: withModel(metadata, filled.model),
      warning: joinWarnings(snippetWarning(expansion), filled.warning),
    };
  }

  /** The base URL of the credential that a version names. */
  private async baseUrl(
    { workspaceId }: Caller,
    { version: { providerBaseUrlName: name } }: ChosenVersion,
    provider: string | undefined,
  ): Promise<RenderedPrompt['baseUrl']> {
    const credential = name && provider ? await this.credentials.findWithAddress(workspaceId, provider, name) : null;
    return (
      credential && { id: credential.id, name: credential.name, provider: credential.provider, url: credential.baseUrl }
    );
  }

  /** The arguments for the client of an item's model; null if its snippets cannot be expanded. */
  private async listedKwargs(
    caller: Caller,
    chosen: ChosenVersion,
    skip: boolean | undefined,
  ): Promise<JsonObject | null> {
    if (skip === undefined || !chosen.version.metadata?.model) return null;
    try {
      return await this.kwargs(caller, chosen, await completeVersion(this.db.manager, chosen), skip);
    } catch (error) {
      if (error instanceof Problem) return null;
      throw error;
    }
  }

  /** The arguments for the client of the version's model; `skip` leaves the variables in place. */
  private async kwargs(
    caller: Caller,
    { version: { metadata } }: ChosenVersion,
    { prompt }: Expansion,
    skip: boolean,
  ): Promise<JsonObject | null> {
    return (await this.filler.fill({ prompt, metadata }, { variables: null, skip }, caller)).kwargs;
  }
}

function snippetWarning({ unresolved }: Expansion): string | null {
  if (unresolved.length === 0) return null;
  return `Some snippets were not found: (${unresolved.map((text) => `\`${text}\``).join(', ')})`;
}

function joinWarnings(...warnings: (string | null)[]): string | null {
  return warnings.filter((warning) => warning !== null).join('\n') || null;
}

/** Sets the model that the arguments are for, because SDKs choose their client by it. */
function withModel(metadata: PromptMetadata | null, model: ChosenModel | null): PromptMetadata | null {
  if (!model) return metadata;
  const name = model.name ?? metadata?.model?.name;
  // A provider without a model name is not a model.
  if (name === undefined) return metadata;
  const { provider, apiType: api_type, parameters } = model;
  return { ...metadata, model: { ...UNNAMED, ...metadata?.model, provider, name, api_type, parameters } };
}

const UNNAMED = { model_config_display_name: null, base_model: null, display_params: {} };

async function* inTurn<T, R>(first: R[], others: T[][], read: (group: T[]) => Promise<R[]>): AsyncGenerator<R[]> {
  yield first;
  for (const group of others) yield await read(group);
}
