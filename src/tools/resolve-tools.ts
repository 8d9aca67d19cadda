import type { EntityManager } from 'typeorm';
import { MAX_ID } from '../platform/http/fields.js';
import { isObject, type JsonObject, type JsonValue } from '../platform/json.js';
import { toFunctionTool } from './function-tool.js';
import type { ToolVersion } from './tool.entity.js';
import type { RunnableTool } from './tool-runner.js';

/** Reference of a prompt to a tool. */
interface ToolReference {
  id: number;
  label: string | null;
  version: number | null;
}

/** Definitions of tools for a model, and the tools that the server can run, by the name of their function. */
export interface ResolvedTools {
  tools: JsonValue[];
  runnable: Map<string, RunnableTool>;
}

interface Row extends Pick<ToolVersion, 'execution'> {
  ordinal: number;
  id: number;
  name: string;
  isDeleted: boolean;
  /** null when the tool has no such version or label. */
  definition: JsonObject | null;
}

/**
 * Replaces references with the present tools of the registry. Drops references to deleted tools, and keeps those that lead
 * nowhere.
 */
export async function resolveTools(tx: EntityManager, workspaceId: number, tools: JsonValue[]): Promise<ResolvedTools> {
  const runnable = new Map<string, RunnableTool>();
  const references = tools.map(readReference);
  if (references.every((reference) => reference === null)) return { tools, runnable };
  const found = await findVersions(tx, workspaceId, references);
  const resolved = tools.flatMap((tool, index) => {
    const row = found.get(index + 1);
    if (!row) return [tool];
    if (row.isDeleted) return [];
    const { id, name, definition, execution } = row;
    const asFunction = definition && toFunctionTool(definition);
    if (!asFunction) return [tool];
    const { name: called } = asFunction.function as { name: string };
    if (execution) runnable.set(called, { workspaceId, id, name, definition: definition!, execution });
    return [asFunction];
  });
  return { tools: resolved, runnable };
}

function readReference(tool: JsonValue): ToolReference | null {
  if (!isObject(tool) || tool.type !== 'registry') return null;
  const { tool_registry_id: id, label, version_number: version } = tool;
  if (!isId(id)) return null;
  // Treats numbers beyond the integer range as version 0, which does not exist.
  const number = typeof version === 'number' ? (isId(version) ? version : 0) : null;
  return { id, label: typeof label === 'string' && label !== '' ? label : null, version: number };
}

const isId = (value: unknown): value is number =>
  Number.isInteger(value) && (value as number) >= 1 && (value as number) <= MAX_ID;

/** Reads the versions of all references in one statement, by their position in the list, from 1. */
async function findVersions(
  tx: EntityManager,
  workspaceId: number,
  references: (ToolReference | null)[],
): Promise<Map<number, Row>> {
  const rows = await tx.query<Row[]>(
    `SELECT r.ordinal::int AS ordinal, t.id, t.name, t.deleted_at IS NOT NULL AS "isDeleted", v.definition, v.execution
       FROM unnest($2::int[], $3::text[], $4::int[]) WITH ORDINALITY AS r (tool_id, label, version, ordinal)
       JOIN tools t ON t.workspace_id = $1 AND t.id = r.tool_id
       LEFT JOIN tool_labels l ON l.workspace_id = $1 AND l.tool_id = t.id AND l.name = r.label
       LEFT JOIN tool_versions v ON v.workspace_id = $1 AND v.tool_id = t.id
        AND v.number = CASE WHEN r.label IS NULL THEN coalesce(r.version, t.latest_version) ELSE l.version_number END`,
    [
      workspaceId,
      references.map((reference) => reference?.id ?? null),
      references.map((reference) => reference?.label ?? null),
      references.map((reference) => reference?.version ?? null),
    ],
  );
  return new Map(rows.map((row) => [row.ordinal, row]));
}
