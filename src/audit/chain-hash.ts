import { createHash } from 'node:crypto';
import { canonicalJson } from '../platform/canonical-json.js';
import type { JsonObject } from '../platform/json.js';

/** The columns of an audit entry that are hashed. */
export interface HashedEntry {
  workspaceId: number;
  id: number;
  /** ISO 8601 in UTC with microseconds. */
  occurredAt: string;
  action: string;
  entityId: string;
  keyId: number | null;
  requestId: string;
  details: JsonObject;
}

/** A place in a chain: how many entries there are up to it, the last of them, and its hash. */
export interface ChainPlace {
  position: number;
  entryId: number;
  hash: Buffer;
}

/** The place before the first entry. */
export const BEGINNING: ChainPlace = { position: 0, entryId: 0, hash: Buffer.alloc(0) };

const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest();

export const detailsHash = (details: JsonObject): Buffer => sha256(canonicalJson(details));

/**
 * Computes the hash of the entry that follows `previous`. Details are included as a hash only, so an erasure can change them without
 * breaking the chain. docs/how-to/audit.md describes the text that is hashed: changing it breaks all chains.
 */
export function chainHash(entry: Omit<HashedEntry, 'details'>, previous: ChainPlace, details: Buffer): Buffer {
  return sha256(
    canonicalJson({
      workspace_id: entry.workspaceId,
      id: entry.id,
      occurred_at: entry.occurredAt,
      action: entry.action,
      entity_id: entry.entityId,
      key_id: entry.keyId,
      request_id: entry.requestId,
      details_hash: details.toString('hex'),
      position: previous.position + 1,
      previous_hash: previous.hash.toString('hex'),
    }),
  );
}
