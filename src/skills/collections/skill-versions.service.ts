import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { audit, type Caller, demand } from '../../access/index.js';
import { demandLabels, NO_LABELS } from '../../registry/index.js';
import { type Archive, unwrapped } from '../archives/read-archive.js';
import { addVersion, affectedPaths, type FileMap } from '../files/add-version.js';
import { changeFiles, type FileMove } from '../files/change-files.js';
import { placeFiles, relocated, withGiven } from '../files/given-files.js';
import { type SkillProvider, storedFolder } from '../files/layouts.js';
import type { GivenFile } from '../files/skill-contents.js';
import { type SkillCollection, SkillVersion } from '../shared/skill-collection.entity.js';
import { type CollectionWithVersion, shown } from './skill-collections.service.js';
import { SKILLS } from '../shared/skill-collection.registry.js';
import { getVersion, type ShownVersion, withEmails } from './skill-collections.queries.js';

export interface FileChanges {
  /** Moves come first, then deletions, then writes. */
  moves: FileMove[];
  deletes: string[];
  files: GivenFile[];
  archive: Archive | null;
  /** undefined to keep it. */
  provider: SkillProvider | null | undefined;
  commitMessage: string | null;
  label: string | null;
}

@Injectable()
export class SkillVersionsService {
  constructor(private readonly db: DataSource) {}

  /**
   * Saves the latest version with changes as a new version. Files that are not mentioned are carried forward. Without any change or
   * message it returns the latest version, so a repeated request does no harm.
   */
  save(caller: Caller, identifier: string, changes: FileChanges): Promise<CollectionWithVersion> {
    const { workspaceId } = caller;
    const { commitMessage, label } = changes;
    return this.db.transaction(async (tx) => {
      const collection = await SKILLS.lock(tx, workspaceId, identifier);
      demand(caller, 'SKILL_EDIT');
      const labels = await demandLabels(tx, caller, 'SKILL_DEPLOY', label === null ? [] : [label]);
      const provider = changes.provider === undefined ? collection.provider : changes.provider;
      const latest = await getVersion(tx, collection, {});
      const before = filesOf(latest);
      const files = await changedFiles(tx, collection, before, { ...changes, provider });
      const isSaid = commitMessage !== null || label !== null || changes.provider !== undefined;
      if (latest && !isSaid && affectedPaths(before, files).length === 0) return shown(tx, collection, latest);
      const content = { files, provider, commitMessage, labels };
      const saved = await addVersion(tx, caller, collection, { content, before, source: 'version_save' });
      await audited(tx, caller, 'skill_collection.save_version', saved.version);
      return shown(tx, saved.collection, saved.version);
    });
  }

  /** Newest first. */
  async list({ workspaceId }: Caller, id: string): Promise<ShownVersion[]> {
    const { manager } = this.db;
    const collection = await SKILLS.get(manager, workspaceId, { id });
    const where = { workspaceId, collectionId: collection.id };
    const versions = await manager.find(SkillVersion, { where, order: { number: 'DESC' } });
    return withEmails(manager, workspaceId, versions);
  }

  /** The files of an older version as a new one. */
  restore(caller: Caller, id: string, number: number): Promise<CollectionWithVersion> {
    const { workspaceId } = caller;
    return this.db.transaction(async (tx) => {
      const collection = await SKILLS.lock(tx, workspaceId, { id });
      const old = await getVersion(tx, collection, { version: number });
      demand(caller, 'SKILL_EDIT');
      const before = filesOf(await getVersion(tx, collection, {}));
      const provider = old!.provider;
      const content = {
        files: await withGiven(tx, workspaceId, filesOf(old), { given: [], provider }),
        provider,
        commitMessage: `Restored version ${number}`,
        labels: NO_LABELS,
      };
      const saved = await addVersion(tx, caller, collection, { content, before, source: 'version_restored' });
      await audited(tx, caller, 'skill_collection.restore_version', saved.version);
      return shown(tx, saved.collection, saved.version);
    });
  }
}

async function changedFiles(
  tx: EntityManager,
  collection: SkillCollection,
  before: FileMap,
  { provider, files, archive, ...changes }: FileChanges & { provider: SkillProvider | null },
): Promise<FileMap> {
  const isThere = (folder: string) =>
    [...before.keys()].some((path) => path.startsWith(`${storedFolder(collection.provider, folder)}/`));
  const archived = archive ? unwrapped(archive, isThere) : [];
  const given = placeFiles([...files, ...archived], provider);
  const there = provider === collection.provider ? before : relocated(before, provider);
  const kept = changeFiles(there, changes, provider);
  for (const [path, file] of kept) kept.set(path, { ...file, path });
  return withGiven(tx, collection.workspaceId, kept, { given, provider, known: there });
}

function filesOf(version: SkillVersion | null): FileMap {
  return new Map((version?.files ?? []).map((file) => [file.path, file]));
}

function audited(tx: EntityManager, caller: Caller, action: string, version: SkillVersion): Promise<void> {
  const { collectionId: entityId, number, label } = version;
  return audit(tx, caller, { action, entityId, details: { version_number: number, ...(label && { label }) } });
}
