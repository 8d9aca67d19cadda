import { type EntityManager, IsNull, Not } from 'typeorm';
import { int4Array } from '../../platform/database/binary-arrays.js';
import { lockUntilCommit } from '../../platform/database/advisory-lock.js';
import { uniqueViolation } from '../../platform/errors/failures.js';
import { type Caller, demand } from '../../access/index.js';
import { LogSelection } from '../../requests/index.js';
import { DatasetErrors } from '../shared/datasets.errors.js';
import { DatasetGroup, DatasetVersion, DatasetVersionPrompt } from '../shared/dataset.entity.js';

/** Locks a live group against deletion until the end of the transaction. Throws dataset_group_not_found. */
export async function holdGroup(tx: EntityManager, workspaceId: number, id: number): Promise<DatasetGroup> {
  const where = { workspaceId, id, deletedAt: IsNull() };
  const group = await tx.findOne(DatasetGroup, { where, lock: { mode: 'pessimistic_read' } });
  if (!group) throw DatasetErrors.dataset_group_not_found(id);
  return group;
}

/** The same, for changes of its versions. Throws permission_missing as well. */
export async function holdGroupToEdit(tx: EntityManager, caller: Caller, id: number): Promise<DatasetGroup> {
  const group = await holdGroup(tx, caller.workspaceId, id);
  demand(caller, 'DATASET_EDIT');
  return group;
}

export async function getGroup(tx: EntityManager, workspaceId: number, id: number): Promise<DatasetGroup> {
  const group = await tx.findOneBy(DatasetGroup, { workspaceId, id, deletedAt: IsNull() });
  if (!group) throw DatasetErrors.dataset_group_not_found(id);
  return group;
}

/** A live version that is shown. Throws dataset_not_found. */
export async function getVersion(tx: EntityManager, workspaceId: number, id: number): Promise<DatasetVersion> {
  const version = await tx.findOneBy(DatasetVersion, { workspaceId, id, deletedAt: IsNull() });
  if (!version || version.state === 'hidden') throw DatasetErrors.dataset_not_found(id);
  return version;
}

export function findDraft(
  tx: EntityManager,
  { workspaceId, id: groupId }: DatasetGroup,
): Promise<DatasetVersion | null> {
  return tx.findOneBy(DatasetVersion, { workspaceId, groupId, state: 'draft', deletedAt: IsNull() });
}

/** The newest published version of a group. */
export function findLatest(tx: EntityManager, { workspaceId, id: groupId }: DatasetGroup) {
  const where = { workspaceId, groupId, state: 'published', deletedAt: IsNull() } as const;
  return tx.findOne(DatasetVersion, { where, order: { number: 'DESC' } });
}

/** Locks a draft; null when it is no longer one. */
export async function lockDraft(
  tx: EntityManager,
  { workspaceId, id }: DatasetVersion,
): Promise<DatasetVersion | null> {
  const where = { workspaceId, id, state: 'draft', deletedAt: IsNull() } as const;
  return tx.findOne(DatasetVersion, { where, lock: { mode: 'for_no_key_update' } });
}

export type NewVersion = Pick<DatasetVersion, 'workspaceId' | 'groupId' | 'sheetId' | 'state' | 'createdBy'> &
  Partial<Pick<DatasetVersion, 'filterParams'>>;

/** Throws dataset_draft_exists for a second draft; the transaction must then be abandoned. */
export async function insertVersion(tx: EntityManager, version: NewVersion): Promise<DatasetVersion> {
  const { workspaceId, filterParams = null, ...fields } = version;
  try {
    const { identifiers } = await tx.insert(DatasetVersion, {
      ...fields,
      workspaceId,
      filterParams: filterParams as object | null,
    });
    return await tx.findOneByOrFail(DatasetVersion, { workspaceId, id: identifiers[0]!.id as number });
  } catch (error) {
    if (uniqueViolation(error) !== 'dataset_versions_draft_key') throw error;
    throw DatasetErrors.dataset_draft_exists(version.groupId);
  }
}

/** Publishes a version as the newest of its group and returns its number. It is immutable from then on. */
export async function publishVersion(tx: EntityManager, version: DatasetVersion): Promise<number> {
  const { workspaceId, groupId, id } = version;
  await lockUntilCommit(tx, 'dataset-numbers', workspaceId, groupId);
  const where = { workspaceId, groupId, number: Not(IsNull()) };
  const last = await tx.findOne(DatasetVersion, { where, order: { number: 'DESC' } });
  const number = (last?.number ?? 0) + 1;
  await tx.update(DatasetVersion, { workspaceId, id }, { state: 'published', number, updatedAt: new Date() });
  return number;
}

/** Links a version to the prompts that its logs used. */
export async function linkPrompts(tx: EntityManager, version: DatasetVersion, logIds: number[]): Promise<void> {
  const { workspaceId, id } = version;
  const made = await LogSelection.readPromptVersions(tx, workspaceId, logIds);
  if (made.length === 0) return;
  await tx.query(
    `INSERT INTO dataset_version_prompts (workspace_id, version_id, prompt_id, prompt_version_number)
     SELECT $1, $2, p.id, p.number FROM unnest($3::int[], $4::int[]) p (id, number) ON CONFLICT DO NOTHING`,
    [
      workspaceId,
      id,
      int4Array(made.map(({ promptId }) => promptId)),
      int4Array(made.map(({ versionNumber }) => versionNumber)),
    ],
  );
}

/** Copies the links after the rows of a version were copied. */
export async function copyPromptLinks(tx: EntityManager, from: DatasetVersion, to: DatasetVersion): Promise<void> {
  await tx.query(
    `INSERT INTO dataset_version_prompts (workspace_id, version_id, prompt_id, prompt_version_number)
     SELECT workspace_id, $3, prompt_id, prompt_version_number FROM dataset_version_prompts
      WHERE workspace_id = $1 AND version_id = $2`,
    [from.workspaceId, from.id, to.id],
  );
}

/** Deletes a failed version; its sheet is deleted separately. */
export async function removeVersion(tx: EntityManager, { workspaceId, id }: DatasetVersion): Promise<void> {
  await tx.delete(DatasetVersionPrompt, { workspaceId, versionId: id });
  await tx.delete(DatasetVersion, { workspaceId, id });
}
