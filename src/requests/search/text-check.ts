import type { EntityManager } from 'typeorm';
import { groupBySize } from '../../platform/group-by.js';
import { havePhrases, haveWords, type TextQuery, type WantedWord } from '../../words/index.js';
import { type Conversation, searchedTexts } from '../../llm/records/conversation-facts.js';

/** Stored bytes of messages that are read together. A single log may be larger. */
const PIECE_BYTES = 8 * 1024 * 1024;

interface LogSize {
  id: string;
  size: number;
}

/** The logs, among these, whose messages match a text query, in the given order. */
export async function checkTexts(
  db: EntityManager,
  workspaceId: number,
  { ids, query }: { ids: readonly string[]; query: TextQuery },
): Promise<string[]> {
  const found = new Set<string>();
  for await (const logs of readMessages(db, workspaceId, ids)) {
    for (const log of logs) if (matchesText(query, log)) found.add(log.id);
  }
  return ids.filter((id) => found.has(id));
}

/** The words, among these, that occur in the messages of some logs. */
export async function findWords(
  db: EntityManager,
  workspaceId: number,
  { ids, words }: { ids: readonly string[]; words: readonly WantedWord[] },
): Promise<WantedWord[]> {
  const missing = new Set(words);
  for await (const logs of readMessages(db, workspaceId, ids)) {
    for (const word of missing) {
      if (logs.some((log) => matchesText({ words: [word], phrases: [] }, log))) missing.delete(word);
    }
    if (missing.size === 0) break;
  }
  return words.filter((word) => !missing.has(word));
}

/** Reads the sizes without reading the messages. */
function readSizes(db: EntityManager, workspaceId: number, ids: readonly string[]): Promise<LogSize[]> {
  return db.query<LogSize[]>(
    `SELECT id::text, pg_column_size(input) + pg_column_size(output) AS size FROM request_logs
      WHERE workspace_id = $1 AND id = ANY($2::bigint[])`,
    [workspaceId, ids],
  );
}

interface LogMessages extends Conversation {
  id: string;
}

async function* readMessages(
  db: EntityManager,
  workspaceId: number,
  ids: readonly string[],
): AsyncGenerator<LogMessages[]> {
  for (const piece of groupBySize(await readSizes(db, workspaceId, ids), PIECE_BYTES)) {
    yield await db.query<LogMessages[]>(
      'SELECT id::text, input, output FROM request_logs WHERE workspace_id = $1 AND id = ANY($2::bigint[])',
      [workspaceId, piece.map(({ id }) => id)],
    );
  }
}

/** Whether the texts of a log match, without using the index. */
export function matchesText({ words, phrases }: Pick<TextQuery, 'words' | 'phrases'>, call: Conversation): boolean {
  const { texts, answer, around } = searchedTexts(call);
  return haveWords(words, [...texts, around, answer]) && havePhrases(phrases, [...texts, answer]);
}
