import type { EntityManager } from 'typeorm';
import { int8Array, textArray } from '../../platform/database/binary-arrays.js';
import { Columns, type ColumnsOf } from '../../platform/database/columns.js';
import { workspaceOf } from '../../platform/database/one-workspace.js';
import { Statement } from '../../platform/database/statement.js';
import type { JsonObject } from '../../platform/json.js';
import { conversationColumns } from '../shared/request-logs.queries.js';
import type { DerivedFacts } from '../../llm/records/conversation-facts.js';
import { TERMS } from './indexed-fields.js';
import type { LogToIndex } from './log-document.js';

/** Logs that one transaction adds to the index. Smaller batches leave more segments to merge. */
const BATCH = 2000;

/**
 * The statements with which a worker moves logs from the queue into the index, in one transaction:
 *
 * 1. `claimQueued` locks rows of the queue; other workers skip them.
 * 2. `readQueued` reads the logs without a lock, and they are added to the index.
 * 3. `lockUnchanged` locks the logs that are still the same. A writer that changed one before has left the queue row
 *    as it was (its insert conflicts with ours), so our row must stay. A later writer waits for this lock; then the
 *    queue row is gone and it inserts another one.
 * 4. `removeQueued` deletes the rows of the unchanged logs.
 *
 * A worker never waits for a writer while a writer may wait for it. Deleted logs are queued as well: they are removed
 * from the index.
 */
export interface QueuedKey {
  workspaceId: number;
  /** Ids stay texts, because they are only passed on. */
  logId: string;
}

interface QueuedRow {
  workspace_id: number;
  log_id: string;
}

const WAITING = `
  WITH RECURSIVE waiting (id) AS (
    SELECT min(workspace_id) FROM request_log_search_queue
    UNION ALL
    SELECT (SELECT min(workspace_id) FROM request_log_search_queue WHERE workspace_id > waiting.id)
      FROM waiting WHERE id IS NOT NULL)
  SELECT id FROM waiting WHERE id IS NOT NULL`;

/** Workspaces with logs in the queue. There are few, so the statement jumps from one to the next in the index. */
export async function waitingWorkspaces(db: EntityManager): Promise<number[]> {
  return (await db.query<{ id: number }[]>(WAITING)).map(({ id }) => id);
}

const CLAIM = `SELECT workspace_id, log_id::text FROM request_log_search_queue WHERE workspace_id = $1
  ORDER BY log_id DESC LIMIT ${BATCH} FOR UPDATE SKIP LOCKED`;

/** Claims queued logs of a workspace, newest first. */
export async function claimQueued(tx: EntityManager, workspaceId: number): Promise<QueuedKey[]> {
  const rows = await tx.query<QueuedRow[]>(CLAIM, [workspaceId]);
  return rows.map((row) => ({ workspaceId: row.workspace_id, logId: row.log_id }));
}

/** Stored bytes of the messages of logs, in the order of the keys; 0 for a deleted log. */
export async function sizesOf(tx: EntityManager, keys: QueuedKey[]): Promise<number[]> {
  const rows = await tx.query<{ bytes: number }[]>(
    `SELECT coalesce(pg_column_size(l.input) + pg_column_size(l.output), 0)::int AS bytes
       FROM unnest($2::bigint[]) WITH ORDINALITY AS k (log_id, n)
       LEFT JOIN request_logs l ON l.workspace_id = $1 AND l.id = k.log_id ORDER BY k.n`,
    keyColumns(keys),
  );
  return rows.map(({ bytes }) => bytes);
}

/** A log with the fields that the worker needs. */
export interface QueuedLog extends QueuedKey, LogToIndex {
  /** Changes with every change of the log. */
  version: string;
  /** Only for older logs whose derived columns are not filled in yet. */
  undescribed: UndescribedLog | null;
}

export interface UndescribedLog {
  model: string;
  provider: string;
  status: string;
  tags: string[];
  metadata: Record<string, string>;
  variables: JsonObject;
  promptId: number | null;
  promptVersionNumber: number | null;
}

const READ = new Statement<QueuedLog>(`
  SELECT l.workspace_id AS "workspaceId", l.id::text AS "logId", l.xmin::text AS version, l.input, l.output,
         (extract(epoch FROM l.request_start_time) * 1000000)::float8 AS "startMicros",
         l.facets, l.origin, l.status, l.price, l.latency_ms AS "latencyMs", l.input_tokens AS "inputTokens", l.output_tokens AS "outputTokens",
         json_build_object(${TERMS.map((field) => `'${field}', l.${field}::text`).join(', ')}) AS plain,
         CASE WHEN l.output_shape IS NULL THEN jsonb_build_object(
           'model', l.model, 'provider', l.provider, 'status', l.status, 'tags', l.tags, 'metadata', l.metadata,
           'variables', l.prompt_input_variables, 'promptId', l.prompt_id,
           'promptVersionNumber', l.prompt_version_number) END AS undescribed
    FROM unnest($2::bigint[]) AS k (log_id) JOIN request_logs l ON l.workspace_id = $1 AND l.id = k.log_id`);

/** Reads the logs. Deleted ones are missing. */
export function readQueued(tx: EntityManager, keys: QueuedKey[]): Promise<QueuedLog[]> {
  return READ.run(tx, keyColumns(keys));
}

const LOCK = new Statement<QueuedRow>(`
  SELECT l.workspace_id, l.id::text AS log_id
    FROM unnest($2::bigint[], $3::text[]) AS k (log_id, version)
    JOIN request_logs l ON l.workspace_id = $1 AND l.id = k.log_id AND l.xmin::text = k.version
   FOR SHARE OF l SKIP LOCKED`);

/** Locks the logs that are unchanged until the end of the transaction. */
export async function lockUnchanged(
  tx: EntityManager,
  logs: (QueuedKey & { version: string })[],
): Promise<QueuedKey[]> {
  if (logs.length === 0) return [];
  const rows = await LOCK.run(tx, [...keyColumns(logs), textArray(logs.map(({ version }) => version))]);
  return rows.map((row) => ({ workspaceId: row.workspace_id, logId: row.log_id }));
}

const REMOVE = new Statement<{ log_id: string; is_new: boolean }>(`
  DELETE FROM request_log_search_queue q USING unnest($2::bigint[]) AS k (log_id)
   WHERE q.workspace_id = $1 AND q.log_id = k.log_id
  RETURNING q.log_id::text, q.is_new`);

/** Returns the ids of those that were new. */
export async function removeQueued(tx: EntityManager, keys: QueuedKey[]): Promise<string[]> {
  if (keys.length === 0) return [];
  const removed = await REMOVE.run(tx, keyColumns(keys));
  return removed.flatMap((row) => (row.is_new ? [row.log_id] : []));
}

/** Marks the logs of a restored workspace as known: readers of arrivals have seen them before. */
export async function markLogsKnown(tx: EntityManager, workspaceId: number): Promise<void> {
  await tx.query('UPDATE request_log_search_queue SET is_new = false WHERE workspace_id = $1 AND is_new', [
    workspaceId,
  ]);
}

/** Derived columns that an older log lacks. */
export interface Description extends QueuedKey {
  facts: DerivedFacts;
  facets: string[];
}

const DERIVED: ColumnsOf<Description> = {
  ...conversationColumns(({ facts }) => facts),
  input_variable_keys: ['textArray', ({ facts }) => facts.inputVariableKeys],
  facets: ['textArray', ({ facets }) => facets],
};
const DESCRIBED = new Columns<Description>(
  {
    workspace_id: ['int4', ({ workspaceId }) => workspaceId],
    id: ['int8', ({ logId }) => BigInt(logId)],
    ...DERIVED,
  },
  { ofOneWorkspace: true },
);

const DESCRIBE = new Statement(`
  UPDATE request_logs l
     SET ${Object.keys(DERIVED)
       .map((column) => `${column} = n.${column}`)
       .join(', ')}
    FROM (${DESCRIBED.selection}) AS n
   WHERE l.workspace_id = $1 AND l.id = n.id AND l.output_shape IS NULL`);

/** Fills in the derived columns of logs that `lockUnchanged` returned. */
export async function describeLogs(tx: EntityManager, logs: Description[]): Promise<void> {
  if (logs.length > 0) await DESCRIBE.run(tx, DESCRIBED.values(logs));
}

function keyColumns(keys: QueuedKey[]): unknown[] {
  return [workspaceOf(keys), int8Array(keys.map(({ logId }) => BigInt(logId)))];
}
