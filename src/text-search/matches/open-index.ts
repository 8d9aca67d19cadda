import type { DataSource, EntityManager } from 'typeorm';
import { Reading } from '../questions/reading.js';
import { SegmentCache } from '../questions/segment-cache.js';
import type { IndexOf } from '../segments/segments.queries.js';

/** Parts of segments that a process keeps in memory for each database. */
const CACHE_BYTES = 64 * 1024 * 1024;
const caches = new WeakMap<DataSource, SegmentCache>();

/**
 * Opens the current state of an index without some documents, about which the caller has newer data. Read the documents that wait
 * for the index first: then none is missed.
 */
export function openIndex(db: EntityManager, index: IndexOf, except: readonly string[] = []): Promise<Reading> {
  const cache = caches.get(db.connection) ?? new SegmentCache(CACHE_BYTES);
  caches.set(db.connection, cache);
  return Reading.open({ db, workspaceId: index.workspaceId, cache }, index, except);
}
