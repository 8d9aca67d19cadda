import type { EntityManager } from 'typeorm';
import type { Prompt } from '../../llm/blueprint.js';
import { matchesText, type TextQuery } from './text-query.js';

/** Logs that are read at once, by number and by the bytes of their messages. A log may be larger by itself. */
const PIECE = { logs: 500, bytes: 8 * 1024 * 1024 };
/** Logs that are looked at in this process, newest first. What waits behind them is left to the database. */
const MOST_LOGS = 5000;
const MOST_BYTES = 64 * 1024 * 1024;

/** What a text query finds among the logs that are not in the index as they are now. */
export interface QueuedMatches {
  /** Those that were looked at. What the index says of them does not count. */
  checked: string[];
  matching: string[];
  /** Logs with smaller ids may be waiting too and were not looked at; null when there are none. */
  below: string | null;
}

interface QueuedSize {
  id: string;
  bytes: number;
}

/**
 * Looks at the logs of a workspace that wait for the index, by the rules that the index is made by. The worker empties
 * the queue within a moment, so that these are few; after an upgrade they may be all logs there are.
 */
export async function findQueued(db: EntityManager, workspaceId: number, query: TextQuery): Promise<QueuedMatches> {
  const sizes = await readSizes(db, workspaceId);
  const found: QueuedMatches = { checked: [], matching: [], below: null };
  let bytes = 0;
  let at = 0;
  while (at < sizes.length && bytes < MOST_BYTES) {
    const piece = pieceOf(sizes, at);
    found.matching.push(...(await matchingOf(db, workspaceId, { piece, query })));
    found.checked.push(...piece.map(({ id }) => id));
    bytes += piece.reduce((sum, log) => sum + log.bytes, 0);
    at += piece.length;
  }
  if (at < sizes.length || sizes.length === MOST_LOGS) found.below = sizes[at - 1]?.id ?? null;
  return found;
}

/** Newest first. The sizes are known without reading what they are the size of. */
function readSizes(db: EntityManager, workspaceId: number): Promise<QueuedSize[]> {
  return db.query<QueuedSize[]>(
    `SELECT l.id::text, pg_column_size(l.input) + pg_column_size(l.output) AS bytes
       FROM (SELECT log_id FROM request_log_search_queue WHERE workspace_id = $1 ORDER BY log_id DESC LIMIT $2) q
       JOIN request_logs l ON l.workspace_id = $1 AND l.id = q.log_id
      ORDER BY l.id DESC`,
    [workspaceId, MOST_LOGS],
  );
}

function pieceOf(sizes: QueuedSize[], from: number): QueuedSize[] {
  let bytes = 0;
  let to = from;
  while (to < sizes.length && to - from < PIECE.logs && (to === from || bytes + sizes[to]!.bytes <= PIECE.bytes)) {
    bytes += sizes[to]!.bytes;
    to++;
  }
  return sizes.slice(from, to);
}

async function matchingOf(
  db: EntityManager,
  workspaceId: number,
  { piece, query }: { piece: QueuedSize[]; query: TextQuery },
): Promise<string[]> {
  const logs = await db.query<{ id: string; input: Prompt; output: Prompt }[]>(
    'SELECT id::text, input, output FROM request_logs WHERE workspace_id = $1 AND id = ANY($2::bigint[])',
    [workspaceId, piece.map(({ id }) => id)],
  );
  return logs.filter((log) => matchesText(query, log)).map(({ id }) => id);
}
