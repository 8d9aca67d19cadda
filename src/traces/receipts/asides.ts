/** Spans told one by one; of further ones only the number is kept. A request can hold millions of spans of two bytes. */
export const MOST_ASIDES = 10_000;

/** What of a request is not among the spans to be stored: a span that was refused while it was read, or came again. */
export interface Aside {
  /** The number of spans to be stored that came before it. */
  at: number;
  /** null when it came without a usable id. */
  traceId: string | null;
  spanId: string | null;
  status: 'duplicate' | 'rejected';
  reason: string | null;
  /** More than one only where nothing else is known of them. */
  count: number;
}

type Told = Omit<Aside, 'at' | 'count'>;

/** Gathers them in the order of the request. */
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

/** Those that belong to some of the spans of a request: the first part has what comes before, the last what comes after. */
export function asidesOf(asides: Aside[], { from, to, of }: { from: number; to: number; of: number }): Aside[] {
  return asides
    .filter(({ at }) => (from === 0 || at >= from) && (to === of || at < to))
    .map((aside) => ({ ...aside, at: aside.at - from }));
}
