import type { EntityManager } from 'typeorm';
import type { PromptLink } from '../../llm/shared/prompt-reference.js';
import { workspaceOf } from '../../platform/database/one-workspace.js';
import { variablesOf } from '../../prompts/index.js';
import type { NewRequestLog } from '../shared/request-logs.queries.js';
import type { Tracked } from '../shared/request-log.entity.js';
import { changeTags } from './tags.js';

/**
 * Adds the additions of clients to logs that are about to be written again: a re-delivered span must not remove tracked
 * metadata or a tracked prompt. Locks those logs until the end of the transaction, also those without additions,
 * because a first one may be on its way. Most logs are new: pass only those that exist.
 */
export async function keepTracked(tx: EntityManager, logs: NewRequestLog[]): Promise<void> {
  if (logs.length === 0) return;
  const rows = await tx.query<ExistingLog[]>(
    `SELECT l.workspace_id, l.id, l.tracked, l.prompt_id, l.prompt_version_number,
            CASE WHEN l.prompt_id IS NOT NULL THEN
              ${variablesOf('$1', 'l.prompt_id', 'l.prompt_version_number')} END AS variables
       FROM unnest($2::bigint[]) AS n (id)
       JOIN request_logs l ON l.workspace_id = $1 AND l.id = n.id
      ORDER BY l.id FOR NO KEY UPDATE OF l`,
    [workspaceOf(logs), logs.map((log) => log.id)],
  );
  const existing = new Map(rows.map((row) => [`${row.workspace_id}:${row.id}`, row]));
  for (const log of logs) {
    const row = existing.get(`${log.workspaceId}:${log.id}`);
    if (!row) continue;
    const link = linkOf(row);
    // A log keeps its prompt when it is sent again without one.
    log.promptLink ??= link;
    if (row.tracked) addTracked(log, row.tracked, link);
  }
}

interface ExistingLog {
  workspace_id: number;
  id: string;
  tracked: Tracked | null;
  prompt_id: number | null;
  prompt_version_number: number | null;
  /** Variables of its prompt. */
  variables: string[] | null;
}

function linkOf({ variables, ...log }: ExistingLog): PromptLink | null {
  const { prompt_id: promptId, prompt_version_number: versionNumber } = log;
  if (promptId === null || versionNumber === null) return null;
  return { promptId, versionNumber, variables: variables ?? [] };
}

/** `link` is the version that the log was tracked with, if any. */
function addTracked(log: NewRequestLog, { metadata, prompt, tags }: Tracked, link: PromptLink | null): void {
  log.call = {
    ...log.call,
    metadata: { ...log.call.metadata, ...metadata },
    tags: tags ? changeTags(log.call.tags, tags) : log.call.tags,
    promptInputVariables: prompt?.variables ?? log.call.promptInputVariables,
  };
  if (prompt) log.promptLink = link;
}
