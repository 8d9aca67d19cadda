import type { EntityManager } from 'typeorm';
import type { Caller } from '../../access/index.js';
import { type ClearedLabels, LabelledKind, type LabelledKindPlugin, type LabelPosition } from '../../registry/index.js';
import type { PromptRecord } from '../registry/prompt.entity.js';
import { PROMPT_LABELS, PROMPTS } from '../registry/prompt.registry.js';
import { putLabels, removeLabels } from './change-labels.js';

@LabelledKind({ name: 'prompt', permission: 'PROMPT_DEPLOY' })
export class LabelledPrompts implements LabelledKindPlugin<PromptRecord> {
  readonly registry = PROMPTS;

  labelsOf(tx: EntityManager, prompt: PromptRecord): Promise<LabelPosition[]> {
    return PROMPT_LABELS.of(tx, prompt);
  }

  checkTarget(tx: EntityManager, prompt: PromptRecord, { versionNumber }: LabelPosition): Promise<unknown> {
    return PROMPTS.getVersion(tx, prompt, versionNumber);
  }

  async place(
    tx: EntityManager,
    caller: Caller,
    prompt: PromptRecord,
    { versionNumber, labels }: { versionNumber: number; labels: ClearedLabels },
  ): Promise<void> {
    const version = await PROMPTS.getVersion(tx, prompt, versionNumber);
    await putLabels(tx, caller, prompt, { version, labels });
  }

  remove(tx: EntityManager, caller: Caller, prompt: PromptRecord, labels: ClearedLabels): Promise<void> {
    return removeLabels(tx, caller, prompt, labels);
  }
}
