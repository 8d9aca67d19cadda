import { type EntityManager, In } from 'typeorm';
import type { DomainEvent } from '../../events/index.js';
import { PromptEvents } from '../prompt-events.js';
import { PromptLabel, type PromptRecord } from '../registry/prompt.entity.js';

/** Puts labels on a version of a locked prompt, creating or moving them. Gives what happened. */
export async function placeLabels(
  tx: EntityManager,
  prompt: PromptRecord,
  versionNumber: number,
  names: string[],
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
  return names.flatMap((name) => {
    const old = byName.get(name)?.versionNumber;
    const details = labelDetails(prompt, name, versionNumber);
    if (old === undefined) return [PromptEvents.labelCreated(details)];
    return old === versionNumber
      ? []
      : [PromptEvents.labelMoved({ ...details, old_prompt_template_version_number: old })];
  });
}

export function labelDetails(prompt: PromptRecord, label: string, versionNumber: number) {
  return {
    prompt_template_id: prompt.id,
    prompt_template_name: prompt.name,
    prompt_template_version_number: versionNumber,
    prompt_template_label: label,
  };
}
