import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { audit, type Caller, demandLabels } from '../../access/index.js';
import { emit } from '../../events/index.js';
import { type Detail, ValidationProblem } from '../../platform/errors/problem.js';
import { deleteAbReleases } from '../ab-releases/ab-releases.queries.js';
import { PromptEvents } from '../prompt-events.js';
import { PromptErrors } from '../prompts.errors.js';
import { getVersion, lockPrompt } from '../registry/prompts.queries.js';
import { PromptLabel, type PromptRecord, PromptVersion } from '../registry/prompt.entity.js';
import { announceToImporters } from '../registry/store-version.js';
import { checkExpansion, lockReferences } from '../snippets/bind-references.js';
import { findReferences } from '../snippets/references.js';
import type { MoveLabelRequest, PromptLabelBody } from './labels.dto.js';
import { labelsOfPrompts } from './labels.queries.js';
import { lockLabel } from './lock-label.js';
import { labelDetails, placeLabels } from './place-labels.js';

export interface LabelOnVersion {
  label: PromptLabel;
  version: PromptVersion;
}

@Injectable()
export class LabelsService {
  constructor(private readonly db: DataSource) {}

  /** The labels of a prompt, by name. */
  async list(caller: Caller, identifier: string): Promise<PromptLabelBody[]> {
    const { prompt } = await getVersion(this.db.manager, caller.workspaceId, identifier, {});
    return (await labelsOfPrompts(this.db.manager, caller.workspaceId, [prompt.id])).get(prompt.id)!;
  }

  create(caller: Caller, promptId: number, name: string, target: MoveLabelRequest): Promise<LabelOnVersion> {
    const { workspaceId } = caller;
    return this.db.transaction(async (tx) => {
      const prompt = await lockPrompt(tx, workspaceId, promptId);
      await demandLabels(tx, caller, 'PROMPT_DEPLOY', [name]);
      const version = await findTarget(tx, prompt, target);
      if (await tx.existsBy(PromptLabel, { workspaceId, promptId, name })) throw PromptErrors.release_label_taken(name);
      return place(tx, caller, { prompt, version, name });
    });
  }

  move(caller: Caller, labelId: number, target: MoveLabelRequest): Promise<LabelOnVersion> {
    return this.db.transaction(async (tx) => {
      const { prompt, label } = await lockLabel(tx, caller, labelId);
      await demandLabels(tx, caller, 'PROMPT_DEPLOY', [label.name]);
      const version = await findTarget(tx, prompt, target);
      return place(tx, caller, { prompt, version, name: label.name });
    });
  }

  delete(caller: Caller, labelId: number): Promise<void> {
    const { workspaceId } = caller;
    return this.db.transaction(async (tx) => {
      const { prompt, label } = await lockLabel(tx, caller, labelId);
      await demandLabels(tx, caller, 'PROMPT_DEPLOY', [label.name]);
      const importers = await announceToImporters(tx, prompt, { latest: false, labels: [label.name] });
      await deleteAbReleases(tx, caller, { labelId });
      await tx.delete(PromptLabel, { workspaceId, id: labelId });
      const details = labelDetails(prompt, label.name, label.versionNumber);
      await emit(tx, caller, PromptEvents.labelDeleted(details), ...importers);
      await audit(tx, caller, { action: 'release_label.delete', entityId: labelId, details });
    });
  }
}

/** Puts one label on a version, with everything that follows from it. */
async function place(
  tx: EntityManager,
  caller: Caller,
  { prompt, version, name }: { prompt: PromptRecord; version: PromptVersion; name: string },
): Promise<LabelOnVersion> {
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
