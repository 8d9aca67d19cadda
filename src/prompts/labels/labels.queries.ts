import type { EntityManager } from 'typeorm';
import type { PromptLabelBody } from './labels.dto.js';

/** The labels of some prompts, by name; an empty list for a prompt without any. One statement. */
export async function labelsOfPrompts(
  tx: EntityManager,
  workspaceId: number,
  promptIds: number[],
): Promise<Map<number, PromptLabelBody[]>> {
  const rows = await tx.query<(PromptLabelBody & { prompt_id: number })[]>(
    `SELECT l.prompt_id, v.id AS prompt_version_id, v.number AS prompt_version_number, l.name AS release_label,
            l.id AS release_label_id
       FROM prompt_labels l
       JOIN prompt_versions v ON v.workspace_id = $1 AND v.prompt_id = l.prompt_id AND v.number = l.version_number
      WHERE l.workspace_id = $1 AND l.prompt_id = ANY($2::int[]) ORDER BY l.name COLLATE "C"`,
    [workspaceId, promptIds],
  );
  const labels = new Map(promptIds.map((id) => [id, [] as PromptLabelBody[]]));
  for (const { prompt_id: id, ...label } of rows) labels.get(id)!.push(label);
  return labels;
}
