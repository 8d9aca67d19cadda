import { type EntityManager, In } from 'typeorm';
import { auditAll, type Caller } from '../../access/index.js';
import type { DomainEvent } from '../../events/index.js';
import { PromptEvents } from '../prompt-events.js';
import { PromptLabel, type PromptRecord } from '../registry/prompt.entity.js';

/** Puts labels on a version of a locked prompt, creating or moving them. Gives what happened. */
export async function placeLabels(
  tx: EntityManager,
  caller: Caller,
  prompt: PromptRecord,
  { versionNumber, names }: { versionNumber: number; names: string[] },
): Promise<DomainEvent[]> {
  if (names.length === 0) return [];
  const { workspaceId, id: promptId } = prompt;
  const known = await tx.findBy(PromptLabel, { workspaceId, promptId, name: In(names) });
  const byName = new Map(known.map((label) => [label.name, label]));
  const missing = names.filter((name) => !byName.has(name));
  if (missing.length > 0) {
    await tx.insert(
      PromptLabel,
      missing.map((name) => ({ workspaceId, promptId, name, versionNumber })),
    );
  }
  await tx.update(PromptLabel, { workspaceId, promptId, name: In(names) }, { versionNumber });
  await recordChanges(tx, caller, prompt, { versionNumber, names, before: byName });
  return names.flatMap((name) => {
    const old = byName.get(name)?.versionNumber;
    const details = labelDetails(prompt, name, versionNumber);
    if (old === undefined) return [PromptEvents.labelCreated(details)];
    return old === versionNumber
      ? []
      : [PromptEvents.labelMoved({ ...details, old_prompt_template_version_number: old })];
  });
}

async function recordChanges(
  tx: EntityManager,
  caller: Caller,
  prompt: PromptRecord,
  changed: { versionNumber: number; names: string[]; before: Map<string, PromptLabel> },
): Promise<void> {
  const { versionNumber, names, before } = changed;
  const { workspaceId, id: promptId } = prompt;
  const labels = await tx.findBy(PromptLabel, { workspaceId, promptId, name: In(names) });
  const deeds = labels.flatMap(({ id: entityId, name }) => {
    const old = before.get(name)?.versionNumber;
    if (old === versionNumber) return [];
    const details = { ...labelDetails(prompt, name, versionNumber), old_prompt_template_version_number: old };
    return [{ action: `release_label.${old === undefined ? 'create' : 'move'}`, entityId, details }];
  });
  await auditAll(tx, caller, deeds);
}

export function labelDetails(prompt: PromptRecord, label: string, versionNumber: number) {
  return {
    prompt_template_id: prompt.id,
    prompt_template_name: prompt.name,
    prompt_template_version_number: versionNumber,
    prompt_template_label: label,
  };
}
