import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { type Caller, demand } from '../../access/index.js';
import { emit } from '../../events/index.js';
import { type ExternalIdBody, ExternalIdErrors, findByExternalId, lockExternalId } from '../../external-ids/index.js';
import { assertOwnWorkspace, lockFolder } from '../../folders/index.js';
import type { Prompt } from '../../llm/shared/blueprint.js';
import { ModelProviders } from '../../llm/index.js';
import { ValidationProblem } from '../../platform/errors/problem.js';
import { JinjaSandbox } from '../../platform/sandbox/jinja-sandbox.js';
import { type ClearedLabels, demandLabels } from '../../registry/index.js';
import { PromptEvents } from '../shared/prompt-events.js';
import { PromptErrors } from '../shared/prompts.errors.js';
import { collectInputVariables } from '../rendering/variables.js';
import { rebindReferences } from '../snippets/bind-references.js';
import { applyPatch } from './apply-patch.js';
import { PublicationFollowers } from './publication-followers.js';
import type { PatchPromptRequest, PublishPromptRequest } from './publish.dto.js';
import type { PromptMetadata, PromptRecord, PromptVersion } from '../shared/prompt.entity.js';
import { PROMPTS } from './prompt.registry.js';
import { getVersion, type PromptHead, takeVersionById, takeVersionOf } from './prompts.queries.js';
import { storeVersion, type VersionContent } from './store-version.js';

/** A published version with the other facts of the response. */
export interface Published {
  prompt: PromptRecord;
  version: PromptVersion;
  /** Release labels of the request; null when none were sent. */
  labels: string[] | null;
  externalIds: ExternalIdBody[];
  /** True when the prompt did not exist before. */
  created: boolean;
}

interface Publication {
  head: PromptHead;
  content: VersionContent;
  /** Release labels. */
  names: string[];
}

@Injectable()
export class PublishingService {
  constructor(
    private readonly db: DataSource,
    private readonly jinja: JinjaSandbox,
    private readonly providers: ModelProviders,
    private readonly followers: PublicationFollowers,
  ) {}

  /** Publishes a version of the prompt with this name, or the first version of a new prompt. */
  async publish(caller: Caller, body: PublishPromptRequest): Promise<Published> {
    const publication = await this.prepare(caller, body);
    return this.publishWith(caller, body, async (tx) => {
      const published = await publishByName(tx, caller, publication);
      return finish(tx, published, body, body.external_ids ?? []);
    });
  }

  /** Publishes a version of the prompt with this external ID. If no prompt has it, it is attached to the prompt with this name. */
  async publishByExternalId(caller: Caller, pair: ExternalIdBody, body: PublishPromptRequest): Promise<Published> {
    const publication = await this.prepare(caller, body);
    return this.publishWith(caller, body, async (tx) => {
      await lockExternalId(tx, caller.workspaceId, pair);
      const holder = await findByExternalId(tx, caller.workspaceId, pair);
      if (holder && holder.type !== PROMPTS.options.externalIdType) {
        throw ExternalIdErrors.external_id_in_use(pair.source, pair.external_id);
      }
      const published = holder
        ? await publishById(tx, caller, Number(holder.id), publication)
        : await publishByName(tx, caller, publication);
      return finish(tx, published, body, [pair, ...(body.external_ids ?? [])]);
    });
  }

  /** Publishes an older version with the changes in the body. */
  async patch(caller: Caller, identifier: string, body: PatchPromptRequest): Promise<Published> {
    const names = body.release_labels ?? [];
    const isAmbiguous = Boolean(body.version && body.label);
    return this.db.transaction(async (tx) => {
      const { prompt: found } = await getVersion(tx, caller.workspaceId, identifier, isAmbiguous ? {} : body);
      const labels = await demandPublishing(tx, caller, { created: false, names });
      if (isAmbiguous) throw PromptErrors.prompt_patch_conflict('Send either version or label, not both.');
      const locked = await PROMPTS.lock(tx, caller.workspaceId, { id: found.id });
      // Reads again under the lock: an outdated latest version would undo the changes of others.
      const { version: base } = await getVersion(tx, caller.workspaceId, String(found.id), body);
      const patched = applyPatch(base, body);
      const metadata = this.withApiType(patched.metadata);
      const template = await this.withVariables(caller, patched.template, metadata);
      const prompt = await takeVersionById(tx, locked, { type: template.type });
      const content = { ...patched, template, metadata };
      const version = await storeVersion(tx, caller, prompt, { content, labels });
      return finish(tx, { prompt, version, created: false }, body, []);
    });
  }

  /** Publishes in one transaction with the follower of the publication. */
  private async publishWith(
    caller: Caller,
    { prompt_version: { report_id: reportId } }: PublishPromptRequest,
    publish: (tx: EntityManager) => Promise<Published>,
  ): Promise<Published> {
    const { published, after } = await this.db.transaction(async (tx) => {
      const follow = await this.followers.find(tx, caller, reportId);
      const { prompt, version, ...rest } = await publish(tx);
      const followed = await follow?.({ promptId: prompt.id, promptName: prompt.name, number: version.number });
      return { published: { prompt, version, ...rest }, after: followed };
    });
    after?.();
    return published;
  }

  /** Checks and prepares everything that needs no transaction. */
  private async prepare(caller: Caller, body: PublishPromptRequest): Promise<Publication> {
    const { prompt_template: head, prompt_version: content } = body;
    assertOwnWorkspace(caller, head.workspace_id, PromptErrors.prompt_workspace_forbidden);
    const metadata = this.withApiType(content.metadata ?? null);
    const template = await this.withVariables(caller, content.prompt_template, metadata);
    if (head.is_snippet) checkSnippet(template);
    return {
      head: toHead(body, template),
      content: { ...toContent(body), template, metadata },
      names: body.release_labels ?? [],
    };
  }

  /** Adds the API type, which the clients of some providers require. */
  private withApiType(metadata: PromptMetadata | null): PromptMetadata | null {
    if (!metadata?.model) return metadata;
    const { provider, api_type: given } = metadata.model;
    return { ...metadata, model: { ...metadata.model, api_type: this.providers.apiType(provider, given) } };
  }

  private withVariables(caller: Caller, template: Prompt, metadata: PromptMetadata | null): Promise<Prompt> {
    return collectInputVariables(this.jinja, template, metadata?.model?.parameters ?? {}, caller);
  }
}

/** Attaches the external IDs and returns the facts of the response. */
async function finish(
  tx: EntityManager,
  { prompt, version, created }: { prompt: PromptRecord; version: PromptVersion; created: boolean },
  { release_labels: labels = null }: { release_labels?: string[] | null },
  externalIds: ExternalIdBody[],
): Promise<Published> {
  await PROMPTS.attachExternalIds(tx, prompt, externalIds);
  return { prompt, version, labels, externalIds: await PROMPTS.externalIdsOf(tx, prompt), created };
}

function toHead({ prompt_template: head }: PublishPromptRequest, { type }: Prompt): PromptHead {
  const { prompt_name: name, is_snippet: isSnippet, tags, folder_id: folderId } = head;
  return { name, type, isSnippet: isSnippet ?? false, tags, folderId: folderId ?? null };
}

function toContent({ prompt_version: version, snippet_overrides }: PublishPromptRequest) {
  return {
    commitMessage: version.commit_message ?? null,
    providerBaseUrlName: version.provider_base_url_name ?? null,
    inferenceClientName: version.inference_client_name ?? null,
    providerId: version.provider_id ?? null,
    snippetOverrides: snippet_overrides ?? null,
  };
}

async function publishByName(tx: EntityManager, caller: Caller, { head, content, names }: Publication) {
  if (head.folderId !== null) await lockFolder(tx, caller.workspaceId, head.folderId);
  const { prompt, created } = await takeVersionOf(tx, caller, head);
  const labels = await demandPublishing(tx, caller, { created, names });
  if (prompt.isSnippet) checkSnippet(content.template);
  if (created) await rebindReferences(tx, prompt);
  return { prompt, version: await storeVersion(tx, caller, prompt, { content, labels }), created };
}

async function publishById(tx: EntityManager, caller: Caller, id: number, { head, content, names }: Publication) {
  if (head.folderId !== null) await lockFolder(tx, caller.workspaceId, head.folderId);
  const before = await PROMPTS.lock(tx, caller.workspaceId, { id });
  const labels = await demandPublishing(tx, caller, { created: false, names });
  if (before.isSnippet) checkSnippet(content.template);
  const prompt = await takeVersionById(tx, before, head);
  if (prompt.name !== before.name) {
    await rebindReferences(tx, prompt);
    const details = { prompt_template_id: id, prompt_template_name: prompt.name };
    await emit(tx, caller, PromptEvents.nameChanged({ ...details, old_prompt_template_name: before.name }));
  }
  return { prompt, version: await storeVersion(tx, caller, prompt, { content, labels }), created: false };
}

async function demandPublishing(
  tx: EntityManager,
  caller: Caller,
  { created, names }: { created: boolean; names: string[] },
): Promise<ClearedLabels> {
  demand(caller, created ? 'PROMPT_CREATE' : 'PROMPT_EDIT');
  return demandLabels(tx, caller, 'PROMPT_DEPLOY', names);
}

/** Only the text of a completion prompt can be filled into another prompt. */
function checkSnippet(template: Prompt): void {
  if (template.type === 'completion') return;
  const loc = ['body', 'prompt_version', 'prompt_template', 'type'];
  throw new ValidationProblem([{ loc, msg: 'A snippet must be a completion prompt', type: 'snippet_type' }]);
}
