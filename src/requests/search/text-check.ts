import type { EntityManager } from 'typeorm';
import type { Prompt } from '../../llm/blueprint.js';
import { groupBySize } from '../../platform/group-by.js';
import { havePhrases, haveWords, type TextQuery } from '../../text-search/index.js';
import { type Conversation, searchedTexts } from '../../llm/records/conversation-facts.js';

/** Bytes of messages, as stored, that are read at once. A log may be larger by itself. */
const PIECE_BYTES = 8 * 1024 * 1024;

interface LogSize {
  id: string;
  size: number;
}

/** Those of some logs that a text query matches, told from their messages, in the order in which they were given. */
export async function checkTexts(
  db: EntityManager,
  workspaceId: number,
  { ids, query }: { ids: readonly string[]; query: TextQuery },
): Promise<string[]> {
  const found = new Set<string>();
  for (const piece of groupBySize(await readSizes(db, workspaceId, ids), PIECE_BYTES)) {
    for (const id of await matchingOf(db, workspaceId, { piece, query })) found.add(id);
  }
  return ids.filter((id) => found.has(id));
}

/** The sizes are known without reading what they are the size of. */
function readSizes(db: EntityManager, workspaceId: number, ids: readonly string[]): Promise<LogSize[]> {
  return db.query<LogSize[]>(
    `SELECT id::text, pg_column_size(input) + pg_column_size(output) AS size FROM request_logs
      WHERE workspace_id = $1 AND id = ANY($2::bigint[])`,
    [workspaceId, ids],
  );
}

async function matchingOf(
  db: EntityManager,
  workspaceId: number,
  { piece, query }: { piece: LogSize[]; query: TextQuery },
): Promise<string[]> {
  const logs = await db.query<{ id: string; input: Prompt; output: Prompt }[]>(
    'SELECT id::text, input, output FROM request_logs WHERE workspace_id = $1 AND id = ANY($2::bigint[])',
    [workspaceId, piece.map(({ id }) => id)],
  );
  return logs.filter((log) => matchesText(query, log)).map(({ id }) => id);
}

/** Whether a log is found, told from its texts instead of the index. */
export function matchesText({ words, phrases }: TextQuery, call: Conversation): boolean {
  const { texts, answer, around } = searchedTexts(call);
  return haveWords(words, [...texts, around, answer]) && havePhrases(phrases, [...texts, answer]);
}
