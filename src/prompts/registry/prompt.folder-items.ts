import type { EntityManager } from 'typeorm';
import { auditAll, type Caller, demandUnprotected } from '../../access/index.js';
import { emit } from '../../events/index.js';
import { releaseExternalIds } from '../../external-ids/index.js';
import { FolderItem, type FolderItemKind } from '../../folders/index.js';
import { deleteAbReleases } from '../ab-releases/ab-releases.queries.js';
import { PromptEvents } from '../prompt-events.js';
import { EXTERNAL_ID_TYPE } from './prompt.entity.js';

const PROMPTS_IN_FOLDERS = {
  table: 'prompts',
  idType: 'integer',
  nameSql: 'e.name',
  tagsSql: 'e.tags',
  metadataSql: `jsonb_build_object('type', e.type, 'latest_version_number', e.latest_version)`,
  content: { table: 'prompt_texts', idColumn: 'prompt_id', textSql: 'c.text' },
  externalIdType: EXTERNAL_ID_TYPE,
  editPermission: 'PROMPT_EDIT',
  deletePermission: 'PROMPT_DELETE',
} as const;

const LABELS = 'SELECT DISTINCT name FROM prompt_labels WHERE workspace_id = $1 AND prompt_id = ANY ($2::int[])';

/** Prompts keep their row and their versions: request logs still refer to them. The name becomes free. */
async function deletePrompts(tx: EntityManager, caller: Caller, ids: string[]): Promise<void> {
  const { workspaceId } = caller;
  // Arrays instead of one parameter per id: a statement may have 65,535 of those.
  const [prompts] = await tx.query<[{ id: number; name: string }[], number]>(
    'UPDATE prompts SET deleted_at = now() WHERE workspace_id = $1 AND id = ANY ($2::int[]) RETURNING id, name',
    [workspaceId, ids],
  );
  await demandUnprotected(tx, caller, LABELS, ids);
  await deleteAbReleases(tx, caller, { promptIds: ids });
  await releaseExternalIds(tx, workspaceId, EXTERNAL_ID_TYPE, ids);
  const events = prompts.map(({ id, name }) =>
    PromptEvents.deleted({ prompt_template_id: id, prompt_template_name: name }),
  );
  await emit(tx, caller, ...events);
  const deeds = prompts.map(({ id, name }) => ({ action: 'prompt.delete', entityId: id, details: { name } }));
  await auditAll(tx, caller, deeds);
}

@FolderItem({ name: 'PROMPT', ...PROMPTS_IN_FOLDERS, whereSql: 'NOT e.is_snippet' })
export class PromptFolderItem implements FolderItemKind {
  delete = deletePrompts;
}

@FolderItem({ name: 'SNIPPET', ...PROMPTS_IN_FOLDERS, whereSql: 'e.is_snippet' })
export class SnippetFolderItem implements FolderItemKind {
  delete = deletePrompts;
}
