import { type EntityManager, In } from 'typeorm';
import { type ClearedLabels, outdateChanges } from '../../registry/index.js';
import { type SkillCollection, SkillVersion } from '../shared/skill-collection.entity.js';

/** Takes labels off the versions of a locked collection that have them. */
export async function takeLabels(
  tx: EntityManager,
  { workspaceId, id: collectionId }: SkillCollection,
  { names }: ClearedLabels,
): Promise<void> {
  if (names.length === 0) return;
  await tx.update(SkillVersion, { workspaceId, collectionId, label: In([...names]) }, { label: null });
  const changed = { workspaceId, kind: 'skill_collection', itemIds: [collectionId], labels: names } as const;
  await outdateChanges(tx, changed);
}
