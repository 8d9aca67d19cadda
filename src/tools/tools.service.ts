import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { audit, type Caller, demand } from '../access/index.js';
import type { CommonListQuery } from '../entity-lists/index.js';
import { emit } from '../events/index.js';
import type { ExternalIdBody } from '../external-ids/index.js';
import { lockFolder } from '../folders/index.js';
import type { JsonObject } from '../platform/json.js';
import { demandLabels, type LabelOnVersion, type VersionChoice, type WithExternalIds } from '../registry/index.js';
import type { Tool, ToolVersion } from './tool.entity.js';
import { toolChanged } from './tool-events.js';
import { TOOL_LABELS, TOOLS } from './tool.registry.js';
import type { ToolExecution } from './tool.schema.js';

export interface VersionContent {
  definition: JsonObject;
  execution: ToolExecution | null;
  responseSchema: JsonObject | null;
  commitMessage: string | null;
}

export interface NewTool {
  name: string;
  description: string | null;
  folderId: number | null;
  externalIds: ExternalIdBody[];
  content: VersionContent;
  /** Labels of the first version. */
  labels: string[];
}

/** Changes to a tool. Missing keys keep their values. */
export interface ToolChange {
  name?: string;
  description?: string | null;
}

export interface ReadTool {
  tool: WithExternalIds<Tool>;
  /** Sorted by name. */
  labels: LabelOnVersion[];
  version: ToolVersion;
}

@Injectable()
export class ToolsService {
  constructor(private readonly db: DataSource) {}

  async list({ workspaceId }: Caller, query: CommonListQuery): Promise<WithExternalIds<Tool>[]> {
    const { manager } = this.db;
    const tools = await TOOLS.list(manager, workspaceId, query, { sortBy: 'updated_at' });
    return TOOLS.withExternalIds(manager, workspaceId, tools);
  }

  async read({ workspaceId }: Caller, identifier: string, choice: VersionChoice): Promise<ReadTool> {
    const { manager } = this.db;
    return readWhole(manager, await TOOLS.get(manager, workspaceId, identifier), choice);
  }

  /** Creates a tool with its first version. Throws folder_not_found, tool_name_taken, external_id_in_use and the errors of `place`. */
  create(caller: Caller, { content, externalIds, labels, ...input }: NewTool): Promise<Omit<ReadTool, 'labels'>> {
    return this.db.transaction(async (tx) => {
      if (input.folderId !== null) await lockFolder(tx, caller.workspaceId, input.folderId);
      const tool = await TOOLS.insert(tx, caller, { ...input, latestVersion: 1 });
      const version = await TOOLS.storeVersion(tx, caller, tool, content);
      await place(tx, caller, { tool, number: version.number, labels });
      await TOOLS.attachExternalIds(tx, tool, externalIds);
      await audit(tx, caller, { action: 'tool.create', entityId: tool.id, details: { name: tool.name } });
      return { tool: { ...tool, externalIds: await TOOLS.externalIdsOf(tx, tool) }, version };
    });
  }

  /** Adds a version. Concurrent calls get different numbers: the second waits for the first. Throws the errors of `place`. */
  saveVersion(caller: Caller, identifier: string, content: VersionContent, labels: string[]): Promise<ToolVersion> {
    return this.db.transaction(async (tx) => {
      const tool = await TOOLS.lock(tx, caller.workspaceId, identifier);
      demand(caller, 'TOOL_EDIT');
      const version = await TOOLS.storeVersion(tx, caller, await TOOLS.takeNumber(tx, tool), content);
      const details = { name: tool.name, version_number: version.number };
      await audit(tx, caller, { action: 'tool.save_version', entityId: tool.id, details });
      await emit(tx, caller, toolChanged(tool, 'version_created', version.number));
      await place(tx, caller, { tool, number: version.number, labels });
      return version;
    });
  }

  /** Throws tool_name_taken. */
  update(caller: Caller, id: number, { name, description }: ToolChange): Promise<ReadTool> {
    return this.db.transaction(async (tx) => {
      const tool = await TOOLS.lock(tx, caller.workspaceId, { id });
      demand(caller, 'TOOL_EDIT');
      const change = {
        name: name ?? tool.name,
        description: description === undefined ? tool.description : description,
      };
      return readWhole(tx, await TOOLS.update(tx, caller, tool, change));
    });
  }

  /** Puts a label on a version. Creates the label or moves it. */
  placeLabel(caller: Caller, id: number, name: string, number: number): Promise<LabelOnVersion> {
    return this.db.transaction(async (tx) => {
      const tool = await TOOLS.lock(tx, caller.workspaceId, { id });
      const { label, isChanged } = await TOOL_LABELS.put(tx, caller, tool, { name, number });
      if (isChanged) await emit(tx, caller, toolChanged(tool, 'label_changed', number, name));
      return label;
    });
  }

  deleteLabel(caller: Caller, id: number, name: string): Promise<void> {
    return this.db.transaction(async (tx) => {
      const tool = await TOOLS.lock(tx, caller.workspaceId, { id });
      const label = await TOOL_LABELS.remove(tx, caller, tool, name);
      await emit(tx, caller, toolChanged(tool, 'label_changed', label.versionNumber, label.name));
    });
  }
}

/** Puts labels on a new version of a locked tool. Throws permission_missing, label_protected and approval_needed. */
async function place(
  tx: EntityManager,
  caller: Caller,
  { tool, number, labels }: { tool: Tool; number: number; labels: string[] },
): Promise<void> {
  const cleared = await demandLabels(tx, caller, 'TOOL_DEPLOY', labels);
  const placed = await TOOL_LABELS.place(tx, caller, tool, { versionNumber: number, labels: cleared });
  for (const { name } of placed) await emit(tx, caller, toolChanged(tool, 'label_changed', number, name));
}

async function readWhole(tx: EntityManager, tool: Tool, choice: VersionChoice = {}): Promise<ReadTool> {
  const chosen = await TOOL_LABELS.choose(tx, tool, choice);
  return { ...chosen, tool: { ...tool, externalIds: await TOOLS.externalIdsOf(tx, tool) } };
}
