import type { EntityManager } from 'typeorm';
import type { PromptReference } from '../../llm/shared/prompt-reference.js';
import { QueryIdField } from '../../platform/http/common-fields.js';
import { CursorQuery } from '../../platform/http/list.js';
import { resolvePromptReferences } from '../../prompts/index.js';
import type { SheetColumn } from '../columns/column.entity.js';
import { ColumnPrompt } from './column-prompt.entity.js';

/**
 * Filters for sheets, or for tables with a sheet, in which the config of a column refers to a prompt, to a version of
 * one (by its id) or to a release label. Each filter may match another column.
 */
export interface PromptFilters {
  promptId?: number;
  promptVersionId?: number;
  promptLabelId?: number;
}

const FilterField = (what: string) => QueryIdField(`Only items with a column that uses the ${what} with this id.`);

/** Query parameters of lists that have these filters. */
export class PromptFilterQuery extends CursorQuery {
  @FilterField('prompt')
  prompt_id?: number;

  @FilterField('version of a prompt')
  prompt_version_id?: number;

  @FilterField('release label')
  prompt_label_id?: number;
}

export function promptFilters(query: PromptFilterQuery): PromptFilters {
  const { prompt_id: promptId, prompt_version_id: promptVersionId, prompt_label_id: promptLabelId } = query;
  return { promptId, promptVersionId, promptLabelId };
}

/** Stores which prompts a new column refers to. Prompts that do not exist are left out. */
export async function linkColumn(
  tx: EntityManager,
  { workspaceId, id: columnId }: SheetColumn,
  references: PromptReference[],
): Promise<void> {
  if (references.length === 0) return;
  // Only the prompt has to exist: a label may be added, and a version published, later.
  const prompts = references.map(({ id, name }) => ({ id, name, version: null, label: null, workspaceId }));
  const links = await resolvePromptReferences(tx, prompts);
  const rows = references.flatMap(({ version: versionNumber, label }, ordinal) => {
    const promptId = links[ordinal]?.promptId;
    return promptId === undefined ? [] : [{ workspaceId, columnId, ordinal, promptId, versionNumber, label }];
  });
  if (rows.length > 0) await tx.insert(ColumnPrompt, rows);
}

/** The same for a column whose config changed. */
export async function relinkColumn(
  tx: EntityManager,
  column: SheetColumn,
  references: PromptReference[],
): Promise<void> {
  await tx.delete(ColumnPrompt, { workspaceId: column.workspaceId, columnId: column.id });
  await linkColumn(tx, column, references);
}

const REFERS: Record<keyof PromptFilters, string> = {
  promptId: 'cp.prompt_id = :promptId',
  promptVersionId: `(cp.prompt_id, cp.version_number) = (
    SELECT v.prompt_id, v.number FROM prompt_versions v WHERE v.workspace_id = :workspaceId AND v.id = :promptVersionId)`,
  promptLabelId: `(cp.prompt_id, cp.label) = (
    SELECT l.prompt_id, l.name FROM prompt_labels l WHERE l.workspace_id = :workspaceId AND l.id = :promptLabelId)`,
};

/**
 * Conditions on the sheet whose id is `sheetSql`. They use the parameter `workspaceId` and one named like each filter.
 */
export function promptConditions(filters: PromptFilters, sheetSql: string): string[] {
  const names = (Object.keys(REFERS) as (keyof PromptFilters)[]).filter((name) => filters[name] !== undefined);
  return names.map(
    (name) => `EXISTS (
      SELECT 1 FROM column_prompts cp
        JOIN sheet_columns c ON c.workspace_id = :workspaceId AND c.id = cp.column_id AND c.deleted_at IS NULL
       WHERE cp.workspace_id = :workspaceId AND c.sheet_id = ${sheetSql} AND ${REFERS[name]})`,
  );
}
