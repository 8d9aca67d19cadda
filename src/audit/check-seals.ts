import type { Seal } from './audit-chain.queries.js';
import { type ChainPlace, chainHash, detailsHash, type HashedEntry } from './chain-hash.js';

/** Why a chain is broken. */
export const BREAKS = ['altered', 'removed', 'inserted', 'truncated', 'head_altered', 'head_unknown'] as const;

export interface ChainBreak {
  kind: (typeof BREAKS)[number];
  /** The position at which the chain breaks. */
  position: number;
  /** The entry, if it is known. */
  entryId: number | null;
}

export interface CheckedSeals {
  /** The last place up to which everything fits. */
  verified: ChainPlace;
  /** Entries whose details differ from the sealed ones: they were erased or altered. */
  changed: { entry: HashedEntry; before: ChainPlace }[];
  break: ChainBreak | null;
}

/**
 * Compares seals with the entries between the first and the last of them, both in the order of the ids. `from` is the place before the
 * first seal.
 */
export function checkSeals(from: ChainPlace, seals: readonly Seal[], entries: readonly HashedEntry[]): CheckedSeals {
  const checked: CheckedSeals = { verified: from, changed: [], break: null };
  let next = 0;
  for (const seal of seals) {
    const entry = entries[next++];
    const kind = breakAt(checked.verified, seal, entry);
    if (kind) {
      checked.break = {
        kind,
        position: checked.verified.position + 1,
        entryId: entryAt(checked.verified, seal, entry),
      };
      return checked;
    }
    if (!detailsHash(entry!.details).equals(seal.detailsHash)) {
      checked.changed.push({ entry: entry!, before: checked.verified });
    }
    checked.verified = { position: seal.position, entryId: seal.entryId, hash: seal.hash };
  }
  return checked;
}

/** Null when the seal of a removed entry is gone, too. */
function entryAt(previous: ChainPlace, seal: Seal, entry: HashedEntry | undefined): number | null {
  if (entry && entry.id < seal.entryId) return entry.id;
  return seal.position === previous.position + 1 ? seal.entryId : null;
}

function breakAt(previous: ChainPlace, seal: Seal, entry: HashedEntry | undefined): ChainBreak['kind'] | null {
  if (entry && entry.id < seal.entryId) return 'inserted';
  if (!entry || entry.id > seal.entryId || seal.position !== previous.position + 1) return 'removed';
  return chainHash(entry, previous, seal.detailsHash).equals(seal.hash) ? null : 'altered';
}
