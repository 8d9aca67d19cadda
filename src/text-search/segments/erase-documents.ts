import type { DataSource, EntityManager } from 'typeorm';
import { inPortions } from '../../platform/in-portions.js';
import { byteaArray, int4Array, textArray } from '../../platform/database/binary-arrays.js';
import { repeatableTransaction } from '../../platform/database/repeatable-transaction.js';
import { isWord } from './add-text.js';
import { forgetWords } from '../../words/index.js';
import { Bits } from './bits.js';
import { findDocuments } from './documents.queries.js';
import { ErasedParts } from './erased-parts.js';
import { eraseLists } from './listed-words.queries.js';
import { packTerms, PackedTerms } from './packed-terms.js';
import type { Postings } from './postings.js';
import { partsOf } from './segment.js';
import {
  type IndexOf,
  markGone,
  readAllHeads,
  readPacked,
  readSomeTerms,
  readTermsWithoutPlaces,
  readValues,
  type SegmentHead,
  toKeys,
  toOrdinals,
  VALUE_NAMES,
} from './segments.queries.js';
import { lockIndex } from './write-index.js';

const BETWEEN_KEYS = '\u0000';
/**
 * Segments per transaction, which blocks additions to the index. Checking whether a word occurs elsewhere reads all segments, so
 * it is done for many of them together.
 */
const AT_ONCE = { segments: 50, bytes: 16_000_000 };
/** Segments whose keys, or packed terms, are read with one statement. */
const READ_AT_ONCE = 20;

/**
 * Removes the content of deleted documents from their segments, and words that occur nowhere else from the vocabulary. Documents
 * keep their numbers, so readers of a segment do not notice. Returns the number of documents, each counted once, however often it
 * was indexed. `kinds` are all indexes of the workspace, because they share the words.
 */
export async function eraseDocuments(
  db: DataSource,
  index: IndexOf,
  { keys, kinds }: { keys: readonly string[]; kinds: readonly number[] },
): Promise<number> {
  const wanted = new Set(keys);
  const { workspaceId } = index;
  const erased = new Set<string>();
  if (wanted.size === 0) return 0;
  for (const some of portionsOf(await segmentsWith(db.manager, index, wanted))) {
    const ids = new Set(some.map(({ id }) => id));
    const documents = await repeatableTransaction(db, async (tx) => {
      for (const each of kinds.toSorted((a, b) => a - b)) await lockIndex(tx, { workspaceId, kind: each });
      const taken: string[] = [];
      const words = new Set<string>();
      for (const head of await readAllHeads(tx, index)) {
        if (!ids.has(head.id)) continue;
        const own = await eraseFrom(tx, index, head, wanted);
        taken.push(...own.documents);
        for (const word of own.words) words.add(word);
      }
      await forgetUnused(tx, workspaceId, [...words]);
      return taken;
    });
    for (const key of documents) erased.add(key);
  }
  return erased.size;
}

/** The number of documents that `eraseDocuments` would erase if they were deleted. */
export async function countDocuments(db: EntityManager, index: IndexOf, keys: readonly string[]): Promise<number> {
  const wanted = new Set(keys);
  const found = new Set<string>();
  if (wanted.size === 0) return 0;
  for await (const { keys: standing } of keysOfSegments(db, index, await readAllHeads(db, index))) {
    for (const key of standing) if (wanted.has(key)) found.add(key);
  }
  return found.size;
}

/** The segments that contain or contained one of the documents. */
async function segmentsWith(db: EntityManager, index: IndexOf, wanted: ReadonlySet<string>): Promise<SegmentHead[]> {
  const heads = await readAllHeads(db, index);
  const found = new Set<string>();
  for await (const { segmentId, keys } of keysOfSegments(db, index, heads)) {
    if (keys.some((key) => wanted.has(key))) found.add(segmentId);
  }
  return heads.filter(({ id }) => found.has(id));
}

async function* keysOfSegments(db: EntityManager, { workspaceId }: IndexOf, heads: SegmentHead[]) {
  for (const some of inPortions(heads, READ_AT_ONCE)) {
    const ids = some.map(({ id }) => id);
    for (const { segmentId, bytes } of await readValues(db, workspaceId, { ids, names: [VALUE_NAMES.keys] })) {
      yield { segmentId, keys: toKeys(bytes) };
    }
  }
}

function portionsOf(heads: SegmentHead[]): SegmentHead[][] {
  const portions: SegmentHead[][] = [];
  let bytes = 0;
  for (const head of heads) {
    bytes += head.bytes;
    const last = portions.at(-1);
    if (last && last.length < AT_ONCE.segments && bytes <= AT_ONCE.bytes) last.push(head);
    else {
      portions.push([head]);
      bytes = head.bytes;
    }
  }
  return portions;
}

interface Taken {
  documents: string[];
  /** Words that the segment no longer has. */
  words: string[];
}

const NOTHING: Taken = { documents: [], words: [] };

async function eraseFrom(
  tx: EntityManager,
  index: IndexOf,
  head: SegmentHead,
  wanted: ReadonlySet<string>,
): Promise<Taken> {
  const { workspaceId } = index;
  const { id } = head;
  const own = await readValues(tx, workspaceId, { ids: [id], names: Object.values(VALUE_NAMES) });
  const bytesOf = (wantedName: string) => own.find(({ name }) => name === wantedName)?.bytes;
  const keys = toKeys(bytesOf(VALUE_NAMES.keys) ?? Buffer.alloc(0));
  const erased = await placesToErase(tx, index, { id, keys, wanted });
  if (erased.length === 0) return NOTHING;
  const gone = head.gone ?? Bits.none(head.documents);
  for (const document of erased) gone.set(document);
  await markGone(tx, workspaceId, { id, gone });
  const left = keys.map((key, document) => (gone.has(document) ? '' : key)).join(BETWEEN_KEYS);
  await tx.query('UPDATE search_values SET value = $4 WHERE workspace_id = $1 AND segment_id = $2 AND name = $3', [
    workspaceId,
    id,
    VALUE_NAMES.keys,
    Buffer.from(left),
  ]);
  const firsts = bytesOf(VALUE_NAMES.firsts);
  const parts = new ErasedParts(partsOf({ ...head, firsts: firsts ? toOrdinals(firsts) : null }, gone));
  const listed = [...toOrdinals(bytesOf(VALUE_NAMES.lists) ?? Buffer.alloc(0)).entries()];
  const ofGone = listed.flatMap(([list, document]) => (gone.has(document) ? [list] : []));
  await eraseLists(tx, { workspaceId, id }, ofGone);
  const eraseTerms = head.isPacked ? erasePackedTerms : eraseRows;
  const removed = await eraseTerms(tx, { workspaceId, id }, parts);
  return { documents: erased.map((document) => keys[document]!), words: removed.filter(isWord) };
}

/** A document that was indexed again meanwhile stays; the next erasure finds its new position. */
async function placesToErase(
  tx: EntityManager,
  index: IndexOf,
  { id, keys, wanted }: { id: string; keys: readonly string[]; wanted: ReadonlySet<string> },
): Promise<number[]> {
  const places = keys.flatMap((key, document) => (wanted.has(key) ? [document] : []));
  if (places.length === 0) return places;
  const current = await findDocuments(
    tx,
    index,
    places.map((document) => keys[document]!),
  );
  const live = new Set(current.filter(({ segmentId }) => segmentId === id).map(({ document }) => document));
  return places.filter((document) => !live.has(document));
}

/** The segment of which terms are erased. */
interface Erased {
  workspaceId: number;
  id: string;
}

/** Returns the terms that the segment no longer has. */
async function erasePackedTerms(tx: EntityManager, { workspaceId, id }: Erased, parts: ErasedParts): Promise<string[]> {
  const removed: string[] = [];
  const stay: (readonly [string, Postings])[] = [];
  for (const { packed } of await readPacked(tx, workspaceId, [id])) {
    for (const [term, postings] of new PackedTerms(packed).between('', null)) {
      const left = parts.have(postings) ? parts.takenFrom(postings) : postings;
      if (left) stay.push([term, left]);
      else removed.push(term);
    }
  }
  const values = [workspaceId, id, packTerms(stay)];
  await tx.query('UPDATE search_segments SET packed = $3 WHERE workspace_id = $1 AND id = $2', values);
  return removed;
}

/** Returns the terms that the segment no longer has. */
async function eraseRows(tx: EntityManager, segment: Erased, parts: ErasedParts): Promise<string[]> {
  const { workspaceId, id } = segment;
  const all = await readTermsWithoutPlaces(tx, workspaceId, id);
  const had = all.flatMap(([term, postings]) => (parts.have(postings) ? [term] : []));
  const removed: string[] = [];
  const changed: (readonly [string, Postings])[] = [];
  for (const [term, postings] of await readSomeTerms(tx, segment, had)) {
    const left = parts.takenFrom(postings);
    if (left) changed.push([term, left]);
    else removed.push(term);
  }
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
  return removed;
}

/** Includes merged segments, which are still read for a while. */
async function forgetUnused(tx: EntityManager, workspaceId: number, words: string[]): Promise<void> {
  if (words.length === 0) return;
  const rows = await tx.query<{ term: string }[]>(
    // Most words occur in one of the first segments that are read.
    `SELECT w.term FROM unnest($2::text[]) AS w (term)
      CROSS JOIN LATERAL (
        SELECT FROM search_segments s JOIN search_postings p ON p.workspace_id = $1 AND p.segment_id = s.id AND p.term = w.term
         WHERE s.workspace_id = $1 LIMIT 1) AS standing`,
    [workspaceId, textArray(words)],
  );
  const used = new Set(rows.map(({ term }) => term));
  const packed = await tx.query<{ id: string }[]>(
    'SELECT id FROM search_segments WHERE workspace_id = $1 AND packed IS NOT NULL',
    [workspaceId],
  );
  const ids = packed.map(({ id }) => id);
  for (const some of inPortions(ids, READ_AT_ONCE)) {
    for (const { packed: bytes } of await readPacked(tx, workspaceId, some)) {
      const terms = new PackedTerms(bytes);
      for (const word of words) if (!used.has(word) && terms.has(word)) used.add(word);
    }
  }
  const unused = words.filter((word) => !used.has(word));
  if (unused.length > 0) await forgetWords(tx, workspaceId, unused);
}
