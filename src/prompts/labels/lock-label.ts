import type { EntityManager } from 'typeorm';
import type { Caller } from '../../access/index.js';
import { PromptErrors } from '../shared/prompts.errors.js';
import { PromptLabel, type PromptRecord } from '../shared/prompt.entity.js';
import { PROMPTS } from '../registry/prompt.registry.js';

/** A label and its live prompt, which is locked. Throws release_label_not_found. */
export async function lockLabel(
  tx: EntityManager,
  { workspaceId }: Caller,
  id: number,
): Promise<{ prompt: PromptRecord; label: PromptLabel }> {
  const known = await tx.findOneBy(PromptLabel, { workspaceId, id });
  const prompt = known && (await PROMPTS.find(tx, workspaceId, { id: known.promptId }, 'for_no_key_update'));
  // It may have moved or gone while the lock was waited for.
  const label = prompt && (await tx.findOneBy(PromptLabel, { workspaceId, id }));
  if (!label) throw PromptErrors.release_label_not_found(id);
  return { prompt, label };
}
