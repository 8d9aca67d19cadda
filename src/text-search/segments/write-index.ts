import type { DataSource, EntityManager } from 'typeorm';
import { lockUntilCommit } from '../../platform/database/advisory-lock.js';
import { repeatableTransaction } from '../../platform/database/repeatable-transaction.js';
import { groupBy } from '../../platform/group-by.js';
import { Bits } from './bits.js';
import { findDocuments, placeDocuments, removeDocuments } from './documents.queries.js';
import { type MergedSegment, mergedSegment } from './merge-segments.js';
import { PackedTerms } from './packed-terms.js';
import type { Segment } from './segment.js';
import {
  type IndexOf,
  insertSegment,
  leaveSegments,
  markGone,
  readHeads,
  readPacked,
  readTerms,
  readValues,
  type SegmentHead,
  toKeys,
  toNumbers,
  toOrdinals,
  VALUE_NAMES,
} from './segments.queries.js';
import { segmentsToMerge } from './merge-policy.js';

/** Locks an index for writing until the end of the transaction. */
export const lockIndex = (tx: EntityManager, { workspaceId, kind }: IndexOf): Promise<void> =>
  lockUntilCommit(tx, 'search-index', workspaceId, kind);

/**
 * Adds a segment; its documents replace those with the same keys. Writers of an index wait for each other until they commit, so
 * add last in a transaction.
 */
export async function addSegment(tx: EntityManager, index: IndexOf, segment: Segment): Promise<void> {
  await lockIndex(tx, index);
  await markDocuments(tx, index, segment.keys);
  const segmentId = await insertSegment(tx, index, segment);
  await placeDocuments(tx, { ...index, segmentId }, segment.keys);
}

/** Removes documents; missing ones are no error. */
export async function forgetDocuments(tx: EntityManager, index: IndexOf, keys: readonly string[]): Promise<void> {
  if (keys.length === 0) return;
  await lockIndex(tx, index);
  await markDocuments(tx, index, keys);
  await removeDocuments(tx, index, keys);
}

/** Call it after adding segments: merges segments of a size class as long as there are enough of them. */
export async function mergeSegments(db: DataSource, index: IndexOf): Promise<void> {
  while (await repeatableTransaction(db, (tx) => mergeSome(tx, index)));
}

/** True when there were enough. */
async function mergeSome(tx: EntityManager, index: IndexOf): Promise<boolean> {
  await lockIndex(tx, index);
  const heads = segmentsToMerge(await readHeads(tx, index));
  if (heads.length === 0) return false;
  const { workspaceId } = index;
  const merged = mergedSegment(await readWhole(tx, workspaceId, heads));
  await leaveSegments(
    tx,
    workspaceId,
    heads.map(({ id }) => id),
  );
  if (merged.documents === 0) return true;
  const segmentId = await insertSegment(tx, index, merged);
  await placeDocuments(tx, { ...index, segmentId }, merged.keys);
  return true;
}

async function markDocuments(tx: EntityManager, index: IndexOf, keys: readonly string[]): Promise<void> {
  const places = await findDocuments(tx, index, keys);
  if (places.length === 0) return;
  const heads = new Map((await readHeads(tx, index)).map((head) => [head.id, head]));
  for (const [id, gone] of groupBy(places, ({ segmentId }) => segmentId)) {
    const head = heads.get(id)!;
    const bits = head.gone ?? Bits.none(head.documents);
    for (const { document } of gone) bits.set(document);
    await markGone(tx, index.workspaceId, { id, gone: bits });
  }
}

async function readWhole(tx: EntityManager, workspaceId: number, heads: SegmentHead[]): Promise<MergedSegment[]> {
  const ids = heads.map(({ id }) => id);
  const packed = new Map((await readPacked(tx, workspaceId, ids)).map((row) => [row.id, row.packed]));
  const names = await readValues(tx, workspaceId, { ids, names: null });
  const segments: MergedSegment[] = [];
  for (const { id, documents, parts, low, high, gone } of heads) {
    const own = names.filter(({ segmentId }) => segmentId === id);
    const bytes = new Map(own.map((value) => [value.name, value.bytes]));
    const firsts = bytes.get(VALUE_NAMES.firsts);
    const listed = bytes.get(VALUE_NAMES.lists);
    const terms = packed.get(id);
    segments.push({
      documents,
      parts,
      low,
      high,
      gone,
      keys: toKeys(bytes.get(VALUE_NAMES.keys)!),
      firsts: firsts ? toOrdinals(firsts) : null,
      lists: listed
        ? [...toOrdinals(listed)].map((document, list) => ({ document, copyOf: { segmentId: id, list } }))
        : [],
      values: new Map(
        [...bytes].filter(([name]) => !name.startsWith('#')).map(([name, value]) => [name, toNumbers(value)]),
      ),
      terms: terms ? [...new PackedTerms(terms).between('', null)] : await readTerms(tx, workspaceId, id),
    });
  }
  return segments;
}
