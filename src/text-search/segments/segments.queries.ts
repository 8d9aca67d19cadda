import type { EntityManager } from 'typeorm';
import { byteaArray, int4Array, textArray } from '../../platform/database/binary-arrays.js';
import { Statement } from '../../platform/database/statement.js';
import { Bits } from './bits.js';
import { insertLists } from './listed-words.queries.js';
import { packTerms } from './packed-terms.js';
import type { Postings } from './postings.js';
import type { Segment } from './segment.js';

/** Segments of a size class that are merged; together they belong to the next class. */
export const SEGMENTS_OF_A_SIZE = 8;

/** An index of one workspace. */
export interface IndexOf {
  workspaceId: number;
  /** The index: a number of the domain. */
  kind: number;
}

/** Limits of a small segment, whose terms are one value; else they are rows. */
const SMALL = { parts: 4096, bytes: 4 * 1024 * 1024 };

/** A segment without its contents. */
export interface SegmentHead {
  id: string;
  documents: number;
  parts: number;
  /** Bytes of its terms and postings. */
  bytes: number;
  /** The range of `START`. */
  low: number;
  high: number;
  gone: Bits | null;
  isPacked: boolean;
  /** The number of its lists of words. */
  lists: number;
}

interface HeadRow {
  id: string;
  documents: number;
  parts: number;
  bytes: number;
  low: number;
  high: number;
  gone: Buffer | null;
  is_packed: boolean;
  lists: number;
}

const ALL_HEADS = `
  SELECT s.id, s.documents, s.parts, s.bytes, s.low, s.high, s.gone, s.packed IS NOT NULL AS is_packed, s.lists FROM search_segments s
   WHERE s.workspace_id = $1 AND s.kind = $2`;
const HEADS = `${ALL_HEADS} AND s.merged_at IS NULL`;
const READ_ALL_HEADS = new Statement<HeadRow>(ALL_HEADS);
const READ_HEADS = new Statement<HeadRow>(HEADS);

/** Read in one statement, so that no document moves from one segment to another in between. */
const READ_HEADS_EXCEPT = new Statement<HeadRow & { excepted: number[] | null }>(`
  WITH excepted AS MATERIALIZED (
    SELECT segment_id, array_agg(document) AS documents FROM search_documents
     WHERE workspace_id = $1 AND kind = $2 AND key = ANY($3::text[]) GROUP BY segment_id)
  SELECT h.*, e.documents AS excepted FROM (${HEADS}) AS h LEFT JOIN excepted e ON e.segment_id = h.id`);

/** All segments of an index. */
export async function readHeads(db: EntityManager, { workspaceId, kind }: IndexOf): Promise<SegmentHead[]> {
  return (await READ_HEADS.run(db, [workspaceId, kind])).map(toHead);
}

/** The same, including merged segments that are not deleted yet. */
export async function readAllHeads(db: EntityManager, { workspaceId, kind }: IndexOf): Promise<SegmentHead[]> {
  return (await READ_ALL_HEADS.run(db, [workspaceId, kind])).map(toHead);
}

/** The same, as if some documents were deleted. */
export async function readHeadsExcept(
  db: EntityManager,
  { workspaceId, kind }: IndexOf,
  keys: readonly string[],
): Promise<SegmentHead[]> {
  const rows = await READ_HEADS_EXCEPT.run(db, [workspaceId, kind, textArray(keys)]);
  return rows.map(({ excepted, ...row }) => {
    const head = toHead(row);
    if (!excepted) return head;
    const gone = head.gone ?? Bits.none(head.documents);
    for (const document of excepted) gone.set(document);
    return { ...head, gone };
  });
}

function toHead({ gone, is_packed: isPacked, ...row }: HeadRow): SegmentHead {
  return { ...row, gone: gone && Bits.of(row.documents, gone), isPacked };
}

const INSERT_SEGMENT = new Statement<{ id: string }>(`
  INSERT INTO search_segments (workspace_id, kind, documents, parts, bytes, low, high, packed, lists)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) RETURNING id`);

const INSERT_POSTINGS = new Statement(`
  INSERT INTO search_postings (workspace_id, segment_id, term, count, ordinals, places)
  SELECT $1, $2, n.* FROM unnest($3::text[], $4::int[], $5::bytea[], $6::bytea[]) AS n`);

const INSERT_VALUES = new Statement(`
  INSERT INTO search_values (workspace_id, segment_id, name, value)
  SELECT $1, $2, n.* FROM unnest($3::text[], $4::bytea[]) AS n`);

/** Names of values that are not numbers of documents. */
const KEYS = '#keys';
const FIRSTS = '#firsts';
const LISTS = '#lists';
const BETWEEN_KEYS = '\u0000';

/** Terms that one statement inserts. */
const TERMS_AT_ONCE = 10_000;

export async function insertSegment(
  tx: EntityManager,
  { workspaceId, kind }: IndexOf,
  segment: Segment,
): Promise<string> {
  const { documents, parts, terms, low, high, lists } = segment;
  const bytes = sizeOf(terms);
  const packed = parts < SMALL.parts && bytes < SMALL.bytes ? packTerms(terms) : null;
  const values = [workspaceId, kind, documents, parts, bytes, low, high, packed, lists.length];
  const [row] = await INSERT_SEGMENT.run(tx, values);
  const { id } = row!;
  const ofDocuments = valuesOf(segment);
  await INSERT_VALUES.run(tx, [
    workspaceId,
    id,
    textArray(ofDocuments.map(([name]) => name)),
    byteaArray(ofDocuments.map(([, each]) => each)),
  ]);
  if (!packed) await insertPostings(tx, { workspaceId, id, terms });
  await insertLists(tx, { workspaceId, id }, lists);
  return id;
}

function valuesOf({ values, keys, firsts, lists }: Segment): [string, Uint8Array][] {
  const named: [string, Uint8Array][] = [...values].map(([name, numbers]) => [name, bytesOf(numbers)]);
  named.push([KEYS, Buffer.from(keys.join(BETWEEN_KEYS))]);
  if (firsts) named.push([FIRSTS, bytesOf(firsts)]);
  if (lists.length > 0) named.push([LISTS, bytesOf(Uint32Array.from(lists, ({ document }) => document))]);
  return named;
}

/** About their packed size. */
const sizeOf = (terms: Segment['terms']): number =>
  terms.reduce((sum, [term, { ordinals, places }]) => sum + term.length + ordinals.length + places.length + 18, 0);

async function insertPostings(
  tx: EntityManager,
  { workspaceId, id, terms }: { workspaceId: number; id: string; terms: Segment['terms'] },
): Promise<void> {
  for (let from = 0; from < terms.length; from += TERMS_AT_ONCE) {
    const some = terms.slice(from, from + TERMS_AT_ONCE);
    await INSERT_POSTINGS.run(tx, [
      workspaceId,
      id,
      textArray(some.map(([term]) => term)),
      int4Array(some.map(([, { count }]) => count)),
      byteaArray(some.map(([, { ordinals }]) => ordinals)),
      byteaArray(some.map(([, { places }]) => (places.length > 0 ? places : null))),
    ]);
  }
}

const bytesOf = (numbers: Float64Array | Uint32Array): Uint8Array =>
  new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength);

const aligned = (bytes: Buffer): ArrayBuffer => Uint8Array.from(bytes).buffer;

const VALUES = new Statement<{ segment_id: string; name: string; value: Buffer }>(`
  SELECT segment_id, name, value FROM search_values
   WHERE workspace_id = $1 AND segment_id = ANY($2::bigint[]) AND ($3::text[] IS NULL OR name = ANY($3))`);

/** Values of the documents of some segments; some may be missing. */
export interface ReadValues {
  segmentId: string;
  name: string;
  bytes: Buffer;
}

export async function readValues(
  db: EntityManager,
  workspaceId: number,
  { ids, names }: { ids: readonly string[]; names: readonly string[] | null },
): Promise<ReadValues[]> {
  const rows = await VALUES.run(db, [workspaceId, ids, names]);
  return rows.map(({ segment_id: segmentId, name, value: bytes }) => ({ segmentId, name, bytes }));
}

export const VALUE_NAMES = { keys: KEYS, firsts: FIRSTS, lists: LISTS };
export const toNumbers = (bytes: Buffer): Float64Array => new Float64Array(aligned(bytes));
export const toOrdinals = (bytes: Buffer): Uint32Array => new Uint32Array(aligned(bytes));
export const toKeys = (bytes: Buffer): string[] => bytes.toString().split(BETWEEN_KEYS);

const PACKED = new Statement<{ id: string; packed: Buffer }>(`
  SELECT id, packed FROM search_segments WHERE workspace_id = $1 AND id = ANY($2::bigint[]) AND packed IS NOT NULL`);

export function readPacked(db: EntityManager, workspaceId: number, ids: readonly string[]) {
  return PACKED.run(db, [workspaceId, ids]);
}

/** More terms than a segment has. With a limit each range is a lookup of its own along the key. */
const MOST_TERMS = 1_000_000;

const postings = (places: string) => `
  SELECT p.segment_id, (r.n - 1)::int AS range, p.term, p.count, p.ordinals, ${places} AS places
    FROM unnest($2::bigint[]) AS s (id) CROSS JOIN unnest($3::text[], $4::text[]) WITH ORDINALITY AS r (low, high, n)
   CROSS JOIN LATERAL (
     SELECT * FROM search_postings WHERE workspace_id = $1 AND segment_id = s.id AND term >= r.low AND term < r.high
      ORDER BY term LIMIT ${MOST_TERMS}) AS p`;

interface PostingsRow {
  segment_id: string;
  range: number;
  term: string;
  count: number;
  ordinals: Buffer;
  places: Buffer | null;
}

const POSTINGS = new Statement<PostingsRow>(postings('NULL::bytea'));
const POSTINGS_WITH_PLACES = new Statement<PostingsRow>(postings('p.places'));

export interface ReadPostings extends Postings {
  segmentId: string;
  range: number;
}

/** The postings of ranges of terms in segments whose terms are rows. */
export async function readPostings(
  db: EntityManager,
  workspaceId: number,
  {
    ids,
    ranges,
    places,
  }: { ids: readonly string[]; ranges: readonly { low: string; high: string }[]; places: boolean },
): Promise<ReadPostings[]> {
  const statement = places ? POSTINGS_WITH_PLACES : POSTINGS;
  const rows = await statement.run(db, [
    workspaceId,
    ids,
    ranges.map(({ low }) => low),
    ranges.map(({ high }) => high),
  ]);
  return rows.map(({ segment_id: segmentId, places: found, ...row }) => {
    return { segmentId, ...row, places: found ?? NO_BYTES };
  });
}

const NO_BYTES = new Uint8Array();

const termsOf = (places: string, condition = '') => `
  SELECT term, count, ordinals, ${places} AS places FROM search_postings
   WHERE workspace_id = $1 AND segment_id = $2 ${condition} ORDER BY term`;
const ALL_TERMS = new Statement<PostingsRow>(termsOf('places'));
const ALL_TERMS_WITHOUT_PLACES = new Statement<PostingsRow>(termsOf('NULL::bytea'));
const SOME_TERMS = new Statement<PostingsRow>(termsOf('places', 'AND term = ANY($3::text[])'));

type Terms = (readonly [string, Postings])[];

const toTerms = (rows: PostingsRow[]): Terms =>
  rows.map(({ term, count, ordinals, places }) => [term, { count, ordinals, places: places ?? NO_BYTES }] as const);

/** All terms of a segment whose terms are rows. */
export const readTerms = async (db: EntityManager, workspaceId: number, id: string): Promise<Terms> =>
  toTerms(await ALL_TERMS.run(db, [workspaceId, id]));

/** The same with empty `places`, which are most of a segment. */
export const readTermsWithoutPlaces = async (db: EntityManager, workspaceId: number, id: string): Promise<Terms> =>
  toTerms(await ALL_TERMS_WITHOUT_PLACES.run(db, [workspaceId, id]));

export async function readSomeTerms(
  db: EntityManager,
  { workspaceId, id }: { workspaceId: number; id: string },
  terms: readonly string[],
): Promise<Terms> {
  return toTerms(await SOME_TERMS.run(db, [workspaceId, id, textArray(terms)]));
}

/** Merged segments stay for running readers. */
export const MERGED_SEGMENTS_STAY = '10 minutes';

const LEAVE = new Statement(
  'UPDATE search_segments SET merged_at = now(), lists = 0 WHERE workspace_id = $1 AND id = ANY($2::bigint[])',
);

/** Marks segments as merged into another one, including their lists. */
export async function leaveSegments(tx: EntityManager, workspaceId: number, ids: readonly string[]): Promise<void> {
  await LEAVE.run(tx, [workspaceId, ids]);
}

/** The indexes of all workspaces with enough segments for a merge. */
export function indexesToMerge(db: EntityManager): Promise<IndexOf[]> {
  return db.query<IndexOf[]>(
    `SELECT workspace_id AS "workspaceId", kind FROM search_segments WHERE merged_at IS NULL
      GROUP BY workspace_id, kind HAVING count(*) >= ${SEGMENTS_OF_A_SIZE}`,
  );
}

/** Deletes the segments of all workspaces that were merged some time ago. */
export async function deleteMergedSegments(tx: EntityManager): Promise<void> {
  await tx.query(
    `WITH left_ones AS (
       DELETE FROM search_segments WHERE merged_at < now() - interval '${MERGED_SEGMENTS_STAY}' RETURNING workspace_id, id),
     postings AS (
       DELETE FROM search_postings p USING left_ones s WHERE p.workspace_id = s.workspace_id AND p.segment_id = s.id),
     lists AS (
       DELETE FROM search_word_lists l USING left_ones s WHERE l.workspace_id = s.workspace_id AND l.segment_id = s.id)
     DELETE FROM search_values v USING left_ones s WHERE v.workspace_id = s.workspace_id AND v.segment_id = s.id`,
  );
}

const MARK = new Statement(`UPDATE search_segments SET gone = $3 WHERE workspace_id = $1 AND id = $2`);

export async function markGone(
  tx: EntityManager,
  workspaceId: number,
  { id, gone }: { id: string; gone: Bits },
): Promise<void> {
  await MARK.run(tx, [workspaceId, id, Buffer.from(gone.toBytes())]);
}
