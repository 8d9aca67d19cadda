import type { EntityManager } from 'typeorm';
import type { PromptLink, PromptReference } from '../../llm/shared/prompt-reference.js';
import { int8Array, textArray } from '../../platform/database/binary-arrays.js';
import { workspaceOf } from '../../platform/database/one-workspace.js';
import { Statement } from '../../platform/database/statement.js';
import { variablesOf } from './version-variables.js';

/** Resolves references. Reads a version once, even if many references name it. */
const RESOLVE = new Statement<{ at: string; prompt_id: number; number: number; variables: string[] }>(`
  WITH meant AS (
  SELECT r.at, p.id AS prompt_id, v.number
    FROM unnest($2::bigint[], $3::text[], $4::bigint[], $5::text[])
         WITH ORDINALITY AS r (id, name, version, label, at)
   CROSS JOIN LATERAL (
     SELECT c.id, c.latest_version FROM prompts c
      WHERE c.workspace_id = $1 AND c.deleted_at IS NULL AND (c.id = r.id OR c.name = r.name)
      ORDER BY c.id IS DISTINCT FROM r.id LIMIT 1
   ) p
    LEFT JOIN prompt_labels l ON l.workspace_id = $1 AND l.prompt_id = p.id AND l.name = r.label
    JOIN prompt_versions v ON v.workspace_id = $1 AND v.prompt_id = p.id
     AND v.number = coalesce(r.version, CASE WHEN r.label IS NULL THEN p.latest_version ELSE l.version_number END))
  SELECT meant.at, version.prompt_id, version.number, version.variables
    FROM meant
    JOIN (SELECT prompt_id, number, ${variablesOf('$1', 'd.prompt_id', 'd.number')} AS variables
            FROM (SELECT DISTINCT prompt_id, number FROM meant) AS d) AS version
   USING (prompt_id, number)`);

/** Resolves references to versions in one statement, in their order; null for those that lead nowhere. */
export async function resolvePromptReferences(
  tx: EntityManager,
  references: (PromptReference & { workspaceId: number })[],
): Promise<(PromptLink | null)[]> {
  const rows = await RESOLVE.run(tx, [
    workspaceOf(references),
    int8Array(references.map(({ id }) => id)),
    textArray(references.map(({ name }) => name)),
    int8Array(references.map(({ version }) => version)),
    textArray(references.map(({ label }) => label)),
  ]);
  const links = references.map((): PromptLink | null => null);
  for (const { at, prompt_id: promptId, number: versionNumber, variables } of rows)
    links[Number(at) - 1] = { promptId, versionNumber, variables };
  return links;
}
