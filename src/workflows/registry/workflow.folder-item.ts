import { DataSource, type EntityManager } from 'typeorm';
import { type Caller, demand } from '../../access/index.js';
import { FolderItem, type FolderItemKind } from '../../folders/index.js';
import { WORKFLOWS } from './workflow.registry.js';

/** Deletes workflows, with their folders or by themselves. Their runs stay. */
@FolderItem({
  name: 'WORKFLOW',
  ...WORKFLOWS.item,
  nameSql: 'e.name',
  tagsSql: 'e.tags',
  metadataSql: `jsonb_build_object('latest_version_number', e.latest_version)`,
})
export class WorkflowFolderItem implements FolderItemKind {
  constructor(private readonly db: DataSource) {}

  deleteOne(caller: Caller, workflowId: number): Promise<void> {
    return this.db.transaction(async (tx) => {
      const { id } = await WORKFLOWS.lock(tx, caller.workspaceId, { id: workflowId });
      demand(caller, 'WORKFLOW_DELETE');
      await this.delete(tx, caller, [String(id)]);
    });
  }

  async delete(tx: EntityManager, caller: Caller, ids: string[]): Promise<void> {
    await WORKFLOWS.delete(tx, caller, ids);
  }
}
