import type { EntityManager } from 'typeorm';
import { Bits } from '../segments/bits.js';
import { findInLists } from '../segments/listed-words.queries.js';
import { PackedTerms } from '../segments/packed-terms.js';
import type { Postings } from '../segments/postings.js';
import {
  readPacked,
  readPostings,
  readValues,
  type SegmentHead,
  toKeys,
  toNumbers,
  toOrdinals,
  VALUE_NAMES,
} from '../segments/segments.queries.js';
import type { LookedUp } from './answer.js';
import { partsOf } from '../segments/segment.js';
import { keyOf, type ListedWord, type Question, rangesOf, type TermRange } from './question.js';
import type { SegmentCache } from './segment-cache.js';

/** The source of segments. */
export interface Source {
  db: EntityManager;
  workspaceId: number;
  cache: SegmentCache;
}

/** The data that a question and an order need from some segments, by their ids. */
export async function lookUp(
  source: Source,
  heads: readonly SegmentHead[],
  question: Question,
  orderedBy: readonly string[],
): Promise<Map<string, LookedUp>> {
  const { ranges, listed, values, places } = rangesOf(question);
  const postings = await postingsIn(source, heads, { ranges, places });
  const numbers = await numbersIn(source, heads, [...new Set([...values, ...orderedBy])]);
  const inParts = heads.filter(({ parts, documents }) => parts !== documents);
  const firsts = await valuesIn(source, inParts, { name: VALUE_NAMES.firsts, read: toOrdinals });
  const inLists = await listedIn(source, heads, { words: listed, firsts });
  return new Map(
    heads.map(({ id, documents, parts }) => [
      id,
      {
        documents,
        parts,
        firsts: firsts.get(id) ?? null,
        postings: postings.get(id)!,
        listed: inLists.get(id) ?? NOT_LISTED,
        values: numbers.get(id)!,
      },
    ]),
  );
}

type ListedParts = Map<string, Bits>;
const NOT_LISTED: LookedUp['listed'] = new Map();

/** Parts of documents with words in their lists, by word. */
async function listedIn(
  source: Source,
  heads: readonly SegmentHead[],
  { words, firsts }: { words: readonly ListedWord[]; firsts: ReadonlyMap<string, Uint32Array> },
): Promise<Map<string, ListedParts>> {
  const found = new Map<string, ListedParts>();
  const withLists = heads.filter(({ lists }) => lists > 0);
  if (withLists.length === 0 || words.length === 0) return found;
  const documents = await valuesIn(source, withLists, { name: VALUE_NAMES.lists, read: toOrdinals });
  const byId = new Map(withLists.map((head) => [head.id, head]));
  for (const { segmentId, word, list } of await findInLists(source.db, source.workspaceId, withLists, words)) {
    const head = byId.get(segmentId)!;
    const document = Bits.none(head.documents);
    document.set(documents.get(segmentId)![list]!);
    const parts = partsOf({ ...head, firsts: firsts.get(segmentId) ?? null }, document);
    const ofSegment = found.get(segmentId) ?? new Map<string, Bits>();
    found.set(segmentId, ofSegment);
    const key = keyOf(words[word]!);
    ofSegment.set(key, ofSegment.get(key)?.or(parts) ?? parts);
  }
  return found;
}

/** The keys of the documents of some segments. */
export const keysIn = (source: Source, heads: readonly SegmentHead[]): Promise<Map<string, string[]>> =>
  valuesIn(source, heads, { name: VALUE_NAMES.keys, read: toKeys });

type ByRange = Map<string, Postings[]>;

async function postingsIn(
  source: Source,
  heads: readonly SegmentHead[],
  { ranges, places }: { ranges: readonly TermRange[]; places: boolean },
): Promise<Map<string, ByRange>> {
  const found = new Map<string, ByRange>(
    heads.map(({ id }) => [id, new Map(ranges.map((range) => [keyOf(range), []]))]),
  );
  if (ranges.length === 0) return found;
  const add = (id: string, range: TermRange, postings: Postings) => found.get(id)!.get(keyOf(range))!.push(postings);
  const ids = heads.filter(({ isPacked }) => !isPacked).map(({ id }) => id);
  const rows = ids.length > 0 ? await readPostings(source.db, source.workspaceId, { ids, ranges, places }) : [];
  for (const row of rows) add(row.segmentId, ranges[row.range]!, row);
  for (const [id, terms] of await packedIn(source, heads)) {
    for (const range of ranges) {
      for (const [, postings] of terms.between(range.low, range.high)) add(id, range, postings);
    }
  }
  return found;
}

function packedIn(
  { db, workspaceId, cache }: Source,
  heads: readonly SegmentHead[],
): Promise<Map<string, PackedTerms>> {
  const ids = heads.filter(({ isPacked }) => isPacked).map(({ id }) => id);
  return cache.all({ workspaceId, ids }, 'terms', async (missing) => {
    const rows = await readPacked(db, workspaceId, missing);
    return new Map(rows.map(({ id, packed }) => [id, { value: new PackedTerms(packed), bytes: packed.length }]));
  });
}

async function numbersIn(
  source: Source,
  heads: readonly SegmentHead[],
  names: readonly string[],
): Promise<Map<string, Map<string, Float64Array>>> {
  const found = new Map<string, Map<string, Float64Array>>(heads.map(({ id }) => [id, new Map()]));
  for (const name of names) {
    const values = await valuesIn(source, heads, { name, read: toNumbers });
    for (const [id, numbers] of values) found.get(id)!.set(name, numbers);
  }
  return found;
}

function valuesIn<T>(
  { db, workspaceId, cache }: Source,
  heads: readonly SegmentHead[],
  { name, read }: { name: string; read: (bytes: Buffer) => T },
): Promise<Map<string, T>> {
  const ids = heads.map(({ id }) => id);
  return cache.all({ workspaceId, ids }, name, async (missing) => {
    const rows = await readValues(db, workspaceId, { ids: missing, names: [name] });
    return new Map(rows.map(({ segmentId, bytes }) => [segmentId, { value: read(bytes), bytes: bytes.length }]));
  });
}
