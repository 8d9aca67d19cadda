import type { RememberedResult } from './memo.queries.js';

/** Time for which stored results stay here, for cells that looked for them in the database just before. */
const KEPT_MS = 2_000;

/** A result that others may wait for. */
export interface AnnouncedResult {
  /** Withdraws the announcement: waiting cells compute the result themselves. */
  withdraw(): void;
  /** Called when everybody can find the result in the database. */
  stored(): void;
}

/**
 * Results that are being computed in this process, by their inputs. Cells with equal inputs wait for the first one
 * instead of paying for the same result again.
 */
export class SharedResults {
  private readonly computing = new Map<string, Promise<RememberedResult | null>>();

  /** The running computation of a result; it resolves to null when there is nothing to share. */
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
