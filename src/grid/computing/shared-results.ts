import type { RememberedResult } from './memo.queries.js';

/** Results stay here for a moment after they are stored, for those who have just looked for them in vain. */
const KEPT_MS = 2_000;

/** A result that others may wait for. */
export interface AnnouncedResult {
  /** There is nothing to share: whoever has waited computes for itself. */
  withdraw(): void;
  /** Everybody finds the result in the database now. */
  stored(): void;
}

/**
 * Results that are being computed in this process, by what they are computed from: cells with equal inputs wait for the one
 * that came first instead of paying for the same again.
 */
export class SharedResults {
  private readonly computing = new Map<string, Promise<RememberedResult | null>>();

  /** The result that somebody computes; it is null when nothing comes of it. */
  find(key: string): Promise<RememberedResult | null> | undefined {
    return this.computing.get(key);
  }

  announce(key: string, result: Promise<RememberedResult | null>): AnnouncedResult {
    this.computing.set(key, result);
    const remove = () => {
      if (this.computing.get(key) === result) this.computing.delete(key);
    };
    return { withdraw: remove, stored: () => setTimeout(remove, KEPT_MS).unref() };
  }
}
