import type { DataSource, EntityManager } from 'typeorm';
import { byteaArray, int4Array, textArray } from '../../platform/database/binary-arrays.js';
import { repeatableTransaction } from '../../platform/database/repeatable-transaction.js';
import { isWord } from '../words/add-text.js';
import { forgetWords } from '../words/vocabulary.queries.js';
import { Bits } from './bits.js';
import { findDocuments } from './documents.queries.js';
import { termsThatStay } from './merge-segments.js';
import { packTerms, PackedTerms } from './packed-terms.js';
import type { Segment } from './segment.js';
import {
  type IndexOf,
  markGone,
  readAllHeads,
  readPacked,
  readValues,
  toKeys,
  VALUE_NAMES,
} from './segments.queries.js';
import { lockIndex, readWhole } from './write-index.js';

const BETWEEN_KEYS = '\u0000';

/**
 * Takes everything that deleted documents hold out of the segments in which they stood, and words that stand nowhere else out of the
 * vocabulary. Documents keep their numbers, so whoever is reading a segment does not notice. Gives how many documents there were.
 *
 * `kinds` are all indexes of the workspace, for words are theirs together.
 */
export async function eraseDocuments(
  db: DataSource,
  index: IndexOf,
  { keys, kinds }: { keys: readonly string[]; kinds: readonly number[] },
): Promise<number> {
  const wanted = new Set(keys);
  const { workspaceId, kind } = index;
  let erased = 0;
  if (wanted.size === 0) return erased;
  for (const { id } of await readAllHeads(db.manager, index)) {
    erased += await repeatableTransaction(db, async (tx) => {
      for (const each of kinds.toSorted((a, b) => a - b)) await lockIndex(tx, { workspaceId, kind: each });
      return eraseFrom(tx, { workspaceId, kind, id }, wanted);
    });
  }
  return erased;
}

async function eraseFrom(
  tx: EntityManager,
  { id, ...index }: IndexOf & { id: string },
  wanted: ReadonlySet<string>,
): Promise<number> {
  const { workspaceId } = index;
  const head = (await readAllHeads(tx, index)).find((each) => each.id === id);
  if (!head) return 0;
  const [own] = await readValues(tx, workspaceId, { ids: [id], names: [VALUE_NAMES.keys] });
  const keys = own ? toKeys(own.bytes) : [];
  const places = keys.flatMap((key, document) => (wanted.has(key) ? [document] : []));
  if (places.length === 0) return 0;
  // One that came back meanwhile is there by right; where it is now, it is found by the next erasure.
  const current = await findDocuments(
    tx,
    index,
    places.map((document) => keys[document]!),
  );
  const live = new Set(current.filter(({ segmentId }) => segmentId === id).map(({ document }) => document));
  const gone = head.gone ?? Bits.none(head.documents);
  const erased = places.filter((document) => !live.has(document));
  if (erased.length === 0) return 0;
  for (const document of erased) gone.set(document);
  const [whole] = await readWhole(tx, workspaceId, [{ ...head, gone }]);
  const terms = termsThatStay(whole!);
  await markGone(tx, workspaceId, { id, gone });
  await (head.isPacked
    ? tx.query('UPDATE search_segments SET packed = $3 WHERE workspace_id = $1 AND id = $2', [
        workspaceId,
        id,
        packTerms(terms),
      ])
    : replacePostings(tx, { workspaceId, id }, whole!.terms, terms));
  const left = keys.map((key, document) => (gone.has(document) ? '' : key)).join(BETWEEN_KEYS);
  await tx.query('UPDATE search_values SET value = $4 WHERE workspace_id = $1 AND segment_id = $2 AND name = $3', [
    workspaceId,
    id,
    VALUE_NAMES.keys,
    Buffer.from(left),
  ]);
  const stay = new Set(terms.map(([term]) => term));
  const words = whole!.terms.flatMap(([term]) => (isWord(term) && !stay.has(term) ? [term] : []));
  await forgetUnused(tx, workspaceId, words);
  return erased.length;
}

async function replacePostings(
  tx: EntityManager,
  { workspaceId, id }: { workspaceId: number; id: string },
  before: Segment['terms'],
  after: Segment['terms'],
): Promise<void> {
  const counts = new Map(before.map(([term, { count }]) => [term, count]));
  const changed = after.filter(([term, { count }]) => counts.get(term) !== count);
  const stay = new Set(after.map(([term]) => term));
  const removed = before.map(([term]) => term).filter((term) => !stay.has(term));
  await tx.query('DELETE FROM search_postings WHERE workspace_id = $1 AND segment_id = $2 AND term = ANY($3::text[])', [
    workspaceId,
    id,
    textArray(removed),
  ]);
  await tx.query(
    `UPDATE search_postings p SET count = n.count, ordinals = n.ordinals, places = n.places
       FROM unnest($3::text[], $4::int[], $5::bytea[], $6::bytea[]) AS n (term, count, ordinals, places)
      WHERE p.workspace_id = $1 AND p.segment_id = $2 AND p.term = n.term`,
    [
      workspaceId,
      id,
      textArray(changed.map(([term]) => term)),
      int4Array(changed.map(([, { count }]) => count)),
      byteaArray(changed.map(([, { ordinals }]) => ordinals)),
      byteaArray(changed.map(([, { places }]) => (places.length > 0 ? places : null))),
    ],
  );
}

/** Segments that were merged count as well: they are read for a while. */
async function forgetUnused(tx: EntityManager, workspaceId: number, words: string[]): Promise<void> {
  if (words.length === 0) return;
  const rows = await tx.query<{ term: string }[]>(
    `SELECT DISTINCT w.term FROM search_segments s CROSS JOIN unnest($2::text[]) AS w (term)
       JOIN search_postings p ON p.workspace_id = $1 AND p.segment_id = s.id AND p.term = w.term WHERE s.workspace_id = $1`,
    [workspaceId, textArray(words)],
  );
  const used = new Set(rows.map(({ term }) => term));
  const packed = await tx.query<{ id: string }[]>(
    'SELECT id FROM search_segments WHERE workspace_id = $1 AND packed IS NOT NULL',
    [workspaceId],
  );
  for (const { id } of packed) {
    const [segment] = await readPacked(tx, workspaceId, [id]);
    const terms = new PackedTerms(segment!.packed);
    for (const word of words) if (!used.has(word) && terms.has(word)) used.add(word);
  }
  const unused = words.filter((word) => !used.has(word));
  if (unused.length > 0) await forgetWords(tx, workspaceId, unused);
}
