import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { audit, type Caller, demandLabels } from '../access/index.js';
import { type DomainEvent, emit } from '../events/index.js';
import { type Tool, ToolLabel } from './tool.entity.js';
import { ToolEvents } from './tool-events.js';
import { ToolErrors } from './tools.errors.js';
import { getTool, getToolVersion } from './tools.queries.js';
import type { LabelOnVersion } from './tools.service.js';

@Injectable()
export class ToolLabelsService {
  constructor(private readonly db: DataSource) {}

  /** Puts a label on a version: a new one, or one that is moved there. */
  place(caller: Caller, toolId: number, name: string, version: number): Promise<LabelOnVersion> {
    const { workspaceId } = caller;
    return this.db.transaction(async (tx) => {
      const tool = await getTool(tx, workspaceId, { id: toolId }, 'for_no_key_update');
      const { number: versionNumber, id: versionId } = await getToolVersion(tx, tool, { version });
      await demandLabels(tx, caller, 'TOOL_DEPLOY', [name]);
      const where = { workspaceId, toolId: tool.id, name };
      const old = await tx.findOneBy(ToolLabel, where);
      await tx.upsert(ToolLabel, { ...where, versionNumber }, ['workspaceId', 'toolId', 'name']);
      const label = await tx.findOneByOrFail(ToolLabel, where);
      if (old?.versionNumber !== versionNumber) {
        const details = { tool: tool.name, label: name, version_number: versionNumber, old: old?.versionNumber };
        await audit(tx, caller, { action: `tool_label.${old ? 'move' : 'create'}`, entityId: label.id, details });
        await emit(tx, caller, labelChanged(tool, label));
      }
      return { ...label, versionId };
    });
  }

  delete(caller: Caller, toolId: number, name: string): Promise<void> {
    const { workspaceId } = caller;
    return this.db.transaction(async (tx) => {
      const tool = await getTool(tx, workspaceId, { id: toolId }, 'for_no_key_update');
      const label = await tx.findOneBy(ToolLabel, { workspaceId, toolId: tool.id, name });
      if (!label) throw ToolErrors.tool_label_not_found(tool.name, name);
      await demandLabels(tx, caller, 'TOOL_DEPLOY', [name]);
      await tx.delete(ToolLabel, { workspaceId, id: label.id });
      const details = { tool: tool.name, label: name, version_number: label.versionNumber };
      await audit(tx, caller, { action: 'tool_label.delete', entityId: label.id, details });
      await emit(tx, caller, labelChanged(tool, label));
    });
  }
}

function labelChanged({ id, name }: Tool, { name: label, versionNumber }: ToolLabel): DomainEvent {
  const changed = { tool_registry_id: id, tool_name: name, version_number: versionNumber };
  return ToolEvents.changed({ ...changed, change: 'label_changed', tool_label: label });
}
