import type { EntityManager } from 'typeorm';
import type { Caller } from '../../access/index.js';
import { emit } from '../../events/index.js';
import { FolderItem, type FolderItemKind } from '../../folders/index.js';
import { deleteAbReleases } from '../ab-releases/ab-releases.queries.js';
import { PromptEvents } from '../shared/prompt-events.js';
import { PROMPTS } from './prompt.registry.js';
import { announceToImporters } from './store-version.js';

const PROMPTS_IN_FOLDERS = {
  ...PROMPTS.item,
  nameSql: 'e.name',
  tagsSql: 'e.tags',
  metadataSql: `jsonb_build_object('type', e.type, 'latest_version_number', e.latest_version)`,
  content: { table: 'prompt_texts', idColumn: 'prompt_id', textSql: 'c.text' },
} as const;

async function deletePrompts(tx: EntityManager, caller: Caller, ids: string[]): Promise<void> {
  await deleteAbReleases(tx, caller, { promptIds: ids });
  const deleted = await PROMPTS.delete(tx, caller, ids);
  const events = deleted.map(({ id, name }) =>
    PromptEvents.deleted({ prompt_template_id: id, prompt_template_name: name }),
  );
  const { workspaceId } = caller;
  const snippets = { workspaceId, ids: deleted.map(({ id }) => id) };
  const importers = await announceToImporters(tx, snippets, { latest: false, labels: [], deleted: true });
  await emit(tx, caller, ...events, ...importers);
}

@FolderItem({ name: 'PROMPT', ...PROMPTS_IN_FOLDERS, whereSql: 'NOT e.is_snippet' })
export class PromptFolderItem implements FolderItemKind {
  delete = deletePrompts;
}

@FolderItem({ name: 'SNIPPET', ...PROMPTS_IN_FOLDERS, whereSql: 'e.is_snippet' })
export class SnippetFolderItem implements FolderItemKind {
  delete = deletePrompts;
}
