import { DataSource, type EntityManager } from 'typeorm';
import { auditAll, type Caller, demand, demandUnprotected } from '../access/index.js';
import { EnvVarStore } from '../env-vars/index.js';
import { emit } from '../events/index.js';
import { releaseExternalIds } from '../external-ids/index.js';
import { type FolderItemKind, UnlistedFolderItem } from '../folders/index.js';
import { EXTERNAL_ID_TYPE } from './tool.entity.js';
import { ToolEvents } from './tool-events.js';
import { getTool } from './tools.queries.js';

const LABELS = 'SELECT DISTINCT name FROM tool_labels WHERE workspace_id = $1 AND tool_id = ANY ($2::int[])';

/**
 * Deletes tools, with their folders or by themselves. A tool keeps its row and its versions; its name becomes free, and prompts that
 * refer to it get no tool from it any more.
 */
@UnlistedFolderItem({
  name: 'tool',
  table: 'tools',
  idType: 'integer',
  editPermission: 'TOOL_EDIT',
  deletePermission: 'TOOL_DELETE',
})
export class ToolFolderItem implements FolderItemKind {
  constructor(
    private readonly db: DataSource,
    private readonly envVars: EnvVarStore,
  ) {}

  deleteOne(caller: Caller, toolId: number): Promise<void> {
    return this.db.transaction(async (tx) => {
      const { id } = await getTool(tx, caller.workspaceId, { id: toolId }, 'for_no_key_update');
      demand(caller, 'TOOL_DELETE');
      await this.delete(tx, caller, [String(id)]);
    });
  }

  async delete(tx: EntityManager, caller: Caller, ids: string[]): Promise<void> {
    const { workspaceId } = caller;
    const [tools] = await tx.query<[{ id: number; name: string; version: number }[], number]>(
      `UPDATE tools SET deleted_at = now() WHERE workspace_id = $1 AND id = ANY ($2::int[])
       RETURNING id, name, latest_version AS version`,
      [workspaceId, ids],
    );
    await demandUnprotected(tx, caller, LABELS, ids);
    await this.envVars.deleteOfTools(tx, caller, ids.map(Number));
    await releaseExternalIds(tx, workspaceId, EXTERNAL_ID_TYPE, ids);
    const events = tools.map(({ id, name, version }) =>
      ToolEvents.changed({
        tool_registry_id: id,
        tool_name: name,
        change: 'deleted',
        version_number: version,
        tool_label: null,
      }),
    );
    await emit(tx, caller, ...events);
    const deeds = tools.map(({ id, name }) => ({ action: 'tool.delete', entityId: id, details: { name } }));
    await auditAll(tx, caller, deeds);
  }
}
