import type { EntityManager } from 'typeorm';
import { int4Array, textArray } from '../../platform/database/binary-arrays.js';
import { Statement } from '../../platform/database/statement.js';
import { withinMoment } from '../../platform/database/within-time.js';
import type { PartOfWord } from './phrase-prefilter.js';

export interface KeptWord {
  workspaceId: number;
  word: string;
  /** See `VocabularyWord`; in days since 1970. */
  lastDay: number;
}

/**
 * In one order, so that two that keep the same words wait for each other instead of both; words that need no change are
 * not even locked.
 */
const KEEP = new Statement(`
  INSERT INTO vocabulary (workspace_id, word, last_day)
  SELECT n.workspace_id, n.word, DATE '1970-01-01' + n.day
    FROM unnest($1::int[], $2::text[], $3::int[]) AS n (workspace_id, word, day)
   WHERE NOT EXISTS (SELECT FROM vocabulary v WHERE v.workspace_id = n.workspace_id AND v.word = n.word
                        AND v.last_day >= DATE '1970-01-01' + n.day)
   ORDER BY n.workspace_id, n.word COLLATE "C"
  ON CONFLICT (workspace_id, word) DO UPDATE SET last_day = greatest(vocabulary.last_day, excluded.last_day)`);

/** Each word of a workspace once. */
export async function keepWords(db: EntityManager, words: KeptWord[]): Promise<void> {
  await KEEP.run(db, [
    int4Array(words.map(({ workspaceId }) => workspaceId)),
    textArray(words.map(({ word }) => word)),
    int4Array(words.map(({ lastDay }) => lastDay)),
  ]);
}

/** Looking up more words than this in the index takes as long as looking at texts until some fit. */
const MOST_WORDS = 200;
/** It takes some milliseconds, but for parts that very many words have. */
const PATIENCE_MS = 100;

/** The words that have a part, for each part; those of a part that very many words have are not known. */
export type WordsWith = ReadonlyMap<string, readonly string[]>;

/** `parts` by a key of the caller's. */
export async function findWordsWith(
  db: EntityManager,
  workspaceId: number,
  parts: ReadonlyMap<string, PartOfWord>,
): Promise<WordsWith> {
  const found = new Map<string, string[]>();
  for (const [key, part] of parts) {
    const words = await withinMoment(db, PATIENCE_MS, (tx) => wordsWith(tx, workspaceId, part));
    if (words && words.length <= MOST_WORDS) found.set(key, words);
  }
  return found;
}

/** A word that was cut in the index may go on with anything. */
async function wordsWith(db: EntityManager, workspaceId: number, { part, isEnd }: PartOfWord): Promise<string[]> {
  const rows = await db.query<{ word: string }[]>(
    `SELECT word FROM vocabulary
      WHERE workspace_id = $1
        AND (word_parts(workspace_id, word) @> word_parts($1, $2) AND word LIKE $3
             OR word_parts(workspace_id, word) @> ARRAY[$1 || ':*'])
      LIMIT ${MOST_WORDS + 1}`,
    [workspaceId, part, `%${part.replaceAll('_', '\\_')}${isEnd ? '' : '%'}`],
  );
  return rows.map(({ word }) => word);
}
