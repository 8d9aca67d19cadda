import { type EntityManager, IsNull } from 'typeorm';
import { asId } from '../platform/http/id-or-name.js';
import { Tool, ToolLabel, ToolVersion } from './tool.entity.js';
import { ToolErrors } from './tools.errors.js';

/** Which version of a tool is asked for. The label counts more than the version; without both it is the latest. */
export interface VersionChoice {
  version?: number | null;
  label?: string | null;
}

type Lock = 'for_no_key_update' | 'pessimistic_read';

/** A live tool by its id or its name; of a number that is both, the id counts. Throws tool_not_found. */
export async function getTool(tx: EntityManager, workspaceId: number, identifier: string, lock?: Lock): Promise<Tool> {
  const id = asId(identifier);
  const live = { workspaceId, deletedAt: IsNull() };
  const where = [...(id === null ? [] : [{ ...live, id }]), { ...live, name: identifier }];
  for (const each of where) {
    const tool = await tx.findOne(Tool, { where: each, ...(lock && { lock: { mode: lock } }) });
    if (tool) return tool;
  }
  throw ToolErrors.tool_not_found(identifier);
}

/** Throws tool_version_not_found and tool_label_not_found. */
export async function getToolVersion(
  tx: EntityManager,
  tool: Tool,
  { version, label }: VersionChoice,
): Promise<ToolVersion> {
  const { workspaceId, id: toolId } = tool;
  const number = label ? await labelledNumber(tx, tool, label) : (version ?? tool.latestVersion);
  const found = await tx.findOneBy(ToolVersion, { workspaceId, toolId, number });
  if (!found) throw ToolErrors.tool_version_not_found(tool.name, number);
  return found;
}

async function labelledNumber(tx: EntityManager, { workspaceId, id: toolId, name: tool }: Tool, name: string) {
  const label = await tx.findOneBy(ToolLabel, { workspaceId, toolId, name });
  if (!label) throw ToolErrors.tool_label_not_found(tool, name);
  return label.versionNumber;
}
