import type { EntityManager } from 'typeorm';
import type { Caller } from '../../access/index.js';
import { emit } from '../../events/index.js';
import type { ClearedLabels } from '../../registry/index.js';
import { deleteAbReleases } from '../ab-releases/ab-releases.queries.js';
import { PromptEvents } from '../shared/prompt-events.js';
import type { PromptRecord, PromptVersion } from '../shared/prompt.entity.js';
import { labelDetails, PROMPT_LABELS } from '../registry/prompt.registry.js';
import { announceToImporters } from '../registry/store-version.js';
import { checkExpansion, lockReferences } from '../snippets/bind-references.js';
import { findReferences } from '../snippets/references.js';
import { placeLabels } from './place-labels.js';

/** Puts labels on a version, with everything that follows from it. */
export async function putLabels(
  tx: EntityManager,
  caller: Caller,
  prompt: PromptRecord,
  { version, labels }: { version: PromptVersion; labels: ClearedLabels },
): Promise<void> {
  const refers = findReferences(version.template).length > 0;
  if (refers) await lockReferences(tx, prompt.workspaceId);
  const events = await placeLabels(tx, caller, prompt, { versionNumber: version.number, labels });
  if (refers) await checkExpansion(tx, version, ['body', 'prompt_version_number']);
  const changed = { latest: false, labels: events.length > 0 ? [...labels.names] : [] };
  await emit(tx, caller, ...events, ...(await announceToImporters(tx, snippetsOf(prompt), changed)));
}

/** Removes labels with their A/B releases. */
export async function removeLabels(
  tx: EntityManager,
  caller: Caller,
  prompt: PromptRecord,
  labels: ClearedLabels,
): Promise<void> {
  const importers = await announceToImporters(tx, snippetsOf(prompt), { latest: false, labels: [...labels.names] });
  const known = (await PROMPT_LABELS.of(tx, prompt)).filter(({ name }) => labels.names.includes(name));
  for (const { id: labelId } of known) await deleteAbReleases(tx, caller, { labelId });
  const removed = await PROMPT_LABELS.delete(tx, caller, prompt, labels);
  const events = removed.map((label) => PromptEvents.labelDeleted(labelDetails(prompt, label)));
  await emit(tx, caller, ...events, ...importers);
}

const snippetsOf = ({ workspaceId, id }: PromptRecord) => ({ workspaceId, ids: [id] });
