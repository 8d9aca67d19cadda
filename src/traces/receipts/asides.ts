/**
 * Skipped spans that are listed one by one; further ones are only counted. A request can hold millions of spans of two
 * bytes.
 */
export const MOST_ASIDES = 10_000;

/** A skipped span of a request: it was refused while it was read, or repeated. */
export interface Aside {
  /** The number of spans to be stored that came before it. */
  at: number;
  /** null when it came without a usable id. */
  traceId: string | null;
  spanId: string | null;
  status: 'duplicate' | 'rejected';
  reason: string | null;
  /** More than one only where nothing else is known of the spans. */
  count: number;
}

type Told = Omit<Aside, 'at' | 'count'>;

/** Collects skipped spans in the order of the request. */
export class Asides {
  private readonly told: Aside[] = [];
  private readonly untold = new Map<string, Aside>();

  add(at: number, told: Told): void {
    if (this.told.length < MOST_ASIDES) this.told.push({ ...told, at, count: 1 });
    else this.count(told);
  }

  get list(): Aside[] {
    return [...this.told, ...this.untold.values()];
  }

  private count({ status, reason }: Told): void {
    const key = `${status} ${reason}`;
    const known = this.untold.get(key);
    if (known) known.count++;
    else this.untold.set(key, { at: Infinity, traceId: null, spanId: null, status, reason, count: 1 });
  }
}

/** The skipped spans of a part of a request: the first part includes those before it, the last those after it. */
export function asidesOf(asides: Aside[], { from, to, of }: { from: number; to: number; of: number }): Aside[] {
  return asides
    .filter(({ at }) => (from === 0 || at >= from) && (to === of || at < to))
    .map((aside) => ({ ...aside, at: aside.at - from }));
}
