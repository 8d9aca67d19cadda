import { DataSource, type EntityManager } from 'typeorm';
import { auditAll, type Caller, demand, demandUnprotected } from '../../access/index.js';
import { releaseExternalIds } from '../../external-ids/index.js';
import { FolderItem, type FolderItemKind } from '../../folders/index.js';
import { EXTERNAL_ID_TYPE } from './workflow.entity.js';
import { lockWorkflow } from './workflows.queries.js';

const LABELS = 'SELECT DISTINCT name FROM workflow_labels WHERE workspace_id = $1 AND workflow_id = ANY ($2::int[])';

/** Deletes workflows, with their folders or by themselves. A workflow keeps its row, versions and runs; its name becomes free. */
@FolderItem({
  name: 'WORKFLOW',
  table: 'workflows',
  idType: 'integer',
  nameSql: 'e.name',
  tagsSql: 'e.tags',
  metadataSql: `jsonb_build_object('latest_version_number', e.latest_version)`,
  externalIdType: EXTERNAL_ID_TYPE,
  editPermission: 'WORKFLOW_EDIT',
  deletePermission: 'WORKFLOW_DELETE',
})
export class WorkflowFolderItem implements FolderItemKind {
  constructor(private readonly db: DataSource) {}

  deleteOne(caller: Caller, workflowId: number): Promise<void> {
    return this.db.transaction(async (tx) => {
      const { id } = await lockWorkflow(tx, caller.workspaceId, { id: workflowId });
      demand(caller, 'WORKFLOW_DELETE');
      await this.delete(tx, caller, [String(id)]);
    });
  }

  async delete(tx: EntityManager, caller: Caller, ids: string[]): Promise<void> {
    const { workspaceId } = caller;
    const [workflows] = await tx.query<[{ id: number; name: string }[], number]>(
      'UPDATE workflows SET deleted_at = now() WHERE workspace_id = $1 AND id = ANY ($2::int[]) RETURNING id, name',
      [workspaceId, ids],
    );
    await demandUnprotected(tx, caller, LABELS, ids);
    await releaseExternalIds(tx, workspaceId, EXTERNAL_ID_TYPE, ids);
    const deeds = workflows.map(({ id, name }) => ({ action: 'workflow.delete', entityId: id, details: { name } }));
    await auditAll(tx, caller, deeds);
  }
}
