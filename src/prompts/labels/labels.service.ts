import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { Caller } from '../../access/index.js';
import { type Detail, ValidationProblem } from '../../platform/errors/problem.js';
import { type ClearedLabels, demandLabels, type LabelOnVersion } from '../../registry/index.js';
import { PromptErrors } from '../shared/prompts.errors.js';
import { PROMPT_LABELS, PROMPTS } from '../registry/prompt.registry.js';
import { getVersion } from '../registry/prompts.queries.js';
import { PromptLabel, type PromptRecord, PromptVersion } from '../shared/prompt.entity.js';
import { putLabels, removeLabels } from './change-labels.js';
import type { MoveLabelRequest } from './labels.dto.js';
import { lockLabel } from './lock-label.js';

export interface PlacedOnVersion {
  label: PromptLabel;
  version: PromptVersion;
}

@Injectable()
export class LabelsService {
  constructor(private readonly db: DataSource) {}

  /** The labels of a prompt, by name. */
  async list(caller: Caller, identifier: string): Promise<LabelOnVersion[]> {
    const { prompt } = await getVersion(this.db.manager, caller.workspaceId, identifier, {});
    return PROMPT_LABELS.of(this.db.manager, prompt);
  }

  create(caller: Caller, promptId: number, name: string, target: MoveLabelRequest): Promise<PlacedOnVersion> {
    const { workspaceId } = caller;
    return this.db.transaction(async (tx) => {
      const prompt = await PROMPTS.lock(tx, workspaceId, { id: promptId });
      const labels = await demandLabels(tx, caller, 'PROMPT_DEPLOY', [name]);
      const version = await findTarget(tx, prompt, target);
      if (await tx.existsBy(PromptLabel, { workspaceId, promptId, name })) throw PromptErrors.release_label_taken(name);
      return place(tx, caller, { prompt, version, labels });
    });
  }

  move(caller: Caller, labelId: number, target: MoveLabelRequest): Promise<PlacedOnVersion> {
    return this.db.transaction(async (tx) => {
      const { prompt, label } = await lockLabel(tx, caller, labelId);
      const labels = await demandLabels(tx, caller, 'PROMPT_DEPLOY', [label.name]);
      const version = await findTarget(tx, prompt, target);
      return place(tx, caller, { prompt, version, labels });
    });
  }

  delete(caller: Caller, labelId: number): Promise<void> {
    return this.db.transaction(async (tx) => {
      const { prompt, label } = await lockLabel(tx, caller, labelId);
      const labels = await demandLabels(tx, caller, 'PROMPT_DEPLOY', [label.name]);
      await removeLabels(tx, caller, prompt, labels);
    });
  }
}

/** Puts one label on a version, and returns both. */
async function place(
  tx: EntityManager,
  caller: Caller,
  { prompt, version, labels }: { prompt: PromptRecord; version: PromptVersion; labels: ClearedLabels },
): Promise<PlacedOnVersion> {
  await putLabels(tx, caller, prompt, { version, labels });
  const { workspaceId, id: promptId } = prompt;
  const [name] = labels.names;
  return { label: await tx.findOneByOrFail(PromptLabel, { workspaceId, promptId, name }), version };
}

/** The version that a request names by number, by id or by both. */
async function findTarget(tx: EntityManager, prompt: PromptRecord, target: MoveLabelRequest): Promise<PromptVersion> {
  const { prompt_version_number: number, prompt_version_id: id } = target;
  const loc = ['body', 'prompt_version_number'];
  if (!number && !id) throw refusal({ loc, msg: 'Field required', type: 'missing' });
  const { workspaceId, id: promptId } = prompt;
  const where = { workspaceId, promptId, ...(number && { number }), ...(id && { id }) };
  const version = await tx.findOneBy(PromptVersion, where);
  if (version) return version;
  if (number && id) {
    const msg = 'prompt_version_number and prompt_version_id name different versions';
    throw refusal({ loc, msg, type: 'value_error' });
  }
  throw PromptErrors.prompt_version_not_found(prompt.name, number ?? id!);
}

function refusal(detail: Detail): ValidationProblem {
  return new ValidationProblem([detail]);
}
