import type { EntityManager } from 'typeorm';
import type { Caller } from '../access/index.js';
import { emit } from '../events/index.js';
import { LabelledEntries, LabelledKind, type LabelPosition } from '../registry/index.js';
import type { Tool, ToolVersion } from './tool.entity.js';
import { toolChanged } from './tool-events.js';
import { TOOL_LABELS, TOOLS } from './tool.registry.js';

@LabelledKind({ name: 'tool', permission: 'TOOL_DEPLOY' })
export class LabelledTools extends LabelledEntries<Tool, ToolVersion> {
  constructor() {
    super(TOOLS, TOOL_LABELS);
  }

  protected override labelsChanged(
    tx: EntityManager,
    caller: Caller,
    tool: Tool,
    labels: LabelPosition[],
  ): Promise<void> {
    const events = labels.map(({ name, versionNumber }) => toolChanged(tool, 'label_changed', versionNumber, name));
    return emit(tx, caller, ...events);
  }
}
