import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager, In } from 'typeorm';
import { audit, type Caller } from '../../access/index.js';
import { emit } from '../../events/index.js';
import { demandProtected, needsApproval, readLabelRules } from '../../registry/index.js';
import { lockLabel } from '../labels/lock-label.js';
import { PromptEvents } from '../shared/prompt-events.js';
import { PromptErrors } from '../shared/prompts.errors.js';
import { type PromptRecord, PromptVersion } from '../shared/prompt.entity.js';
import { AbRelease } from './ab-release.entity.js';
import type { CreateAbReleaseRequest, UpdateAbReleaseRequest } from './ab-releases.dto.js';
import {
  deleteAbReleases,
  findAbRelease,
  listAbReleases,
  releaseDetails,
  type ShownAbRelease,
} from './ab-releases.queries.js';
import type { Splits } from './choose-version.js';

/**
 * Changing an A/B release needs the permission to move its label. Approvals cannot cover splits, so labels that need an approval
 * cannot have a release. Deleting a release needs no approval: requests get the version of the label again.
 */
@Injectable()
export class AbReleasesService {
  constructor(private readonly db: DataSource) {}

  /** One page, the newest first, and how many there are. */
  list(
    caller: Caller,
    { prompt_id: promptId = null, page, perPage }: { prompt_id?: number | null; page: number; perPage: number },
  ): Promise<{ total: number; releases: ShownAbRelease[] }> {
    const range = { promptId, limit: perPage, offset: (page - 1) * perPage };
    return listAbReleases(this.db.manager, caller.workspaceId, range);
  }

  get(caller: Caller, id: number): Promise<ShownAbRelease> {
    return getAbRelease(this.db.manager, caller, id);
  }

  create(caller: Caller, body: CreateAbReleaseRequest): Promise<ShownAbRelease> {
    const { workspaceId, keyId: createdBy } = caller;
    const { prompt_label_id: promptLabelId, split, segments = [] } = body;
    return this.db.transaction(async (tx) => {
      const { prompt, label } = await lockLabel(tx, caller, promptLabelId);
      await demandSplit(tx, caller, label.name);
      await requireVersions(tx, prompt, { split, segments });
      if (await tx.existsBy(AbRelease, { workspaceId, promptLabelId }))
        throw PromptErrors.ab_release_exists(label.name);
      const { identifiers } = await tx.insert(AbRelease, { workspaceId, promptLabelId, createdBy, split, segments });
      const id = (identifiers[0] as { id: number }).id;
      const details = releaseDetails(id, prompt, label);
      await emit(tx, caller, PromptEvents.abReleaseCreated(details));
      await audit(tx, caller, { action: 'ab_release.create', entityId: id, details: { ...details, split, segments } });
      return getAbRelease(tx, caller, id);
    });
  }

  update(caller: Caller, id: number, change: UpdateAbReleaseRequest): Promise<ShownAbRelease> {
    return this.db.transaction(async (tx) => {
      const { prompt, label, release } = await lockRelease(tx, caller, id);
      await demandSplit(tx, caller, label.name);
      const { split = release.split, segments = release.segments } = change;
      await requireVersions(tx, prompt, { split, segments });
      await tx.update(AbRelease, { workspaceId: caller.workspaceId, id }, { split, segments, updatedAt: new Date() });
      const details = releaseDetails(id, prompt, label);
      await emit(tx, caller, PromptEvents.abReleaseUpdated(details));
      await audit(tx, caller, { action: 'ab_release.update', entityId: id, details: { ...details, split, segments } });
      return getAbRelease(tx, caller, id);
    });
  }

  delete(caller: Caller, id: number): Promise<void> {
    return this.db.transaction(async (tx) => {
      const { label } = await lockRelease(tx, caller, id);
      await deleteAbReleases(tx, caller, { labelId: label.id });
    });
  }
}

/** Throws permission_missing, label_protected and ab_release_unapproved. */
async function demandSplit(tx: EntityManager, caller: Caller, label: string): Promise<void> {
  await demandProtected(tx, caller, 'PROMPT_DEPLOY', label);
  const rules = await readLabelRules(tx, caller.workspaceId);
  if (needsApproval(rules, label)) throw PromptErrors.ab_release_unapproved(label);
}

async function getAbRelease(tx: EntityManager, { workspaceId }: Caller, id: number): Promise<ShownAbRelease> {
  const found = await findAbRelease(tx, workspaceId, id);
  if (!found) throw PromptErrors.ab_release_not_found(id);
  return found;
}

/** A release with its label and prompt, which is locked, for a caller who may change it. */
async function lockRelease(tx: EntityManager, caller: Caller, id: number) {
  const { promptLabelId } = await getAbRelease(tx, caller, id);
  const { prompt, label } = await lockLabel(tx, caller, promptLabelId);
  await demandProtected(tx, caller, 'PROMPT_DEPLOY', label.name);
  // It may have changed or gone while the lock was waited for.
  return { prompt, label, release: await getAbRelease(tx, caller, id) };
}

/** Throws prompt_version_not_found for the first version that the prompt does not have. */
async function requireVersions(tx: EntityManager, prompt: PromptRecord, { split, segments }: Splits): Promise<void> {
  const shares = [split, ...segments.map((segment) => segment.split)].flat();
  const numbers = [...new Set(shares.map((share) => share.prompt_version_number))];
  const where = { workspaceId: prompt.workspaceId, promptId: prompt.id, number: In(numbers) };
  const found = await tx.find(PromptVersion, { select: { number: true }, where });
  const known = new Set(found.map(({ number }) => number));
  const missing = numbers.find((number) => !known.has(number));
  if (missing !== undefined) throw PromptErrors.prompt_version_not_found(prompt.name, missing);
}
