import type { EntityManager } from 'typeorm';
import type { Caller } from '../access/index.js';
import { emit } from '../events/index.js';
import { type ClearedLabels, LabelledKind, type LabelledKindPlugin, type LabelPosition } from '../registry/index.js';
import type { Tool } from './tool.entity.js';
import { toolChanged } from './tool-events.js';
import { TOOL_LABELS, TOOLS } from './tool.registry.js';

@LabelledKind({ name: 'tool', permission: 'TOOL_DEPLOY' })
export class LabelledTools implements LabelledKindPlugin<Tool> {
  readonly registry = TOOLS;

  labelsOf(tx: EntityManager, tool: Tool): Promise<LabelPosition[]> {
    return TOOL_LABELS.of(tx, tool);
  }

  checkTarget(tx: EntityManager, tool: Tool, { versionNumber }: LabelPosition): Promise<unknown> {
    return TOOLS.getVersion(tx, tool, versionNumber);
  }

  async place(
    tx: EntityManager,
    caller: Caller,
    tool: Tool,
    target: { versionNumber: number; labels: ClearedLabels },
  ): Promise<void> {
    await emitChanged(tx, caller, tool, await TOOL_LABELS.place(tx, caller, tool, target));
  }

  async remove(tx: EntityManager, caller: Caller, tool: Tool, labels: ClearedLabels): Promise<void> {
    await emitChanged(tx, caller, tool, await TOOL_LABELS.delete(tx, caller, tool, labels));
  }
}

function emitChanged(tx: EntityManager, caller: Caller, tool: Tool, labels: LabelPosition[]): Promise<void> {
  const events = labels.map(({ name, versionNumber }) => toolChanged(tool, 'label_changed', versionNumber, name));
  return emit(tx, caller, ...events);
}
