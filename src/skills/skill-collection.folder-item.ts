import { DataSource, type EntityManager } from 'typeorm';
import { type Caller, demand } from '../access/index.js';
import { emit } from '../events/index.js';
import { type FolderItemKind, UnlistedFolderItem } from '../folders/index.js';
import { SKILLS } from './shared/skill-collection.registry.js';
import { SkillEvents } from './shared/skill-events.js';

/** Deletes skill collections, with their folders or by themselves. Their versions are deleted later, by a sweep. */
@UnlistedFolderItem({ name: 'skill collection', ...SKILLS.item })
export class SkillCollectionFolderItem implements FolderItemKind {
  constructor(private readonly db: DataSource) {}

  deleteOne(caller: Caller, id: string): Promise<void> {
    return this.db.transaction(async (tx) => {
      const collection = await SKILLS.lock(tx, caller.workspaceId, { id });
      demand(caller, 'SKILL_DELETE');
      await this.delete(tx, caller, [collection.id]);
    });
  }

  async delete(tx: EntityManager, caller: Caller, ids: string[]): Promise<void> {
    const deleted = await SKILLS.delete(tx, caller, ids);
    const paths = await latestPaths(tx, caller.workspaceId, ids);
    const events = deleted.map(({ id, latestVersion }) =>
      SkillEvents.filesChanged({
        skill_collection_id: id,
        source: 'collection_deleted',
        affected_paths: paths.get(id) ?? [],
        version_number: latestVersion,
      }),
    );
    await emit(tx, caller, ...events);
  }
}

/** The paths of the latest versions, by collection. */
async function latestPaths(tx: EntityManager, workspaceId: number, ids: string[]): Promise<Map<string, string[]>> {
  const rows = await tx.query<{ id: string; paths: string[] }[]>(
    `SELECT c.id, ARRAY(SELECT f ->> 'path' FROM jsonb_array_elements(v.files) WITH ORDINALITY AS e (f, position)
                         ORDER BY position) AS paths
       FROM skill_collections c
       JOIN skill_versions v ON v.workspace_id = $1 AND v.collection_id = c.id AND v.number = c.latest_version
      WHERE c.workspace_id = $1 AND c.id = ANY ($2::uuid[])`,
    [workspaceId, ids],
  );
  return new Map(rows.map(({ id, paths }) => [id, paths]));
}
