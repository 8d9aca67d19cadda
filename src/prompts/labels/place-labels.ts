import type { EntityManager } from 'typeorm';
import type { Caller } from '../../access/index.js';
import type { DomainEvent } from '../../events/index.js';
import type { ClearedLabels } from '../../registry/index.js';
import { PromptEvents } from '../shared/prompt-events.js';
import type { PromptRecord } from '../shared/prompt.entity.js';
import { labelDetails, PROMPT_LABELS } from '../registry/prompt.registry.js';

/** Puts labels on a version of a locked prompt, creating or moving them. Returns the changes. */
export async function placeLabels(
  tx: EntityManager,
  caller: Caller,
  prompt: PromptRecord,
  target: { versionNumber: number; labels: ClearedLabels },
): Promise<DomainEvent[]> {
  const placed = await PROMPT_LABELS.place(tx, caller, prompt, target);
  return placed.map((label) => {
    const details = labelDetails(prompt, label);
    const { oldNumber: old } = label;
    if (old === undefined) return PromptEvents.labelCreated(details);
    return PromptEvents.labelMoved({ ...details, old_prompt_template_version_number: old });
  });
}
