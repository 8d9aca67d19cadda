import type { EntityManager } from 'typeorm';
import { int4Array, int8Array, textArray } from '../../platform/database/binary-arrays.js';
import { Statement } from '../../platform/database/statement.js';
import { inPortions } from '../../platform/in-portions.js';
import { soughtInBlock, type WordBlock, type WordList } from './listed-words.js';

const BLOCKS_AT_ONCE = 1000;

const INSERT = new Statement(`
  INSERT INTO search_word_lists (workspace_id, segment_id, list, last_word, words)
  SELECT $1, $2, n.* FROM unnest($3::int[], $4::text[], $5::text[]) AS n`);

const COPY = new Statement(`
  INSERT INTO search_word_lists (workspace_id, segment_id, list, last_word, words)
  SELECT $1, $2, n.list, l.last_word, l.words FROM unnest($3::int[], $4::bigint[], $5::int[]) AS n (list, of_segment, of_list)
    JOIN search_word_lists l ON l.workspace_id = $1 AND l.segment_id = n.of_segment AND l.list = n.of_list`);

/** Adds lists to a segment, in their order. */
export async function insertLists(
  tx: EntityManager,
  { workspaceId, id }: { workspaceId: number; id: string },
  lists: readonly WordList[],
): Promise<void> {
  const blocks: (WordBlock & { list: number })[] = [];
  const copies: { list: number; of: { segmentId: string; list: number } }[] = [];
  for (const [list, each] of lists.entries()) {
    if ('copyOf' in each) copies.push({ list, of: each.copyOf });
    else for (const block of each.blocks) blocks.push({ list, ...block });
  }
  for (const some of inPortions(blocks, BLOCKS_AT_ONCE)) {
    await INSERT.run(tx, [
      workspaceId,
      id,
      int4Array(some.map(({ list }) => list)),
      textArray(some.map(({ last }) => last)),
      textArray(some.map(({ words }) => words)),
    ]);
  }
  if (copies.length === 0) return;
  await COPY.run(tx, [
    workspaceId,
    id,
    int4Array(copies.map(({ list }) => list)),
    int8Array(copies.map(({ of }) => BigInt(of.segmentId))),
    int4Array(copies.map(({ of }) => of.list)),
  ]);
}

/** The position in a list of a word, or of the first word with a beginning: the first block that does not end before it. */
const blockWith = (workspaceId: string, segmentId: string, word: string) => `
  SELECT words FROM search_word_lists
   WHERE workspace_id = ${workspaceId} AND segment_id = ${segmentId} AND list = l.list AND last_word >= ${word}
   ORDER BY last_word LIMIT 1`;

const FIND = new Statement<{ segment_id: string; word: number; list: number }>(`
  SELECT s.id AS segment_id, (w.n - 1)::int AS word, l.list
    FROM unnest($2::bigint[], $3::int[]) AS s (id, lists)
   CROSS JOIN unnest($4::text[], $5::text[]) WITH ORDINALITY AS w (low, sought, n)
   CROSS JOIN LATERAL generate_series(0, s.lists - 1) AS l (list)
   CROSS JOIN LATERAL (${blockWith('$1', 's.id', 'w.low COLLATE "C"')}) AS block
   WHERE position(w.sought IN block.words) > 0`);

/** The lists of some segments that contain some words, or a word with a beginning. */
export async function findInLists(
  db: EntityManager,
  workspaceId: number,
  segments: readonly { id: string; lists: number }[],
  words: readonly { low: string; isWhole: boolean }[],
): Promise<{ segmentId: string; word: number; list: number }[]> {
  const rows = await FIND.run(db, [
    workspaceId,
    int8Array(segments.map(({ id }) => BigInt(id))),
    int4Array(segments.map(({ lists }) => lists)),
    textArray(words.map(({ low }) => low)),
    textArray(words.map(({ low, isWhole }) => soughtInBlock(low, isWhole))),
  ]);
  return rows.map(({ segment_id: segmentId, ...row }) => ({ segmentId, ...row }));
}

const BEGINNINGS = new Statement<{ beginning: string }>(`
  SELECT b.beginning FROM unnest($2::text[], $3::text[]) AS b (beginning, sought)
   WHERE EXISTS (
     SELECT FROM search_segments s CROSS JOIN LATERAL generate_series(0, s.lists - 1) AS l (list)
      CROSS JOIN LATERAL (${blockWith('$1', 's.id', 'b.beginning COLLATE "C"')}) AS block
      WHERE s.workspace_id = $1 AND s.lists > 0 AND position(b.sought IN block.words) > 0)`);

/** The given beginnings that words in lists of a workspace have. */
export async function findListedBeginnings(
  db: EntityManager,
  workspaceId: number,
  beginnings: readonly string[],
): Promise<string[]> {
  if (beginnings.length === 0) return [];
  const rows = await BEGINNINGS.run(db, [
    workspaceId,
    textArray(beginnings),
    textArray(beginnings.map((beginning) => soughtInBlock(beginning, false))),
  ]);
  return rows.map(({ beginning }) => beginning);
}

/** Removes lists from a segment; the others keep their numbers. */
export async function eraseLists(
  tx: EntityManager,
  { workspaceId, id }: { workspaceId: number; id: string },
  lists: readonly number[],
): Promise<void> {
  if (lists.length === 0) return;
  await tx.query(
    'DELETE FROM search_word_lists WHERE workspace_id = $1 AND segment_id = $2 AND list = ANY($3::int[])',
    [workspaceId, id, lists],
  );
}
