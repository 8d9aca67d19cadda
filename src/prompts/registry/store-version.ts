import type { EntityManager } from 'typeorm';
import type { Caller } from '../../access/index.js';
import { type DomainEvent, emit } from '../../events/index.js';
import type { Prompt } from '../../llm/shared/blueprint.js';
import type { ClearedLabels } from '../../registry/index.js';
import { placeLabels } from '../labels/place-labels.js';
import { PromptEvents } from '../shared/prompt-events.js';
import { bindReferences, checkExpansion, lockReferences } from '../snippets/bind-references.js';
import { findImporters, type SnippetChange } from '../snippets/importers.queries.js';
import { findReferences } from '../snippets/references.js';
import { type PromptMetadata, type PromptRecord, PromptText, type PromptVersion } from '../shared/prompt.entity.js';
import { PROMPTS } from './prompt.registry.js';
import { textsOf } from '../shared/prompt-text.js';

/** Content of a version. Its number is the latest one of the locked prompt. */
export interface VersionContent {
  template: Prompt;
  metadata: PromptMetadata | null;
  commitMessage: string | null;
  providerBaseUrlName: string | null;
  inferenceClientName: string | null;
  providerId: number | null;
  snippetOverrides: Record<string, string> | null;
}

/** Stores a version under the number that was just taken for it, places its labels and announces all of it. */
export async function storeVersion(
  tx: EntityManager,
  caller: Caller,
  prompt: PromptRecord,
  { content, labels }: { content: VersionContent; labels: ClearedLabels },
): Promise<PromptVersion> {
  const { latestVersion: number } = prompt;
  const refers = findReferences(content.template).length > 0;
  if (refers) await lockReferences(tx, prompt.workspaceId);
  const version = await PROMPTS.storeVersion(tx, caller, prompt, content);
  await bindReferences(tx, version);
  const placed = await placeLabels(tx, caller, prompt, { versionNumber: number, labels });
  // Its labels and its place as the latest version may complete a circle, so the check comes after them.
  if (refers) await checkExpansion(tx, version);
  await storeText(tx, prompt, content.template);
  const created = PromptEvents.versionCreated({ ...details(prompt), prompt_template_version_number: number });
  const snippets = { workspaceId: prompt.workspaceId, ids: [prompt.id] };
  const importers = await announceToImporters(tx, snippets, { latest: true, labels: [...labels.names] });
  await emit(tx, caller, created, ...placed, ...importers);
  return version;
}

/** The events for the prompts that import changed snippets. A prompt may be imported that is no snippet any more. */
export async function announceToImporters(
  tx: EntityManager,
  snippets: { workspaceId: number; ids: number[] },
  changed: SnippetChange,
): Promise<DomainEvent[]> {
  const importers = await findImporters(tx, snippets, changed);
  return importers.map(({ id, name, latestVersion }) =>
    PromptEvents.updated({
      prompt_template_id: id,
      prompt_template_name: name,
      prompt_template_version_number: latestVersion,
    }),
  );
}

function details({ id, name }: PromptRecord) {
  return { prompt_template_id: id, prompt_template_name: name };
}

async function storeText(tx: EntityManager, { workspaceId, id: promptId }: PromptRecord, template: Prompt) {
  const text = textsOf(template).join('\n').toLowerCase();
  await tx.upsert(PromptText, { workspaceId, promptId, text }, ['workspaceId', 'promptId']);
}
