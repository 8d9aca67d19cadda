import type { EntityManager } from 'typeorm';
import { textArray } from '../platform/database/binary-arrays.js';
import { Statement } from '../platform/database/statement.js';
import { withinMoment } from '../platform/database/within-time.js';
import { SqlParameters } from '../platform/filters/sql-parameters.js';
import type { PartOfWord } from './parts-of-words.js';

/** In one order, so that two writers of the same words do not deadlock; words that need no change are not locked. */
const KEEP = new Statement(`
  INSERT INTO vocabulary (workspace_id, word, last_day)
  SELECT $1, n.word, DATE '1970-01-01' + $3::int
    FROM unnest($2::text[]) AS n (word)
   WHERE NOT EXISTS (SELECT FROM vocabulary v WHERE v.workspace_id = $1 AND v.word = n.word
                        AND v.last_day >= DATE '1970-01-01' + $3::int)
   ORDER BY n.word COLLATE "C"
  ON CONFLICT (workspace_id, word) DO UPDATE SET last_day = greatest(vocabulary.last_day, excluded.last_day)`);

/** Each word once. `lastDay`: see `VocabularyWord`; in days since 1970. */
export async function keepWords(
  db: EntityManager,
  workspaceId: number,
  { words, lastDay }: { words: string[]; lastDay: number },
): Promise<void> {
  await KEEP.run(db, [workspaceId, textArray(words), lastDay]);
}

const RESET = new Statement<{ number: number }>('SELECT number FROM vocabulary_resets WHERE workspace_id = $1');

/** The number of removals by `forgetWords` in a workspace. */
export async function readReset(db: EntityManager, workspaceId: number): Promise<number> {
  const [row] = await RESET.run(db, [workspaceId]);
  return row?.number ?? 0;
}

/** Removes words from the vocabulary. Processes with a cache notice by the number; hold the locks of all indexes. */
export async function forgetWords(tx: EntityManager, workspaceId: number, words: string[]): Promise<void> {
  await tx.query('DELETE FROM vocabulary WHERE workspace_id = $1 AND word = ANY($2::text[])', [workspaceId, words]);
  await tx.query(
    `INSERT INTO vocabulary_resets AS r (workspace_id, number) VALUES ($1, 1)
     ON CONFLICT (workspace_id) DO UPDATE SET number = r.number + 1`,
    [workspaceId],
  );
}

/**
 * For a restored workspace: processes drop what they have cached of it. The number is larger than any that it had before, because it
 * is a time in seconds.
 */
export async function forgetCachedWords(tx: EntityManager, workspaceId: number): Promise<void> {
  await tx.query(
    `INSERT INTO vocabulary_resets AS r (workspace_id, number) VALUES ($1, extract(epoch FROM now())::integer)
     ON CONFLICT (workspace_id) DO UPDATE SET number = greatest(r.number + 1, excluded.number)`,
    [workspaceId],
  );
}

/** The given beginnings that words of a workspace have. */
export async function findKnownBeginnings(
  db: EntityManager,
  workspaceId: number,
  beginnings: string[],
): Promise<Set<string>> {
  // The first word from there on decides, and the order makes the planner look it up in the index.
  const rows = await db.query<{ beginning: string }[]>(
    `SELECT b.beginning FROM unnest($2::text[]) AS b (beginning)
      CROSS JOIN LATERAL (SELECT v.word FROM vocabulary v WHERE v.workspace_id = $1 AND v.word >= b.beginning
                           ORDER BY v.word LIMIT 1) AS first
      WHERE starts_with(first.word, b.beginning)`,
    [workspaceId, beginnings],
  );
  return new Set(rows.map(({ beginning }) => beginning));
}

/** Looking up more words than this takes as long as reading texts until some match. */
const MOST_WORDS = 200;
/** Further parts hardly reduce the result. */
const MOST_PARTS = 10;
/** Timeout: it takes some milliseconds, except for parts of very many words. */
const PATIENCE_MS = 100;

/** The words with a part, by part; missing for a part of very many words. */
export type WordsWith = ReadonlyMap<string, readonly string[]>;

/** `parts` by a key of the caller's. */
export async function findWordsWith(
  db: EntityManager,
  workspaceId: number,
  parts: ReadonlyMap<string, PartOfWord>,
): Promise<WordsWith> {
  if (parts.size === 0) return new Map();
  const entries = [...parts].slice(0, MOST_PARTS);
  const parameters = new SqlParameters();
  const workspace = `${parameters.add(workspaceId)}::int`;
  // Each with values of its own: for values of other rows the planner cannot estimate how rare they are.
  const sql = entries
    .map(([, part], place) => `(${wordsWith(part, place, { workspace, parameters })})`)
    .join(' UNION ALL ');
  const read = (tx: EntityManager) => tx.query<{ place: number; word: string }[]>(sql, parameters.values);
  const rows = await withinMoment(db, PATIENCE_MS, read);
  if (rows === null) return new Map();
  const found = entries.map(([key]): [string, string[]] => [key, []]);
  for (const { place, word } of rows) found[place]![1].push(word);
  return new Map(found.filter(([, words]) => words.length <= MOST_WORDS));
}

/** A word that was truncated in the index may continue in any way. */
function wordsWith(
  { part, isEnd }: PartOfWord,
  place: number,
  { workspace, parameters }: { workspace: string; parameters: SqlParameters },
): string {
  const pattern = `%${part.replaceAll('_', '\\_')}${isEnd ? '' : '%'}`;
  return `SELECT ${place} AS place, word FROM vocabulary
    WHERE workspace_id = ${workspace}
      AND (word_parts(workspace_id, word) @> word_parts(${workspace}, ${parameters.add(part)}::text)
             AND word LIKE ${parameters.add(pattern)}::text
           OR word_parts(workspace_id, word) @> ARRAY[${workspace} || ':*'])
    LIMIT ${MOST_WORDS + 1}`;
}
