import { type EntityManager, In } from 'typeorm';
import { spellingsOf } from '../../platform/comparable-text.js';
import type { VersionChoice } from '../../registry/index.js';
import { type SkillCollection, SkillVersion } from '../shared/skill-collection.entity.js';
import { SkillErrors } from '../shared/skills.errors.js';
import { SKILLS } from '../shared/skill-collection.registry.js';

/** A version with the e-mail address of its author. */
export type ShownVersion = SkillVersion & { email: string | null };

/** Returns null if the collection has no version. Throws skill_version_not_found and skill_label_not_found. */
export async function getVersion(
  tx: EntityManager,
  collection: SkillCollection,
  { label, version }: VersionChoice,
): Promise<SkillVersion | null> {
  const { workspaceId, id: collectionId, name, latestVersion } = collection;
  // Some clients send an empty label instead of none.
  if (!label) {
    const number = version ?? latestVersion;
    return number === 0 ? null : SKILLS.getVersion(tx, collection, number);
  }
  const labelled = await tx.findBy(SkillVersion, { workspaceId, collectionId, label: In(spellingsOf(label)) });
  const found = labelled.find((each) => each.label === label) ?? labelled[0];
  if (!found) throw SkillErrors.skill_label_not_found(name, label);
  return found;
}

/** Adds the e-mail addresses of the authors to versions. */
export async function withEmails(
  tx: EntityManager,
  workspaceId: number,
  versions: SkillVersion[],
): Promise<ShownVersion[]> {
  const rows = await tx.query<{ id: number; email: string | null }[]>(
    'SELECT id, owner_email AS email FROM api_keys WHERE workspace_id = $1 AND id = ANY ($2::int[])',
    [workspaceId, versions.flatMap(({ createdBy }) => createdBy ?? [])],
  );
  const emails = new Map<number | null, string | null>(rows.map(({ id, email }) => [id, email]));
  return versions.map((version) => ({ ...version, email: emails.get(version.createdBy) ?? null }));
}
