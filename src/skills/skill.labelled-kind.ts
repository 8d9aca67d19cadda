import { type EntityManager, IsNull, Not } from 'typeorm';
import { audit, type Caller } from '../access/index.js';
import { type ClearedLabels, LabelledKind, type LabelledKindPlugin, type LabelPosition } from '../registry/index.js';
import { SKILLS } from './shared/skill-collection.registry.js';
import { takeLabels } from './files/move-labels.js';
import { type SkillCollection, SkillVersion } from './shared/skill-collection.entity.js';
import { SkillErrors } from './shared/skills.errors.js';

/** A version has one label. Requests are the only way to move a label to a version that exists. */
@LabelledKind({ name: 'skill_collection', permission: 'SKILL_DEPLOY' })
export class LabelledSkills implements LabelledKindPlugin<SkillCollection> {
  readonly registry = SKILLS;

  async labelsOf(tx: EntityManager, { workspaceId, id: collectionId }: SkillCollection): Promise<LabelPosition[]> {
    const versions = await tx.find(SkillVersion, {
      select: { workspaceId: true, collectionId: true, number: true, label: true },
      where: { workspaceId, collectionId, label: Not(IsNull()) },
    });
    return versions.map(({ label, number: versionNumber }) => ({ name: label!, versionNumber }));
  }

  /** Throws skill_version_not_found, and skill_version_labelled: another label of the version would be lost without an approval. */
  async checkTarget(
    tx: EntityManager,
    collection: SkillCollection,
    { name, versionNumber }: LabelPosition,
  ): Promise<void> {
    const { label } = await SKILLS.getVersion(tx, collection, versionNumber);
    if (label !== null && label !== name) throw SkillErrors.skill_version_labelled(versionNumber, label);
  }

  async place(
    tx: EntityManager,
    caller: Caller,
    collection: SkillCollection,
    { versionNumber, labels }: { versionNumber: number; labels: ClearedLabels },
  ): Promise<void> {
    const [label] = labels.names;
    if (label === undefined) return;
    const { workspaceId, id: collectionId } = collection;
    await takeLabels(tx, collection, labels);
    await tx.update(SkillVersion, { workspaceId, collectionId, number: versionNumber }, { label });
    const details = { version_number: versionNumber, label };
    await audit(tx, caller, { action: 'skill_collection.move_label', entityId: collectionId, details });
  }

  async remove(tx: EntityManager, caller: Caller, collection: SkillCollection, labels: ClearedLabels): Promise<void> {
    await takeLabels(tx, collection, labels);
    const details = { label: labels.names[0] };
    await audit(tx, caller, { action: 'skill_collection.remove_label', entityId: collection.id, details });
  }
}
