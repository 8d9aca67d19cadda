import { type EntityManager, IsNull } from 'typeorm';
import { DatasetErrors, DatasetVersion, findLatest, getGroup, getVersion } from '../../datasets/index.js';
import { EvaluationErrors } from '../shared/evaluations.errors.js';

/** A published version of a group, the latest unless a number is given, and the name of the group. */
export async function findGroupVersion(
  tx: EntityManager,
  workspaceId: number,
  { groupId, number }: { groupId: number; number: number | null },
): Promise<{ dataset: DatasetVersion; name: string }> {
  const group = await getGroup(tx, workspaceId, groupId);
  if (number === -1) throw EvaluationErrors.dataset_version_draft();
  const { name } = group;
  if (number === null) {
    const latest = await findLatest(tx, group);
    if (!latest) throw EvaluationErrors.dataset_without_versions();
    return { dataset: latest, name };
  }
  const dataset = await tx.findOneBy(DatasetVersion, { workspaceId, groupId, number, deletedAt: IsNull() });
  if (!dataset) throw EvaluationErrors.dataset_version_not_found(number);
  return { dataset, name };
}

/** A published version. Throws dataset_not_found, and dataset_is_draft for one that is not published. */
export async function getDataset(tx: EntityManager, workspaceId: number, id: number): Promise<DatasetVersion> {
  const dataset = await getVersion(tx, workspaceId, id);
  if (dataset.state !== 'published') throw DatasetErrors.dataset_is_draft(id);
  return dataset;
}
