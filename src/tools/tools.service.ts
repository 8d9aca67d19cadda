import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { audit, type Caller, demand } from '../access/index.js';
import type { CommonListQuery } from '../entity-lists/index.js';
import { emit } from '../events/index.js';
import { attachExternalIds, type ExternalIdBody, readExternalIds } from '../external-ids/index.js';
import { lockFolder } from '../folders/index.js';
import { uniqueViolation } from '../platform/database/failures.js';
import type { JsonObject } from '../platform/json.js';
import { listTools, type ListedTool } from './list-tools.queries.js';
import { EXTERNAL_ID_TYPE, Tool, type ToolLabel, ToolVersion } from './tool.entity.js';
import { ToolEvents } from './tool-events.js';
import type { ToolExecution } from './tool.schema.js';
import { ToolErrors } from './tools.errors.js';
import { getTool, getToolVersion, type VersionChoice } from './tools.queries.js';

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
}

/** What is left out stays as it is. */
export interface ToolChange {
  name?: string;
  description?: string | null;
}

export type WithExternalIds<T> = T & { externalIds: ExternalIdBody[] };

export type LabelOnVersion = ToolLabel & { versionId: number };

export interface ReadTool {
  tool: WithExternalIds<Tool>;
  /** By name. */
  labels: LabelOnVersion[];
  version: ToolVersion;
}

@Injectable()
export class ToolsService {
  constructor(private readonly db: DataSource) {}

  async list({ workspaceId }: Caller, query: CommonListQuery): Promise<WithExternalIds<ListedTool>[]> {
    const { manager } = this.db;
    const tools = await listTools(manager, workspaceId, query);
    const ids = tools.map(({ id }) => id);
    const externalIds = await readExternalIds(manager, workspaceId, EXTERNAL_ID_TYPE, ids);
    return tools.map((tool) => ({ ...tool, externalIds: externalIds.get(String(tool.id))! }));
  }

  async read({ workspaceId }: Caller, identifier: string, choice: VersionChoice): Promise<ReadTool> {
    const { manager } = this.db;
    const tool = await getTool(manager, workspaceId, identifier);
    return readWhole(manager, tool, choice);
  }

  /** With its first version. Throws folder_not_found, tool_name_taken and external_id_in_use. */
  create(caller: Caller, { content, externalIds, ...input }: NewTool): Promise<Omit<ReadTool, 'labels'>> {
    const { workspaceId, keyId: createdBy } = caller;
    return this.db.transaction(async (tx) => {
      if (input.folderId !== null) await lockFolder(tx, workspaceId, input.folderId);
      const row = { ...input, workspaceId, createdBy, latestVersion: 1 };
      const { identifiers } = await tx.insert(Tool, row).catch(nameTaken(input.name));
      const id = identifiers[0]!.id as number;
      const tool = await tx.findOneByOrFail(Tool, { workspaceId, id });
      const version = await storeVersion(tx, caller, tool, content);
      await attachExternalIds(tx, { workspaceId, type: EXTERNAL_ID_TYPE, id }, externalIds);
      await audit(tx, caller, { action: 'tool.create', entityId: id, details: { name: tool.name } });
      return { tool: await withExternalIds(tx, tool), version };
    });
  }

  /** Two at once get two numbers: the second waits for the first. */
  saveVersion(caller: Caller, identifier: string, content: VersionContent): Promise<ToolVersion> {
    const { workspaceId } = caller;
    return this.db.transaction(async (tx) => {
      const tool = await getTool(tx, workspaceId, identifier, 'for_no_key_update');
      demand(caller, 'TOOL_EDIT');
      const latestVersion = tool.latestVersion + 1;
      await tx.update(Tool, { workspaceId, id: tool.id }, { latestVersion, updatedAt: new Date() });
      const version = await storeVersion(tx, caller, { ...tool, latestVersion }, content);
      const details = { name: tool.name, version_number: latestVersion };
      await audit(tx, caller, { action: 'tool.save_version', entityId: tool.id, details });
      const changed = { tool_registry_id: tool.id, tool_name: tool.name, version_number: latestVersion };
      await emit(tx, caller, ToolEvents.changed({ ...changed, change: 'version_created', tool_label: null }));
      return version;
    });
  }

  /** Throws tool_name_taken. */
  update(caller: Caller, id: number, change: ToolChange): Promise<ReadTool> {
    const { workspaceId } = caller;
    return this.db.transaction(async (tx) => {
      const tool = await getTool(tx, workspaceId, { id }, 'for_no_key_update');
      demand(caller, 'TOOL_EDIT');
      const { name = tool.name, description = tool.description } = change;
      const where = { workspaceId, id: tool.id };
      await tx.update(Tool, where, { name, description, updatedAt: new Date() }).catch(nameTaken(name));
      await audit(tx, caller, { action: 'tool.update', entityId: tool.id, details: { name, old_name: tool.name } });
      return readWhole(tx, await tx.findOneByOrFail(Tool, where));
    });
  }
}

async function readWhole(tx: EntityManager, tool: Tool, choice: VersionChoice = {}): Promise<ReadTool> {
  const { workspaceId, id: toolId } = tool;
  const labels = await tx.query<LabelOnVersion[]>(
    `SELECT l.workspace_id AS "workspaceId", l.id, l.tool_id AS "toolId", l.version_number AS "versionNumber", l.name,
            l.created_at AS "createdAt", v.id AS "versionId"
       FROM tool_labels l
       JOIN tool_versions v ON v.workspace_id = $1 AND v.tool_id = $2 AND v.number = l.version_number
      WHERE l.workspace_id = $1 AND l.tool_id = $2 ORDER BY l.name COLLATE "C"`,
    [workspaceId, toolId],
  );
  const version = await getToolVersion(tx, tool, choice);
  return { tool: await withExternalIds(tx, tool), labels, version };
}

/** Under the number that was just taken for it. */
async function storeVersion(
  tx: EntityManager,
  { keyId: createdBy }: Caller,
  { workspaceId, id: toolId, latestVersion: number }: Tool,
  { definition, responseSchema, ...content }: VersionContent,
): Promise<ToolVersion> {
  // TypeORM's types for JSON columns reject index signatures.
  const json = { definition: definition as object, responseSchema: responseSchema as object | null };
  await tx.insert(ToolVersion, { ...content, ...json, workspaceId, toolId, number, createdBy });
  return tx.findOneByOrFail(ToolVersion, { workspaceId, toolId, number });
}

async function withExternalIds(tx: EntityManager, tool: Tool): Promise<WithExternalIds<Tool>> {
  const found = await readExternalIds(tx, tool.workspaceId, EXTERNAL_ID_TYPE, [tool.id]);
  return { ...tool, externalIds: found.get(String(tool.id))! };
}

function nameTaken(name: string): (error: unknown) => never {
  return (error) => {
    throw uniqueViolation(error) === 'tools_name_key' ? ToolErrors.tool_name_taken(name) : error;
  };
}
