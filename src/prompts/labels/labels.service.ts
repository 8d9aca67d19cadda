import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { type Caller, demandLabels } from '../../access/index.js';
import { emit } from '../../events/index.js';
import { type Detail, ValidationProblem } from '../../platform/errors/problem.js';
import type { LabelOnVersion } from '../../registry/index.js';
import { deleteAbReleases } from '../ab-releases/ab-releases.queries.js';
import { PromptEvents } from '../prompt-events.js';
import { PromptErrors } from '../prompts.errors.js';
import { labelDetails, PROMPT_LABELS, PROMPTS } from '../registry/prompt.registry.js';
import { getVersion } from '../registry/prompts.queries.js';
import { PromptLabel, type PromptRecord, PromptVersion } from '../registry/prompt.entity.js';
import { announceToImporters } from '../registry/store-version.js';
import { checkExpansion, lockReferences } from '../snippets/bind-references.js';
import { findReferences } from '../snippets/references.js';
import type { MoveLabelRequest } from './labels.dto.js';
import { lockLabel } from './lock-label.js';
import { placeLabels } from './place-labels.js';

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
      await demandLabels(tx, caller, 'PROMPT_DEPLOY', [name]);
      const version = await findTarget(tx, prompt, target);
      if (await tx.existsBy(PromptLabel, { workspaceId, promptId, name })) throw PromptErrors.release_label_taken(name);
      return place(tx, caller, { prompt, version, name });
    });
  }

  move(caller: Caller, labelId: number, target: MoveLabelRequest): Promise<PlacedOnVersion> {
    return this.db.transaction(async (tx) => {
      const { prompt, label } = await lockLabel(tx, caller, labelId);
      await demandLabels(tx, caller, 'PROMPT_DEPLOY', [label.name]);
      const version = await findTarget(tx, prompt, target);
      return place(tx, caller, { prompt, version, name: label.name });
    });
  }

  delete(caller: Caller, labelId: number): Promise<void> {
    return this.db.transaction(async (tx) => {
      const { prompt, label } = await lockLabel(tx, caller, labelId);
      await demandLabels(tx, caller, 'PROMPT_DEPLOY', [label.name]);
      const importers = await announceToImporters(tx, prompt, { latest: false, labels: [label.name] });
      await deleteAbReleases(tx, caller, { labelId });
      await PROMPT_LABELS.delete(tx, caller, prompt, label);
      await emit(tx, caller, PromptEvents.labelDeleted(labelDetails(prompt, label)), ...importers);
    });
  }
}

/** Puts one label on a version, with everything that follows from it. */
async function place(
  tx: EntityManager,
  caller: Caller,
  { prompt, version, name }: { prompt: PromptRecord; version: PromptVersion; name: string },
): Promise<PlacedOnVersion> {
  const { workspaceId, id: promptId } = prompt;
  const refers = findReferences(version.template).length > 0;
  if (refers) await lockReferences(tx, workspaceId);
  const events = await placeLabels(tx, caller, prompt, { versionNumber: version.number, names: [name] });
  if (refers) await checkExpansion(tx, version, ['body', 'prompt_version_number']);
  const changed = { latest: false, labels: events.length > 0 ? [name] : [] };
  await emit(tx, caller, ...events, ...(await announceToImporters(tx, prompt, changed)));
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
