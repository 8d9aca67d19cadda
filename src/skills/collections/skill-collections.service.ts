import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager, IsNull } from 'typeorm';
import { audit, type Caller, demand } from '../../access/index.js';
import type { CommonListQuery } from '../../entity-lists/index.js';
import type { ExternalIdBody } from '../../external-ids/index.js';
import { lockFolder } from '../../folders/index.js';
import { lockUntilCommit } from '../../platform/database/advisory-lock.js';
import { NO_LABELS, type VersionChoice, type WithExternalIds } from '../../registry/index.js';
import { addVersion } from '../files/add-version.js';
import { placeFiles, withGiven } from '../files/given-files.js';
import { providerOf, type SkillProvider } from '../files/layouts.js';
import type { GivenFile } from '../files/skill-contents.js';
import { SkillCollection, type SkillVersion } from '../shared/skill-collection.entity.js';
import { freeName, readName } from './collection-name.js';
import { PlanLimits } from '../shared/plan-limits.js';
import { SKILLS } from '../shared/skill-collection.registry.js';
import { getVersion, type ShownVersion, withEmails } from './skill-collections.queries.js';

export interface NewCollection {
  name: string;
  description: string | null;
  folderId: number | null;
  /** undefined derives it from the files. */
  provider: SkillProvider | null | undefined;
  files: GivenFile[];
  commitMessage: string | null;
  externalIds: ExternalIdBody[];
}

export type ShownCollection = WithExternalIds<SkillCollection>;

export interface CollectionWithVersion {
  collection: ShownCollection;
  /** null before the first version. */
  version: ShownVersion | null;
}

@Injectable()
export class SkillCollectionsService {
  constructor(private readonly db: DataSource) {}

  async list({ workspaceId }: Caller, query: CommonListQuery): Promise<ShownCollection[]> {
    const { manager } = this.db;
    const collections = await SKILLS.list(manager, workspaceId, query, { sortBy: 'created_at' });
    return SKILLS.withExternalIds(manager, workspaceId, collections);
  }

  async read({ workspaceId }: Caller, identifier: string, choice: VersionChoice): Promise<CollectionWithVersion> {
    const { manager } = this.db;
    const collection = await SKILLS.get(manager, workspaceId, identifier);
    return shown(manager, collection, await getVersion(manager, collection, choice));
  }

  /** Creates a collection, with a first version if it has files. Creates nothing if a file is refused. */
  create(caller: Caller, { files, externalIds, ...input }: NewCollection): Promise<CollectionWithVersion> {
    const { workspaceId } = caller;
    const name = readName(input.name);
    const provider = input.provider === undefined ? providerOf(files.map(({ path }) => path)) : input.provider;
    const placed = placeFiles(files, provider);
    return this.db.transaction(async (tx) => {
      if (input.folderId !== null) await lockFolder(tx, workspaceId, input.folderId);
      const collection = await insertCollection(tx, caller, { ...input, name, provider });
      const { id } = collection;
      await SKILLS.attachExternalIds(tx, collection, externalIds);
      await audit(tx, caller, { action: 'skill_collection.create', entityId: id, details: { name: collection.name } });
      if (placed.length === 0) return shown(tx, collection, null);
      const before = new Map();
      const content = {
        files: await withGiven(tx, workspaceId, before, { given: placed, provider }),
        provider,
        commitMessage: input.commitMessage,
        labels: NO_LABELS,
      };
      const saved = await addVersion(tx, caller, collection, { content, before, source: 'collection_created' });
      return shown(tx, saved.collection, saved.version);
    });
  }

  /** Changes a collection. Missing keys keep their values. */
  update(
    caller: Caller,
    identifier: string,
    change: { name?: string; description?: string | null },
  ): Promise<ShownCollection> {
    const { workspaceId } = caller;
    return this.db.transaction(async (tx) => {
      await lockNames(tx, workspaceId);
      const old = await SKILLS.lock(tx, workspaceId, identifier);
      demand(caller, 'SKILL_EDIT');
      const { description = old.description } = change;
      const name = change.name === undefined ? old.name : readName(change.name);
      const names = name === old.name ? null : await freeName(tx, workspaceId, name, old.id);
      const updated = await SKILLS.update(tx, caller, old, { ...names, description, updatedBy: caller.keyId });
      return { ...updated, externalIds: await SKILLS.externalIdsOf(tx, updated) };
    });
  }
}

/** Serializes changes to the names of a workspace. */
function lockNames(tx: EntityManager, workspaceId: number): Promise<void> {
  return lockUntilCommit(tx, 'skill-collections', workspaceId);
}

/** Throws skill_collections_exceeded. */
async function insertCollection(
  tx: EntityManager,
  caller: Caller,
  { name, folderId, description, provider }: Pick<SkillCollection, 'name' | 'folderId' | 'description' | 'provider'>,
): Promise<SkillCollection> {
  const { workspaceId, keyId: updatedBy } = caller;
  await lockNames(tx, workspaceId);
  const count = await tx.countBy(SkillCollection, { workspaceId, deletedAt: IsNull() });
  (await PlanLimits.of(tx, workspaceId)).checkCollections(count);
  const names = await freeName(tx, workspaceId, name);
  const row = { ...names, id: randomUUID(), folderId, description, provider, updatedBy };
  return SKILLS.insert(tx, caller, { ...row, latestVersion: 0 });
}

export async function shown(
  tx: EntityManager,
  collection: SkillCollection,
  version: SkillVersion | null,
): Promise<CollectionWithVersion> {
  const externalIds = await SKILLS.externalIdsOf(tx, collection);
  const [shownVersion = null] = version ? await withEmails(tx, collection.workspaceId, [version]) : [];
  return { collection: { ...collection, externalIds }, version: shownVersion };
}
