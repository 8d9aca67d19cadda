import { DataSource, type EntityManager } from 'typeorm';
import { auditAll, type Caller, demand, demandUnprotected } from '../access/index.js';
import { emit } from '../events/index.js';
import { releaseExternalIds } from '../external-ids/index.js';
import { type FolderItemKind, UnlistedFolderItem } from '../folders/index.js';
import { getCollection } from './collections/skill-collections.queries.js';
import { EXTERNAL_ID_TYPE } from './skill-collection.entity.js';
import { SkillEvents } from './skill-events.js';
import { SkillErrors } from './skills.errors.js';

interface DeletedRow {
  id: string;
  name: string;
  number: number;
  paths: string[] | null;
}

const LABELS = `SELECT DISTINCT label AS name FROM skill_versions
  WHERE workspace_id = $1 AND collection_id = ANY ($2::uuid[]) AND label IS NOT NULL`;

/**
 * Deletes skill collections, with their folders or by themselves. They keep their rows; their names become free. Their versions are
 * deleted later, by a sweep.
 */
@UnlistedFolderItem({
  name: 'skill collection',
  table: 'skill_collections',
  idType: 'uuid',
  editPermission: 'SKILL_EDIT',
  deletePermission: 'SKILL_DELETE',
})
export class SkillCollectionFolderItem implements FolderItemKind {
  constructor(private readonly db: DataSource) {}

  deleteOne(caller: Caller, id: string): Promise<void> {
    return this.db.transaction(async (tx) => {
      const collection = await getCollection(tx, caller.workspaceId, id, 'for_no_key_update');
      if (collection.id !== id.toLowerCase()) throw SkillErrors.skill_collection_not_found(id);
      demand(caller, 'SKILL_DELETE');
      await this.delete(tx, caller, [collection.id]);
    });
  }

  async delete(tx: EntityManager, caller: Caller, ids: string[]): Promise<void> {
    const { workspaceId } = caller;
    const [deleted] = await tx.query<[DeletedRow[], number]>(
      `UPDATE skill_collections c SET deleted_at = now() WHERE workspace_id = $1 AND id = ANY ($2::uuid[])
       RETURNING id, name, latest_version AS number,
         (SELECT array_agg(f ->> 'path' ORDER BY position)
            FROM skill_versions v, jsonb_array_elements(v.files) WITH ORDINALITY AS e (f, position)
           WHERE v.workspace_id = $1 AND v.collection_id = c.id AND v.number = c.latest_version) AS paths`,
      [workspaceId, ids],
    );
    await demandUnprotected(tx, caller, LABELS, ids);
    await releaseExternalIds(tx, workspaceId, EXTERNAL_ID_TYPE, ids);
    const events = deleted.map(({ id, number, paths }) =>
      SkillEvents.filesChanged({
        skill_collection_id: id,
        source: 'collection_deleted',
        affected_paths: paths ?? [],
        version_number: number,
      }),
    );
    await emit(tx, caller, ...events);
    const deeds = deleted.map(({ id, name }) => ({
      action: 'skill_collection.delete',
      entityId: id,
      details: { name },
    }));
    await auditAll(tx, caller, deeds);
  }
}
