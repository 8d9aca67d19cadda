import { randomUUID } from 'node:crypto';
import type { EntityManager } from 'typeorm';
import type { Caller } from '../../access/index.js';
import { emit } from '../../events/index.js';
import type { ClearedLabels } from '../../registry/index.js';
import { SKILLS } from '../shared/skill-collection.registry.js';
import type { SkillCollection, SkillVersion, StoredFile } from '../shared/skill-collection.entity.js';
import { type FilesChanged, SkillEvents } from '../shared/skill-events.js';
import type { SkillProvider } from './layouts.js';
import { takeLabels } from './move-labels.js';

/** By path. */
export type FileMap = ReadonlyMap<string, StoredFile>;

export interface VersionContent {
  files: FileMap;
  provider: SkillProvider | null;
  commitMessage: string | null;
  /** At most one. It is taken from the version that has it. */
  labels: ClearedLabels;
}

/** The paths at which two versions differ. */
export function affectedPaths(before: FileMap, after: FileMap): string[] {
  const paths = new Set([...before.keys(), ...after.keys()]);
  return [...paths].filter((path) => before.get(path)?.hash !== after.get(path)?.hash).sort();
}

/** Stores the next version of a collection, whose row is locked, and announces it. */
export async function addVersion(
  tx: EntityManager,
  caller: Caller,
  collection: SkillCollection,
  { content, before, source }: { content: VersionContent; before: FileMap; source: FilesChanged['source'] },
): Promise<{ collection: SkillCollection; version: SkillVersion }> {
  const { id: collectionId, rootPath } = collection;
  const { files, provider, commitMessage, labels } = content;
  const [label = null] = labels.names;
  await takeLabels(tx, collection, labels);
  const next = await SKILLS.takeNumber(tx, collection, { provider, updatedBy: caller.keyId });
  const sorted = [...files.values()].toSorted((a, b) => (a.path < b.path ? -1 : 1));
  const stored = { id: randomUUID(), rootPath, provider, commitMessage, label, files: sorted };
  const version = await SKILLS.storeVersion(tx, caller, next, stored);
  const details = { skill_collection_id: collectionId, affected_paths: affectedPaths(before, files) };
  await emit(tx, caller, SkillEvents.filesChanged({ ...details, source, version_number: version.number }));
  return { collection: next, version };
}
