import { type EntityManager, In, IsNull } from 'typeorm';
import { spellingsOf } from '../platform/comparable-text.js';
import { type IdOrName, meaningsOf, shownIdentifier } from '../platform/http/id-or-name.js';
import { Tool, ToolLabel, ToolVersion } from './tool.entity.js';
import { ToolErrors } from './tools.errors.js';

/** Which version of a tool is asked for. The label counts more than the version; without both it is the latest. */
export interface VersionChoice {
  version?: number | null;
  label?: string | null;
}

type Lock = 'for_no_key_update' | 'pessimistic_read';

/** A live tool. Throws tool_not_found. */
export async function getTool(
  tx: EntityManager,
  workspaceId: number,
  identifier: IdOrName,
  lock?: Lock,
): Promise<Tool> {
  for (const meant of meaningsOf(identifier)) {
    const where = { ...meant, workspaceId, deletedAt: IsNull() };
    const tool = await tx.findOne(Tool, { where, ...(lock && { lock: { mode: lock } }) });
    if (tool) return tool;
  }
  throw ToolErrors.tool_not_found(shownIdentifier(identifier));
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
  const labels = await tx.findBy(ToolLabel, { workspaceId, toolId, name: In(spellingsOf(name)) });
  const label = labels.find((each) => each.name === name) ?? labels[0];
  if (!label) throw ToolErrors.tool_label_not_found(tool, name);
  return label.versionNumber;
}
