import type { EntityManager } from 'typeorm';
import type { PromptLink } from '../../llm/prompt-reference.js';
import { IntegerField } from '../../platform/http/fields.js';
import type { Sheet } from '../sheets/sheet.entity.js';
import { SheetPrompt } from './sheet-prompt.entity.js';

/** Only sheets, or tables with a sheet, that work on a prompt, on a version of it, or on the version a label is on. */
export interface PromptFilters {
  promptId?: number;
  versionId?: number;
  labelId?: number;
}

const MAX_ID = 2_147_483_647;

/** The query parameters of these filters. */
export const PromptFilterField = (description: string) =>
  IntegerField({ optional: true, query: true, min: 1, max: MAX_ID, description });

export function promptFilters(query: {
  prompt_id?: number;
  prompt_version_id?: number;
  prompt_label_id?: number;
}): PromptFilters {
  const { prompt_id: promptId, prompt_version_id: versionId, prompt_label_id: labelId } = query;
  return { promptId, versionId, labelId };
}

/** Remembers which versions of prompts a sheet works on. */
export async function linkSheet(tx: EntityManager, sheet: Sheet, prompts: PromptLink[]): Promise<void> {
  const { workspaceId, id: sheetId } = sheet;
  if (prompts.length === 0) return;
  const rows = prompts.map((prompt) => ({ workspaceId, sheetId, ...prompt }));
  await tx.createQueryBuilder().insert().into(SheetPrompt).values(rows).orIgnore().execute();
}

/**
 * A condition on the sheets of a workspace, whose id is `sheetSql`, with its parameters; null when nothing is filtered.
 * Versions and labels of deleted prompts are found like others: the sheets still hold what was imported.
 */
export function sheetPromptCondition(
  filters: PromptFilters,
  sql: { workspace: string; sheet: string },
): { condition: string; parameters: PromptFilters } | null {
  const parts = [
    filters.promptId && 'sp.prompt_id = :promptId',
    filters.versionId &&
      `EXISTS (SELECT 1 FROM prompt_versions v WHERE v.workspace_id = sp.workspace_id AND v.prompt_id = sp.prompt_id
         AND v.number = sp.version_number AND v.id = :versionId)`,
    filters.labelId &&
      `EXISTS (SELECT 1 FROM prompt_labels l WHERE l.workspace_id = sp.workspace_id AND l.prompt_id = sp.prompt_id
         AND l.version_number = sp.version_number AND l.id = :labelId)`,
  ].filter(Boolean);
  if (parts.length === 0) return null;
  const condition = `EXISTS (SELECT 1 FROM sheet_prompts sp
    WHERE sp.workspace_id = ${sql.workspace} AND sp.sheet_id = ${sql.sheet} AND ${parts.join(' AND ')})`;
  return { condition, parameters: filters };
}
