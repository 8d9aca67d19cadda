import type { EntityManager } from 'typeorm';
import type { Caller } from '../../access/index.js';
import { type ClearedLabels, LabelledEntries, LabelledKind } from '../../registry/index.js';
import type { PromptRecord, PromptVersion } from '../shared/prompt.entity.js';
import { PROMPT_LABELS, PROMPTS } from '../registry/prompt.registry.js';
import { putLabels, removeLabels } from './change-labels.js';

@LabelledKind({ name: 'prompt', permission: 'PROMPT_DEPLOY' })
export class LabelledPrompts extends LabelledEntries<PromptRecord, PromptVersion> {
  constructor() {
    super(PROMPTS, PROMPT_LABELS);
  }

  override async place(
    tx: EntityManager,
    caller: Caller,
    prompt: PromptRecord,
    { versionNumber, labels }: { versionNumber: number; labels: ClearedLabels },
  ): Promise<void> {
    const version = await PROMPTS.getVersion(tx, prompt, versionNumber);
    await putLabels(tx, caller, prompt, { version, labels });
  }

  override remove(tx: EntityManager, caller: Caller, prompt: PromptRecord, labels: ClearedLabels): Promise<void> {
    return removeLabels(tx, caller, prompt, labels);
  }
}
