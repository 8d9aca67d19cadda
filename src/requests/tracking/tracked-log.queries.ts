import type { EntityManager } from 'typeorm';
import type { PromptLink, PromptVersionKey } from '../../llm/shared/prompt-reference.js';
import type { JsonObject } from '../../platform/json.js';
import { facetsOf } from '../shared/facets.js';
import { RequestLog, type Tracked } from '../shared/request-log.entity.js';
import { RequestErrors } from '../shared/requests.errors.js';
import { variableKeys } from '../../llm/records/conversation-facts.js';

/** Columns from which a log's facets follow, and its additions, without its messages. */
const SELECTED = {
  workspaceId: true,
  id: true,
  traceId: true,
  provider: true,
  model: true,
  status: true,
  tags: true,
  toolNames: true,
  metadata: true,
  environment: true,
  promptId: true,
  promptVersionNumber: true,
  tracked: true,
} as const;

export type TrackedLog = Pick<RequestLog, keyof typeof SELECTED>;

/**
 * Locks a log until the end of the transaction, so that concurrent additions are not lost. Throws request_not_found.
 */
export async function lockLog(tx: EntityManager, workspaceId: number, id: number): Promise<TrackedLog> {
  const log = await tx.findOne(RequestLog, {
    select: SELECTED,
    where: { workspaceId, id: String(id) },
    lock: { mode: 'for_no_key_update' },
  });
  if (!log) throw RequestErrors.request_not_found(id);
  return log;
}

/** Stores the metadata of a log. `added` is all that clients have added to it. */
export async function saveMetadata(
  tx: EntityManager,
  log: TrackedLog,
  metadata: Record<string, string>,
  added: Record<string, string>,
): Promise<void> {
  const facets = facetsOf({ ...log, metadata }, linkOf(log));
  await tx.query(
    'UPDATE request_logs SET metadata = $3, facets = $4, tracked = $5 WHERE workspace_id = $1 AND id = $2',
    [log.workspaceId, log.id, metadata, facets, { ...log.tracked, metadata: added } satisfies Tracked],
  );
}

/** Stores the tags of a log. `changes` is all that clients have changed about them. */
export async function saveTags(
  tx: EntityManager,
  log: TrackedLog,
  tags: string[],
  changes: NonNullable<Tracked['tags']>,
): Promise<void> {
  await tx.query('UPDATE request_logs SET tags = $3, facets = $4, tracked = $5 WHERE workspace_id = $1 AND id = $2', [
    log.workspaceId,
    log.id,
    tags,
    facetsOf({ ...log, tags }, linkOf(log)),
    { ...log.tracked, tags: changes } satisfies Tracked,
  ]);
}

/** Stores which version of a prompt a log is a call of. Without variables those of the log stay. */
export async function savePrompt(
  tx: EntityManager,
  log: TrackedLog,
  link: PromptLink,
  given: JsonObject | null,
): Promise<void> {
  const { promptId: id, versionNumber } = link;
  const tracked: Tracked = {
    ...log.tracked,
    prompt: { id, versionNumber, variables: given ?? log.tracked?.prompt?.variables ?? null },
  };
  const keys = variableKeys(given ?? (await readVariables(tx, log)), link);
  await tx.query(
    `UPDATE request_logs
        SET prompt_id = $3, prompt_version_number = $4, prompt_input_variables = coalesce($5, prompt_input_variables),
            input_variable_keys = $6, facets = $7, tracked = $8
      WHERE workspace_id = $1 AND id = $2`,
    [log.workspaceId, log.id, id, versionNumber, given, keys, facetsOf(log, link), tracked],
  );
}

async function readVariables(tx: EntityManager, { workspaceId, id }: TrackedLog): Promise<JsonObject> {
  const log = await tx.findOneOrFail(RequestLog, {
    select: { promptInputVariables: true },
    where: { workspaceId, id },
  });
  return log.promptInputVariables;
}

export async function saveGroup(tx: EntityManager, { workspaceId, id }: TrackedLog, groupId: number): Promise<void> {
  await tx.update(RequestLog, { workspaceId, id }, { groupId });
}

function linkOf({ promptId, promptVersionNumber }: TrackedLog): PromptVersionKey | null {
  return promptId === null || promptVersionNumber === null ? null : { promptId, versionNumber: promptVersionNumber };
}
