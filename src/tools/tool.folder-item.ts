import { DataSource, type EntityManager } from 'typeorm';
import { type Caller, demand } from '../access/index.js';
import { EnvVarStore } from '../env-vars/index.js';
import { emit } from '../events/index.js';
import { type FolderItemKind, UnlistedFolderItem } from '../folders/index.js';
import { toolChanged } from './tool-events.js';
import { TOOLS } from './tool.registry.js';

/** Deletes tools, with their folders or by themselves. Prompts that refer to them get no tool from them any more. */
@UnlistedFolderItem({ name: 'tool', ...TOOLS.item })
export class ToolFolderItem implements FolderItemKind {
  constructor(
    private readonly db: DataSource,
    private readonly envVars: EnvVarStore,
  ) {}

  deleteOne(caller: Caller, toolId: number): Promise<void> {
    return this.db.transaction(async (tx) => {
      const { id } = await TOOLS.lock(tx, caller.workspaceId, { id: toolId });
      demand(caller, 'TOOL_DELETE');
      await this.delete(tx, caller, [String(id)]);
    });
  }

  async delete(tx: EntityManager, caller: Caller, ids: string[]): Promise<void> {
    // Their variables come first in the audit trail.
    await this.envVars.deleteOfTools(tx, caller, ids.map(Number));
    const deleted = await TOOLS.delete(tx, caller, ids);
    await emit(tx, caller, ...deleted.map((tool) => toolChanged(tool, 'deleted', tool.latestVersion)));
  }
}
