import type { EntityManager } from 'typeorm';
import type { Prompt } from '../../llm/blueprint.js';
import {
  byteaArray,
  int4Array,
  int8Array,
  type PackedLexemes,
  textArray,
  timestamptzArray,
  tsvectorArray,
} from '../../platform/database/binary-arrays.js';
import { Columns, type ColumnsOf } from '../../platform/database/columns.js';
import { Statement } from '../../platform/database/statement.js';
import type { JsonObject } from '../../platform/json.js';
import { conversationColumns } from '../request-logs.queries.js';
import type { DerivedFacts } from './derived.js';
import { KNOWN_RUNS } from './word-runs.js';

/** Logs that one transaction puts into the index. With fewer, words that they share are merged into it more often. */
const BATCH = 2000;

/**
 * The statements by which a worker moves logs from the queue into the index, in one transaction:
 *
 * 1. `claimQueued` locks rows of the queue; other workers pass over them.
 * 2. `readQueued` reads the logs without a lock, and `storeWords` writes the index.
 * 3. `lockUnchanged` locks the logs that are still what was read. A writer that changed one before this moment has left
 *    the queue row as it was (it conflicts with ours), so ours must stay. A writer that comes later waits for this lock,
 *    and when it has it the queue row is gone and it inserts another.
 * 4. `removeQueued` deletes the rows of the unchanged logs.
 *
 * It never waits for a writer while a writer may wait for it. What is in the index then is merged after the commit.
 */
export interface QueuedKey {
  workspaceId: number;
  /** Ids are kept as texts: they are only handed on. */
  logId: string;
}

interface QueuedRow {
  workspace_id: number;
  log_id: string;
}

const CLAIM = `SELECT workspace_id, log_id::text FROM request_log_search_queue LIMIT ${BATCH} FOR UPDATE SKIP LOCKED`;

export async function claimQueued(tx: EntityManager): Promise<QueuedKey[]> {
  const rows = await tx.query<QueuedRow[]>(CLAIM);
  const keys = rows.map((row) => ({ workspaceId: row.workspace_id, logId: row.log_id }));
  // In one order: two workers that write the same index entries never do so at once, but cascading deletions might.
  return keys.sort((a, b) => a.workspaceId - b.workspaceId || Number(BigInt(a.logId) - BigInt(b.logId)));
}

/** The bytes of the messages of logs, in the order of the keys; 0 for one that does not exist any more. */
export async function sizesOf(tx: EntityManager, keys: QueuedKey[]): Promise<number[]> {
  const rows = await tx.query<{ bytes: number }[]>(
    `SELECT coalesce(pg_column_size(l.input) + pg_column_size(l.output), 0)::int AS bytes
       FROM unnest($1::int[], $2::bigint[]) WITH ORDINALITY AS k (workspace_id, log_id, n)
       LEFT JOIN request_logs l ON l.workspace_id = k.workspace_id AND l.id = k.log_id ORDER BY k.n`,
    keyColumns(keys),
  );
  return rows.map(({ bytes }) => bytes);
}

/** A log as the worker needs it. */
export interface QueuedLog extends QueuedKey {
  /** Changes with every change of the log. */
  version: string;
  startMs: number;
  input: Prompt;
  output: Prompt;
  /** Only for a log of before, whose derived columns are not filled in yet. */
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

const READ = new Statement<{
  workspace_id: number;
  id: string;
  version: string;
  start_ms: number;
  input: Prompt;
  output: Prompt;
  undescribed: UndescribedLog | null;
}>(`
  SELECT l.workspace_id, l.id::text, l.xmin::text AS version, l.input, l.output,
         extract(epoch FROM l.request_start_time)::float8 * 1000 AS start_ms,
         CASE WHEN l.output_shape IS NULL THEN jsonb_build_object(
           'model', l.model, 'provider', l.provider, 'status', l.status, 'tags', l.tags, 'metadata', l.metadata,
           'variables', l.prompt_input_variables, 'promptId', l.prompt_id,
           'promptVersionNumber', l.prompt_version_number) END AS undescribed
    FROM unnest($1::int[], $2::bigint[]) AS k (workspace_id, log_id)
    JOIN request_logs l ON l.workspace_id = k.workspace_id AND l.id = k.log_id`);

/** Those that exist; a log that was deleted meanwhile is missing. */
export async function readQueued(tx: EntityManager, keys: QueuedKey[]): Promise<QueuedLog[]> {
  const rows = await READ.run(tx, keyColumns(keys));
  return rows.map(({ workspace_id: workspaceId, id: logId, start_ms: startMs, ...log }) => ({
    workspaceId,
    logId,
    startMs,
    ...log,
  }));
}

const STORE = new Statement(`
  WITH entries AS MATERIALIZED (
    SELECT n.* FROM unnest($1::int[], $2::bigint[], $3::timestamptz[], $4::tsvector[], $5::bytea[])
                    AS n (workspace_id, log_id, started, words, runs)
     WHERE EXISTS (SELECT FROM request_logs l WHERE l.workspace_id = n.workspace_id AND l.id = n.log_id)),
  stored AS (
    INSERT INTO request_log_search (workspace_id, log_id, request_start_time, words)
    SELECT workspace_id, log_id, started, words FROM entries
    ON CONFLICT (workspace_id, log_id) DO UPDATE SET request_start_time = excluded.request_start_time, words = excluded.words)
  INSERT INTO request_log_word_runs (workspace_id, log_id, request_start_time, word_runs, known_runs)
  SELECT workspace_id, log_id, started, runs, ${KNOWN_RUNS} FROM entries
  ON CONFLICT (workspace_id, log_id) DO UPDATE SET
    request_start_time = excluded.request_start_time, word_runs = excluded.word_runs, known_runs = excluded.known_runs`);

/** What the index keeps of a log. */
export interface IndexEntry {
  log: QueuedLog;
  lexemes: PackedLexemes;
  runs: Uint8Array | null;
}

export async function storeWords(tx: EntityManager, entries: IndexEntry[]): Promise<void> {
  await STORE.run(tx, [
    ...keyColumns(entries.map(({ log }) => log)),
    timestamptzArray(entries.map(({ log }) => log.startMs)),
    tsvectorArray(entries.map(({ lexemes }) => lexemes)),
    byteaArray(entries.map(({ runs }) => runs)),
  ]);
}

const LOCK = new Statement<QueuedRow>(`
  SELECT l.workspace_id, l.id::text AS log_id
    FROM unnest($1::int[], $2::bigint[], $3::text[]) AS k (workspace_id, log_id, version)
    JOIN request_logs l ON l.workspace_id = k.workspace_id AND l.id = k.log_id AND l.xmin::text = k.version
   FOR SHARE OF l SKIP LOCKED`);

/** Those that are still what was read; nobody changes them before the end of the transaction. */
export async function lockUnchanged(
  tx: EntityManager,
  logs: (QueuedKey & { version: string })[],
): Promise<QueuedKey[]> {
  const rows = await LOCK.run(tx, [...keyColumns(logs), textArray(logs.map(({ version }) => version))]);
  return rows.map((row) => ({ workspaceId: row.workspace_id, logId: row.log_id }));
}

const REMOVE = new Statement(`
  DELETE FROM request_log_search_queue q USING unnest($1::int[], $2::bigint[]) AS k (workspace_id, log_id)
   WHERE q.workspace_id = k.workspace_id AND q.log_id = k.log_id`);

export async function removeQueued(tx: EntityManager, keys: QueuedKey[]): Promise<void> {
  if (keys.length > 0) await REMOVE.run(tx, keyColumns(keys));
}

/** What a log of before is missing. */
export interface Description extends QueuedKey {
  facts: DerivedFacts;
  facets: string[];
}

const DERIVED: ColumnsOf<Description> = {
  ...conversationColumns(({ facts }) => facts),
  input_variable_keys: ['textArray', ({ facts }) => facts.inputVariableKeys],
  facets: ['textArray', ({ facets }) => facets],
};
const DESCRIBED = new Columns<Description>({
  workspace_id: ['int4', ({ workspaceId }) => workspaceId],
  id: ['int8', ({ logId }) => BigInt(logId)],
  ...DERIVED,
});

const DESCRIBE = new Statement(`
  UPDATE request_logs l
     SET ${Object.keys(DERIVED)
       .map((column) => `${column} = n.${column}`)
       .join(', ')}
    FROM (${DESCRIBED.selection}) AS n
   WHERE l.workspace_id = n.workspace_id AND l.id = n.id AND l.output_shape IS NULL`);

/** Fills in the derived columns of logs that `lockUnchanged` gave. */
export async function describeLogs(tx: EntityManager, logs: Description[]): Promise<void> {
  if (logs.length > 0) await DESCRIBE.run(tx, DESCRIBED.values(logs));
}

function keyColumns(keys: QueuedKey[]): Buffer[] {
  return [int4Array(keys.map(({ workspaceId }) => workspaceId)), int8Array(keys.map(({ logId }) => BigInt(logId)))];
}
